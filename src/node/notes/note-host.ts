import type { KeptTexts } from '../../core/permission/audit/kept-texts';
import { PathResolver } from '../../core/permission/path-resolver';
import type { VaultTarget } from '../../core/permission/vault-target';
import type { Log, NoteStore } from '../../core/ports';
import type { NoteDeps } from '../../core/tool/call-run';
import { noteTools } from '../../core/tool/note/note-tools';
import type { Tool } from '../../core/tool/tool';
import { sha256 } from '../audit/open-audit';
import { realPaths } from '../real-paths';
import { DiskNotes } from './disk-notes';

interface DiskNoteParts {
  /** absolute */
  readonly vault: string;
  readonly store: NoteStore;
  readonly texts: Pick<KeptTexts, 'keep'>;
  /** Whether a file or folder is out of reach whatever the rules say. */
  readonly hidden: (target: VaultTarget) => boolean;
  readonly log: Log;
}

/** The tools for the notes of a vault's folder, and what a host needs for them. */
export function diskNoteTools({ vault, store, texts, hidden, log }: DiskNoteParts): {
  readonly tools: ReadonlyMap<string, Tool>;
  readonly notes: NoteDeps;
} {
  const resolver = new PathResolver(realPaths(vault));
  const files = new DiskNotes({ vault, store, resolver, hidden, log });
  const keep = (text: string): Promise<string> => texts.keep(text);
  return { tools: noteTools(files, files), notes: { store, resolver, digest: sha256, keep } };
}
