import { bumpRev } from '../note/edit-header';
import type { Note } from '../note/note';
import { parseNote } from '../note/parse-note';
import { applyOperation } from './apply-operation';
import type { Done, OperationContext } from './outcome';
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
): Batch {
  let now = note;
  const outcomes: (Done | Fault)[] = [];
  for (const operation of operations) {
    const applied = applyOperation(now, operation, context);
    now = applied.note;
    outcomes.push(applied.outcome);
  }
  return { note: raised(note, now), outcomes };
}

function raised(before: Note | undefined, after: Note | undefined): Note | undefined {
  if (after === undefined || after.text === before?.text) return before;
  const result = bumpRev(after);
  return result.ok ? parseNote(after.board.path, result.text) : after;
}
