import type { App } from 'obsidian';
import { roomForNotes, type ContextUse } from '../../core/context/context-use';
import {
  promptStrategies,
  relatedNotes,
  sameNotes,
  type NoteSource,
  type RelatedNote,
  type ChosenNotes,
} from '../../core/context/related-notes';
import type { Reader } from '../../core/tool/readable-note';
import type { ContextChip, PromptDraft } from './drafts';

export interface RelatedDeps {
  readonly app: Pick<App, 'vault'>;
  /** the notes to search, as far as the reader may read them */
  readonly source: (reader: Reader) => Promise<NoteSource>;
  /** notes of the task that a session works on */
  readonly ofTask: (sessionId: string) => Promise<readonly string[]>;
  /** the note or selection that the person last worked in */
  readonly lastContext: () => ContextChip | undefined;
}

/** Notes that were found, and the tokens that all of them may take. */
export interface FoundNotes extends ChosenNotes {
  readonly room: number;
}

/** Finds related notes to send with the next prompt of a session. */
export class RelatedSource {
  constructor(private readonly deps: RelatedDeps) {}

  async find(
    reader: Reader & { readonly sessionId: string },
    { text, chips, related }: Pick<PromptDraft, 'text' | 'chips' | 'related'>,
    use: ContextUse,
  ): Promise<FoundNotes> {
    const { app, source, ofTask, lastContext } = this.deps;
    const at = chips.find(({ kind }) => kind === 'selection') ?? lastContext();
    const asked = {
      text,
      named: chips.flatMap(({ kind, path }) => (kind === 'note' ? [path] : [])),
      open: at && { path: at.path, selected: at.kind === 'selection' ? at.text : undefined },
      ofTask: () => ofTask(reader.sessionId),
      recent: () =>
        [...app.vault.getMarkdownFiles()]
          .sort((a, b) => b.stat.mtime - a.stat.mtime)
          .map(({ path }) => path),
    };
    const room = roomForNotes(use, text);
    const from = await source(reader);
    const without = related ?? [];
    return {
      ...(await relatedNotes(promptStrategies(asked, from), from, room, { without })),
      room,
    };
  }

  /** Reads the notes again; leaves out those that are gone or may no longer be read. */
  async again(reader: Reader, notes: readonly RelatedNote[], room: number): Promise<ChosenNotes> {
    return relatedNotes(sameNotes(notes), await this.deps.source(reader), room);
  }
}
