import type { NoteStore } from '../../ports';
import { refuseChange } from '../change-faults';
import { catchStoreError, storeFault, fault, type Fault } from '../../fault';
import { jsonAs } from '../../json';
import { mergeNote, type Clash, type UnsettledLine, type MergedNote } from './merge-note';
import { editorText } from './text-edits';
import { PERSON } from '../history/actor';
import { replacePlan, type BoardWriter, type WholePlan } from '../history/board-writer';
import type { Note } from '../note/note';
import type { TypedLines } from '../typed-lines';
import * as z from 'zod/mini';
import { lazy } from '../../lazy';
import type { StateFiles } from '../state-file';

interface NoteDraftDeps {
  /** Reads the note; undefined if it is gone. */
  readonly read: () => Promise<string | undefined>;
  /**
   * Writes the result of `change`, applied to the current note, in one step; the program may raise
   * `rev`. `change` may be called again; if it returns a fault, nothing is written and the fault is
   * returned.
   */
  readonly write: (
    change: (text: string | undefined) => WholePlan | Fault,
  ) => Promise<{ readonly ok: true } | Fault>;
  /** Stores others' versions of lines; resolves once they are safe. */
  readonly keep: (versions: readonly KeptVersion[]) => Promise<void>;
}

/** A person's text that a program could not save before it ended. */
export interface UnsavedDraft {
  readonly base: string;
  readonly mine: string;
}

export type SyncResult =
  | {
      readonly ok: true;
      /** text to show in the editor instead of the given one; lines end with `\n` */
      readonly text: string;
      /** new clashes, by their lines in `text` */
      readonly clashes: readonly Clash[];
    }
  | Fault;

/**
 * A person's text of a note while it is being edited. It is saved by merging it into the current
 * note. The other version of a line that clashes is stored before the note is written, so that none
 * is ever lost. Calls of `sync` must not overlap.
 */
export class NoteDraft {
  private constructor(
    private readonly deps: NoteDraftDeps,
    private base: string,
  ) {}

  /** @returns undefined if there is neither a note nor an unsaved text */
  static async open(
    deps: NoteDraftDeps,
    left: UnsavedDraft | undefined,
  ): Promise<{ readonly draft: NoteDraft; readonly text: string } | undefined> {
    if (left !== undefined) return { draft: new NoteDraft(deps, left.base), text: left.mine };
    const text = await deps.read();
    if (text === undefined) return undefined;
    return { draft: new NoteDraft(deps, text), text: editorText(text) };
  }

  isUnsaved(mine: string): boolean {
    return editorText(this.base) !== mine;
  }

  /** What to store if there is no time to save. */
  toUnsavedDraft(mine: string): UnsavedDraft {
    return { base: this.base, mine };
  }

  /** Merges others' changes into the text and saves the person's. */
  sync(mine: string, held: readonly UnsettledLine[]): Promise<SyncResult> {
    return catchStoreError(async (): Promise<SyncResult> => {
      const theirs = await this.deps.read();
      const unsaved = this.isUnsaved(mine);
      if (theirs === undefined && !unsaved) return refuseChange('unknown_board', 'noteGone');
      const merged = this.merge(mine, theirs, held);
      if (unsaved || merged.text !== theirs) return this.save(mine, held, merged);
      this.base = merged.text;
      return { ok: true, text: editorText(merged.text), clashes: [] };
    }, storeFault);
  }

  private async save(
    mine: string,
    held: readonly UnsettledLine[],
    first: MergedNote,
  ): Promise<SyncResult> {
    let merged = first;
    for (;;) {
      const kept = merged.clashes;
      await this.deps.keep(kept.map(versionOf));
      const written = await this.deps.write((text) => {
        merged = this.merge(mine, text, held);
        const all = merged.clashes.every((clash) => kept.some((one) => isStored(one, clash)));
        return all ? { ok: true, text: merged.text } : fault(KEEP_FIRST, '');
      });
      if (!written.ok && written.code === KEEP_FIRST) continue;
      if (!written.ok) return written;
      this.base = merged.text;
      return { ok: true, text: editorText(merged.text), clashes: merged.clashes };
    }
  }

  /** Merges the text. A removed note counts as unchanged: an edit wins over a deletion. */
  private merge(
    mine: string,
    text: string | undefined,
    held: readonly UnsettledLine[],
  ): MergedNote {
    const { base } = this;
    const theirs = text ?? base;
    // The common cases need no merge, since only one side changed something.
    if (held.length === 0 && !this.isUnsaved(mine)) return { text: theirs, clashes: [] };
    if (theirs === base && !base.includes('\r')) return { text: mine, clashes: [] };
    return mergeNote({ base, mine, theirs, held });
  }
}

const KEEP_FIRST = 'keep_first';

function versionOf({ id, title, base, yours, theirs }: Clash): KeptVersion {
  return { id, title, base, yours, theirs };
}

function isStored(one: Clash, other: Clash): boolean {
  return isSameLine(one, other) && one.theirs === other.theirs;
}

export interface DraftsDeps {
  readonly store: NoteStore;
  readonly versions: KeptVersions;
  /** the current board root */
  readonly root: () => string;
  /** notified of what is being typed, so that it is reported when it is complete */
  readonly typing: Pick<TypedLines, 'typed' | 'left'>;
  /** undefined for notes other than boards */
  readonly commit: BoardWriter['commit'] | undefined;
}

