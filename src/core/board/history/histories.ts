import type { Clock, Ids } from '../../ports';
import { catchStoreError } from '../../fault';
import type { BlockText } from '../archive/archive-tasks';
import type { Note } from '../note/note';
import type { StateFiles } from '../state-file';
import type { BoardChange } from '../board-change';
import { PERSON, sameActor, type Actor } from './actor';
import {
  recordLine,
  MAX_HISTORY,
  readRecords,
  appendHistoryLine,
  type ChangeRecord,
  type Delta,
} from './change-record';
import { boardChanges, type TaskChange } from '../digest';
import { parseNote } from '../note/parse-note';
import type { Board } from '../task';
import { revertHunks } from './undo-record';

/** A change that was written, to be stored. */
export interface WrittenChange {
  readonly path: string;
  readonly by: Actor;
  readonly said: readonly string[];
  readonly after: Note;
  readonly undoes?: string | undefined;
  readonly redoes?: string | undefined;
  readonly with?: ChangeRecord['with'];
  readonly archived?: readonly BlockText[] | undefined;
  readonly restored?: readonly BlockText[] | undefined;
  /** differences between the note before and `after` */
  readonly delta: Promise<Delta>;
}

/**
 * The history of each board, stored separately from the notes. It is written right after the note:
 * a crash in between loses the undo of one change, never a task.
 */
export class Histories {
  constructor(
    private readonly state: StateFiles,
    private readonly root: string,
    private readonly clock: Clock,
    private readonly ids: Ids,
  ) {}

  /**
   * The records of a board, oldest first; damaged lines are skipped. @throws StoreError if the
   * history can't be read
   */
  async records(path: string): Promise<readonly ChangeRecord[]> {
    return readRecords(await this.state.history(this.relativePath(path)));
  }

  /** The same for callers that don't depend on it: empty if the history can't be read. */
  recordsIfReadable(path: string): Promise<readonly ChangeRecord[]> {
    return catchStoreError(
      () => this.records(path),
      () => [],
    );
  }

  /** Differences between the two states of a change, by author. @param after the current note */
  async changesByAuthor(
    { path, before, board }: BoardChange,
    after: Note | undefined,
  ): Promise<readonly AuthoredChanges[]> {
    if (board === undefined || board.broken !== null || after === undefined) return [];
    const from = before ?? { ...board, tasks: [], rev: 0 };
    if (from.broken !== null) return [];
    return authoredChanges(from, after, await this.recordsIfReadable(path));
  }

  /** A new id for a change, from which `boardOf` reads its board. */
  draw(path: string): string {
    return `${this.relativePath(path)}#${this.ids.unique()}`;
  }

  /** The board that a change was made on; undefined for an invalid id. */
  boardOf(change: string): string | undefined {
    const end = change.lastIndexOf('#');
    return end <= 0 ? undefined : `${this.root}/${change.slice(0, end)}`;
  }

  /** @throws StoreError if it could not be stored */
  async storeChange(change: string, written: WrittenChange): Promise<void> {
    const { path, by, said, after, undoes, redoes, archived, restored, delta } = written;
    const other = written.with;
    const record: ChangeRecord = {
      change,
      at: this.clock.now(),
      by,
      said: [...said],
      rev: after.board.rev,
      ...(undoes !== undefined && { undoes }),
      ...(redoes !== undefined && { redoes }),
      ...(other !== undefined && { with: other }),
      ...(await delta),
      ...(archived !== undefined && archived.length > 0 && { archived: [...archived] }),
      ...(restored !== undefined && restored.length > 0 && { restored: [...restored] }),
    };
    const line = recordLine(record);
    await this.state.appendHistory(this.relativePath(path), line, MAX_HISTORY, (text) =>
      appendHistoryLine(text, line),
    );
  }

  private relativePath(path: string): string {
    return path.slice(this.root.length + 1);
  }
}

