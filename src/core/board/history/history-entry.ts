import type { Actor } from './actor';
import { changeStack, firstOf } from './change-stack';
import type { ChangeRecord } from './change-record';

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
