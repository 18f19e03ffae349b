import { bumpRev } from '../note/edit-header';
import type { Note } from '../note/note';
import { reparse } from '../note/reparse';
import { applyOperation } from './apply-operation';
import { READS, type Terms } from '../tasks-schema';
import { fault, type Applied, type Done, type Effects, type OperationContext } from './outcome';
import type { Conflict, Fault, Operation } from './read-operation';

export interface Batch {
  /** undefined: there is no note, before and after */
  readonly note: Note | undefined;
  /** one per operation, in their order */
  readonly outcomes: readonly (Done | Fault)[];
  readonly effects: Effects;
  /** what was done, a line each, for the history */
  readonly said: readonly string[];
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
  const writes = operations.filter(({ type }) => !READS.has(type)).length;
  let now = note;
  let effects: Effects = {};
  const outcomes: (Done | Fault)[] = [];
  const said: string[] = [];
  for (const operation of operations) {
    const read = READS.has(operation.type);
    const refused = (read ? undefined : stale) ?? (writes > 1 ? mixed(operation) : undefined);
    const applied: Applied =
      refused === undefined
        ? applyOperation(now, operation, context)
        : { note: now, outcome: refused };
    now = applied.note;
    outcomes.push(applied.outcome);
    effects = joined(effects, applied.effects);
    if (applied.outcome.ok && !read) said.push(`${operation.type}: ${applied.outcome.said}`);
  }
  const first = outcomes.findIndex(({ ok }) => !ok);
  if (!terms.atomic || first < 0) return { note: raised(note, now), outcomes, effects, said };
  const why = `operation ${first + 1} on this board failed`;
  const none = outcomes.map((one) => (one.ok ? undone(why) : one));
  return { note, outcomes: none, effects: {}, said: [] };
}

/** What became of an operation of an atomic call in which another failed. */
export function undone(why: string): Fault {
  return fault('not_applied', `Not done: the call is atomic, and ${why}.`);
}

/** A change that takes one back and does something else too could not be taken back itself. */
function mixed({ type }: Operation): Fault | undefined {
  if (type !== 'undo') return undefined;
  return fault('goes_alone', 'undo goes alone: send it in a call that changes nothing else.');
}

function joined(a: Effects, b: Effects | undefined): Effects {
  if (b === undefined) return a;
  return {
    ...a,
    ...b,
    archived: [...(a.archived ?? []), ...(b.archived ?? [])],
    restored: [...(a.restored ?? []), ...(b.restored ?? [])],
  };
}

function staleRev(note: Note | undefined, rev: number | undefined): Fault | undefined {
  const now = note?.board.rev ?? 0;
  if (rev === undefined || rev === now) return undefined;
  const message = `The board is at rev ${now}, not ${rev}: it changed since you looked. Look at it below, and send what you still want with rev ${now}.`;
  const conflict: Conflict = {
    ...{ id: null, field: 'rev', rev: now },
    ...{ yours: String(rev), theirs: String(now) },
  };
  return { ...fault('conflict', message), conflicts: [conflict] };
}

function raised(before: Note | undefined, after: Note | undefined): Note | undefined {
  if (after === undefined || after.text === before?.text) return before;
  const result = bumpRev(after);
  return result.ok ? reparse(after, result) : after;
}