/** Notes that a person edits as text, and the versions of lines that wait for a choice. */
export class Drafts {
  constructor(private readonly deps: DraftsDeps) {}

  open(
    path: string,
    left: UnsavedDraft | undefined,
  ): Promise<{ readonly draft: NoteDraft; readonly text: string } | undefined> {
    const { store, versions } = this.deps;
    const deps: NoteDraftDeps = {
      read: () => store.read(path),
      write: (change) => this.write(path, change),
      keep: (list) => versions.keep(this.board(path), list),
    };
    return NoteDraft.open(deps, left);
  }

  get typing(): DraftsDeps['typing'] {
    return this.deps.typing;
  }

  kept(path: string): Promise<readonly KeptVersion[]> {
    return this.deps.versions.of(this.board(path));
  }

  /** Removes a stored version after the person chose. */
  removeVersion(path: string, version: KeptVersion): Promise<void> {
    return this.deps.versions.removeVersion(this.board(path), version);
  }

  /** Versions that wait for a choice, by the paths of their notes. */
  async allKept(paths: readonly string[]): Promise<ReadonlyMap<string, readonly KeptVersion[]>> {
    const byBoard = new Map(paths.map((path) => [this.board(path), path]));
    const kept = await this.deps.versions.all([...byBoard.keys()]);
    return new Map([...kept].map(([board, versions]) => [byBoard.get(board) ?? board, versions]));
  }

  private board(path: string): string {
    const root = `${this.deps.root()}/`;
    return path.startsWith(root) ? path.slice(root.length) : path;
  }

  /**
   * Writes by a commit of the board, which raises `rev` and can be undone. A note that is broken
   * before or after is written as plain text, the only form in which a person can repair it.
   */
  private async write(
    path: string,
    change: Parameters<NoteDraftDeps['write']>[0],
  ): Promise<{ readonly ok: true } | Fault> {
    const { commit } = this.deps;
    if (commit !== undefined) {
      const make = (note: Note | undefined) => change(note?.text);
      const written = await replacePlan({ commit }, path, PERSON, make, { said: HISTORY_TEXT });
      if (written.ok) return { ok: true };
      if (written.code !== 'broken_note') return written;
    }
    let refused: Fault | undefined;
    await this.deps.store.update(path, (text) => {
      const changed = change(text);
      refused = changed.ok ? undefined : changed;
      return changed.ok ? changed.text : undefined;
    });
    return refused ?? { ok: true };
  }
}

const HISTORY_TEXT = 'Edited the note as text';

/** Another version of a line, stored until the person chooses. The note has the person's own. */
const keptVersion = lazy(() =>
  z.object({
    id: z.nullable(z.string()),
    title: z.string(),
    base: z.string(),
    yours: z.string(),
    theirs: z.string(),
  }),
);

export type KeptVersion = z.infer<ReturnType<typeof keptVersion>>;

const keptVersions = lazy(() => z.array(keptVersion()));

/**
 * Stores versions of lines that wait for a choice, outside the notes, so that they outlive view and
 * program.
 */
export class KeptVersions {
  constructor(private readonly state: StateFiles) {}

  /** @param board the note's path relative to the board root, as everywhere in the state */
  async of(board: string): Promise<readonly KeptVersion[]> {
    return readVersions(await this.state.text(versionsPath(board)));
  }

  /** Versions by board, for the boards that have any. */
  async all(boards: readonly string[]): Promise<ReadonlyMap<string, readonly KeptVersion[]>> {
    const sessions = new Set(await this.state.folders(FOLDER));
    const found = new Map<string, readonly KeptVersion[]>();
    for (const board of boards) {
      if (!sessions.has(board.split('/')[0] ?? '')) continue;
      const versions = await this.of(board);
      if (versions.length > 0) found.set(board, versions);
    }
    return found;
  }

  /** Adds versions; each replaces an older one of the same line. */
  async keep(board: string, versions: readonly KeptVersion[]): Promise<void> {
    if (versions.length === 0) return;
    await this.state.change(versionsPath(board), (text) => {
      const older = readVersions(text).filter(
        (one) => !versions.some((version) => isSameLine(one, version)),
      );
      return versionsText([...older, ...versions]);
    });
  }

  async removeVersion(board: string, version: KeptVersion): Promise<void> {
    const before = await this.of(board);
    const left = before.filter((one) => !isSameLine(one, version));
    if (left.length === before.length) return;
    if (left.length === 0) await this.state.drop(versionsPath(board));
    else await this.state.change(versionsPath(board), () => versionsText(left));
  }
}

/** Whether two versions belong to the same line: to the same task, else with the same text. */
export function isSameLine(
  one: Pick<KeptVersion, 'id' | 'base'>,
  other: Pick<KeptVersion, 'id' | 'base'>,
): boolean {
  return one.id === null ? other.id === null && one.base === other.base : one.id === other.id;
}

const FOLDER = 'versions';

function versionsPath(board: string): string {
  return `${FOLDER}/${board.replace(/-tasks\.md$/, '.json')}`;
}

function versionsText(versions: readonly KeptVersion[]): string {
  return `${JSON.stringify(versions, null, 1)}\n`;
}

/** A damaged file counts as missing. */
function readVersions(text: string | undefined): readonly KeptVersion[] {
  return jsonAs(keptVersions(), text) ?? [];
}
