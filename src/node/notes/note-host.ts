import type { NoteTextStore } from '../../core/permission/audit/note-text-store';
import { PathResolver } from '../../core/permission/path-resolver';
import type { NoteDeps } from '../../core/tool/call-run';
import { noteTools } from '../../core/tool/note/note-tools';
import type { Tool } from '../../core/tool/tool';
import { sha256 } from '../audit/open-audit';
import { realPaths } from '../real-paths';
import { DiskNotes, type DiskNotesDeps } from './disk-notes';

interface DiskNoteToolsDeps extends Omit<DiskNotesDeps, 'resolver'> {
  readonly texts: Pick<NoteTextStore, 'keep'>;
}

/** The note tools for a vault's folder, and what a tool host needs for them. */
export function diskNoteTools({ texts, ...parts }: DiskNoteToolsDeps): {
  readonly tools: ReadonlyMap<string, Tool>;
  readonly notes: NoteDeps;
} {
  const { vault, store } = parts;
  const resolver = new PathResolver(realPaths(vault));
  const files = new DiskNotes({ ...parts, resolver });
  const keep = (text: string): Promise<string> => texts.keep(text);
  const list: NoteDeps['list'] = (folder) => files.list(folder);
  return { tools: noteTools(files, files), notes: { store, resolver, digest: sha256, list, keep } };
}
