import { bumpRev } from '../note/edit-header';
import type { Note } from '../note/note';
import { parseNote } from '../note/parse-note';
import { applyOperation } from './apply-operation';
import { READS, type Terms } from '../tasks-schema';
import { fault, type Done, type OperationContext } from './outcome';
import type { Fault, Operation } from './read-operation';

export interface Batch {
  /** undefined: there is no note, before and after */
  readonly note: Note | undefined;
  /** one per operation, in their order */
  readonly outcomes: readonly (Done | Fault)[];
}

/**
 * Operations on one board, in order, each seeing the ones before it; one that fails leaves no trace
 * and stops nothing. `rev` rises by one if anything changed. Pure.
 */
export function applyBatch(
  note: Note | undefined,
  operations: readonly Operation[],
  context: OperationContext,
  terms: Terms = { atomic: false, rev: undefined },
): Batch {
  const stale = staleRev(note, terms.rev);
  let now = note;
  const outcomes: (Done | Fault)[] = [];
  for (const operation of operations) {
    const applied =
      stale === undefined || READS.has(operation.type)
        ? applyOperation(now, operation, context)
        : { note: now, outcome: stale };
    now = applied.note;
    outcomes.push(applied.outcome);
  }
  const first = outcomes.findIndex(({ ok }) => !ok);
  if (!terms.atomic || first < 0) return { note: raised(note, now), outcomes };
  const why = `operation ${first + 1} on this board failed`;
  return { note, outcomes: outcomes.map((one) => (one.ok ? undone(why) : one)) };
}

/** What became of an operation of an atomic call in which another failed. */
export function undone(why: string): Fault {
  return fault('not_applied', `Not done: the call is atomic, and ${why}.`);
}

function staleRev(note: Note | undefined, rev: number | undefined): Fault | undefined {
  const now = note?.board.rev ?? 0;
  if (rev === undefined || rev === now) return undefined;
  const message = `The board is at rev ${now}, not ${rev}: it changed since you looked. Look at it below, and send what you still want with rev ${now}.`;
  return fault('conflict', message);
}

function raised(before: Note | undefined, after: Note | undefined): Note | undefined {
  if (after === undefined || after.text === before?.text) return before;
  const result = bumpRev(after);
  return result.ok ? parseNote(after.board.path, result.text) : after;
}
