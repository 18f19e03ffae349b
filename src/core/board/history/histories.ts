import type { Clock, Ids } from '../../ports';
import { catchStoreError } from '../../fault';
import type { BlockText } from '../archive/archive-tasks';
import type { Note } from '../note/note';
import type { StateFiles } from '../state-file';
import type { BoardChange } from '../board-change';
import { PERSON, sameActor, type Actor } from './actor';
import {
  lineOf,
  MOST_HISTORY,
  readRecords,
  withLine,
  type ChangeRecord,
  type Delta,
} from './change-record';
import { boardChanges, type TaskChange } from '../digest';
import { parseNote } from '../note/parse-note';
import type { Board } from '../task';
import { revertHunks } from './undo-record';

/** A change that was written, to be kept. */
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
  /** what differs between the note before and `after` */
  readonly delta: Promise<Delta>;
}

/**
 * What was done to each board, beside the notes. It is written right after the note, in the same
 * turn: a crash in between loses the undo of one change, never a task.
 */
export class Histories {
  constructor(
    private readonly state: StateFiles,
    private readonly root: string,
    private readonly clock: Clock,
    private readonly ids: Ids,
  ) {}

  /** Oldest first; lines that are damaged are passed over. @throws StoreError where it can't be read */
  async records(path: string): Promise<readonly ChangeRecord[]> {
    return readRecords(await this.state.history(this.placeOf(path)));
  }

  /** The same for those who do without: none where it can't be read. */
  recordsIfReadable(path: string): Promise<readonly ChangeRecord[]> {
    return catchStoreError(
      () => this.records(path),
      () => [],
    );
  }

  /** What differs between the two states of a change, by author. @param after as it stands */
  async authored(
    { path, before, board }: BoardChange,
    after: Note | undefined,
  ): Promise<readonly AuthoredChanges[]> {
    if (board === undefined || board.broken !== null || after === undefined) return [];
    const from = before ?? { ...board, tasks: [], rev: 0 };
    if (from.broken !== null) return [];
    return authoredChanges(from, after, await this.recordsIfReadable(path));
  }

  /** A name for a change that tells its board. */
  draw(path: string): string {
    return `${this.placeOf(path)}#${this.ids.unique()}`;
  }

  /** The board that a change was made on, undefined where the name is none. */
  boardOf(change: string): string | undefined {
    const end = change.lastIndexOf('#');
    return end <= 0 ? undefined : `${this.root}/${change.slice(0, end)}`;
  }

  /** @throws StoreError where it could not be kept */
  async keep(change: string, written: WrittenChange): Promise<void> {
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
    const line = lineOf(record);
    await this.state.keepHistory(this.placeOf(path), line, MOST_HISTORY, (text) =>
      withLine(text, line),
    );
  }

  private placeOf(path: string): string {
    return path.slice(this.root.length + 1);
  }
}

/**
 * Changes as they follow from the records, oldest first: in `done` those that can be taken back, each by
 * the record that did it last; in `undone` the records that took one back and can be taken back themselves.
 * @param by only the changes of one actor
 */
export function changeStack(records: readonly ChangeRecord[], by?: Actor) {
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
      // What was taken back before something new is not done again over it.
      undone = undone.filter((one) => !sameActor(one.by, record.by));
      done.push(record);
    }
  }
  return { done, undone };
}

/** The change that a record did, took back or did again. */
export function firstOf(record: ChangeRecord, records: readonly ChangeRecord[]): string {
  const before = record.undoes ?? record.redoes;
  const found = records.find(({ change }) => change === before);
  return found === undefined ? (before ?? record.change) : firstOf(found, records);
}

/** One change of a board, for a list of them. */
export interface HistoryEntry {
  /** for `undo` */
  readonly change: string;
  /** ms since the epoch */
  readonly at: number;
  readonly by: Actor;
  /** what was done, a line each */
  readonly said: readonly string[];
  /** of the board afterwards */
  readonly rev: number;
  /** it was taken back, and not done again */
  readonly undone: boolean;
}

/** @returns newest first */
export function historyEntries(
  records: readonly ChangeRecord[],
  limit: number,
): readonly HistoryEntry[] {
  const standing = new Set(changeStack(records).done.map((record) => firstOf(record, records)));
  return records
    .slice(-limit)
    .map((record) => {
      const { change, at, by, said, rev, undoes, redoes } = record;
      const again = undoes !== undefined || redoes !== undefined;
      return { change, at, by, said, rev, undone: !again && !standing.has(change) };
    })
    .reverse();
}

/** What one author changed; several where they can't be told apart, none where nobody knows. */
export interface AuthoredChanges {
  readonly by: readonly Actor[];
  readonly changes: readonly TaskChange[];
}

/**
 * What differs between two states of a board, by author: what programs wrote, as the history has it,
 * is taken back from the newest on; what is left is a person's.
 * @param after as it stands
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
    const was = takenBack(now, hunks);
    if (was === undefined) break;
    found.unshift({ by: [by], changes: boardChanges(was.board, now.board) });
    now = was;
  }
  const mixed = since.slice(0, since.length - found.length).map(({ by }) => by);
  // The history is written after the note: until then nobody knows whose a write is.
  const known = since.length >= after.board.rev - before.rev;
  const by = known ? [PERSON, ...mixed] : [];
  const authors = by.filter((one, at) => by.findIndex((other) => sameActor(other, one)) === at);
  const left = { by: authors, changes: boardChanges(before, now.board) };
  return [left, ...found].filter(({ changes }) => changes.length > 0);
}

/** Undefined where a person wrote over it since. */
function takenBack(now: Note, hunks: ChangeRecord['hunks']): Note | undefined {
  const reverted = hunks && revertHunks(now, hunks);
  if (reverted?.ok !== true) return undefined;
  const was = parseNote(now.board.path, reverted.text);
  return was.board.broken === null ? was : undefined;
}
