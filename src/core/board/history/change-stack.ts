import { sameActor, type Actor } from './actor';
import type { ChangeRecord } from './change-record';

/** Changes as they follow from the records: which stand, and which were taken back. */
export interface ChangeStack {
  /** that can be taken back, oldest first: each by the record that did it last */
  readonly done: readonly ChangeRecord[];
  /** records that took one back and can be taken back themselves, oldest first */
  readonly undone: readonly ChangeRecord[];
}

/** @param by only the changes of one actor */
export function changeStack(records: readonly ChangeRecord[], by?: Actor): ChangeStack {
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
