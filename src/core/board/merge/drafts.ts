import type { NoteStore } from '../../ports';
import { PERSON } from '../history/actor';
import type { Note } from '../note/note';
import type { Fault } from '../operation/read-operation';
import type { PersonAnswer } from '../person/person-operation';
import type { Actor } from '../history/actor';
import type { KeptVersion, KeptVersions } from './kept-versions';
import { NoteDraft, type LeftDraft, type NoteDraftDeps } from './note-draft';

export interface DraftsDeps {
  readonly store: NoteStore;
  readonly versions: KeptVersions;
  /** the board root as it is now */
  readonly root: () => string;
  /** `TodoManager.edit` */
  readonly edit: (
    path: string,
    by: Actor,
    said: string,
    change: (note: Note | undefined) => { readonly ok: true; readonly text: string } | Fault,
  ) => Promise<PersonAnswer>;
}

/** The texts of notes that a person edits as text, and the versions of lines that wait for a choice. */
export class Drafts {
  constructor(private readonly deps: DraftsDeps) {}

  open(
    path: string,
    left: LeftDraft | undefined,
  ): Promise<{ readonly draft: NoteDraft; readonly text: string } | undefined> {
    const { store, versions } = this.deps;
    const deps: NoteDraftDeps = {
      read: () => store.read(path),
      write: (change) => this.write(path, change),
      keep: (list) => versions.keep(this.board(path), list),
    };
    return NoteDraft.open(deps, left);
  }

  kept(path: string): Promise<readonly KeptVersion[]> {
    return this.deps.versions.of(this.board(path));
  }

  /** The person chose: the other version is no longer kept. */
  chosen(path: string, version: KeptVersion): Promise<void> {
    return this.deps.versions.chosen(this.board(path), version);
  }

  private board(path: string): string {
    const root = `${this.deps.root()}/`;
    return path.startsWith(root) ? path.slice(root.length) : path;
  }

  /**
   * Through the board's own write, which raises `rev` and can be undone. A note that is broken before
   * or after is written as plain text: only as text can a person repair it.
   */
  private async write(
    path: string,
    change: Parameters<NoteDraftDeps['write']>[0],
  ): Promise<{ readonly ok: true } | Fault> {
    const { edit, store } = this.deps;
    const written = await edit(path, PERSON, SAID, (note) => change(note?.text));
    if (written.ok) return { ok: true };
    if (written.code !== 'broken_note') return written;
    let refused: Fault | undefined;
    await store.update(path, (text) => {
      const changed = change(text);
      refused = changed.ok ? undefined : changed;
      return changed.ok ? changed.text : undefined;
    });
    return refused ?? { ok: true };
  }
}

const SAID = 'Edited the note as text';