/**
 * Undo and redo stacks from the records, oldest first. `done`: changes that can be undone, each as
 * the record that did it last. `undone`: undo records that can be undone themselves (redone).
 */
export function undoStacks(records: readonly ChangeRecord[], by?: Actor) {
  let done: ChangeRecord[] = [];
  let undone: ChangeRecord[] = [];
  for (const record of records) {
    if (by !== undefined && !sameActor(record.by, by)) continue;
    const { undoes, redoes } = record;
    if (undoes !== undefined) {
      done = done.filter(({ change }) => change !== undoes);
      undone.push(record);
    } else if (redoes !== undefined) {
      undone = undone.filter(({ change }) => change !== redoes);
      done.push(record);
    } else {
      // After something new, earlier undone changes can't be redone.
      undone = undone.filter((one) => !sameActor(one.by, record.by));
      done.push(record);
    }
  }
  return { done, undone };
}

/** The original change that a record did, undid or redid. */
export function originalChange(record: ChangeRecord, records: readonly ChangeRecord[]): string {
  const before = record.undoes ?? record.redoes;
  const found = records.find(({ change }) => change === before);
  return found === undefined ? (before ?? record.change) : originalChange(found, records);
}

/** One change of a board, for lists. */
export interface HistoryEntry {
  /** id for `undo` */
  readonly change: string;
  /** ms since the epoch */
  readonly at: number;
  readonly by: Actor;
  /** descriptions of what was done, a line each */
  readonly said: readonly string[];
  /** the board's `rev` after it */
  readonly rev: number;
  /** whether it was undone, and not redone */
  readonly undone: boolean;
}

/** @returns newest first */
export function historyEntries(
  records: readonly ChangeRecord[],
  limit: number,
): readonly HistoryEntry[] {
  const notUndone = new Set(
    undoStacks(records).done.map((record) => originalChange(record, records)),
  );
  return records
    .slice(-limit)
    .map((record) => {
      const { change, at, by, said, rev, undoes, redoes } = record;
      const again = undoes !== undefined || redoes !== undefined;
      return { change, at, by, said, rev, undone: !again && !notUndone.has(change) };
    })
    .reverse();
}

/** Changes by one author; several if they can't be told apart, none if the author is unknown. */
export interface AuthoredChanges {
  readonly by: readonly Actor[];
  readonly changes: readonly TaskChange[];
}

/**
 * The differences between two states of a board, by author: changes by programs are reverted from
 * the newest on, by their records; the rest was made by a person.
 * @param after the current note
 * @param records of the board, oldest first
 */
function authoredChanges(
  before: Board,
  after: Note,
  records: readonly ChangeRecord[],
): readonly AuthoredChanges[] {
  const since = records.filter(({ rev }) => rev > before.rev && rev <= after.board.rev);
  const found: AuthoredChanges[] = [];
  let now = after;
  for (const { by, hunks } of since.toReversed()) {
    const was = revertedNote(now, hunks);
    if (was === undefined) break;
    found.unshift({ by: [by], changes: boardChanges(was.board, now.board) });
    now = was;
  }
  const mixed = since.slice(0, since.length - found.length).map(({ by }) => by);
  // The history is written after the note: until then the author of a write is unknown.
  const known = since.length >= after.board.rev - before.rev;
  const by = known ? [PERSON, ...mixed] : [];
  const authors = by.filter((one, at) => by.findIndex((other) => sameActor(other, one)) === at);
  const left = { by: authors, changes: boardChanges(before, now.board) };
  return [left, ...found].filter(({ changes }) => changes.length > 0);
}

/** Reverts hunks. Undefined if a person has changed their lines since. */
function revertedNote(now: Note, hunks: ChangeRecord['hunks']): Note | undefined {
  const reverted = hunks && revertHunks(now, hunks);
  if (reverted?.ok !== true) return undefined;
  const was = parseNote(now.board.path, reverted.text);
  return was.board.broken === null ? was : undefined;
}
