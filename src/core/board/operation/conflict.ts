import type { ChangedField, TaskChange } from '../digest';
import type { Note } from '../note/note';
import type { Task } from '../task';
import { nameOf, quoted } from './find-task';
import { fault } from './outcome';
import type { Fault } from './read-operation';

/** A field that an operation wants to set; values as in the digest. */
export interface Wanted {
  readonly field: ChangedField;
  /** undefined: any value of the person's collides */
  readonly value: string | null | undefined;
}

/**
 * The person's value stays where both changed the same field since the agent last looked; `wanted`
 * undefined is the removal of the whole task. Undefined where nothing collides.
 */
export function conflictWith(
  note: Note,
  task: Task,
  wanted: Wanted | undefined,
  theirs: readonly TaskChange[],
): Fault | undefined {
  const own = theirs.filter((change) => isOf(change, task));
  const change = wanted === undefined ? own[0] : own.find(({ field }) => field === wanted.field);
  if (change === undefined || (wanted !== undefined && change.after === wanted.value)) {
    return undefined;
  }
  const did =
    change.field === 'added'
      ? `added ${nameOf(task)}`
      : `set ${change.field} of ${nameOf(task)} to ${change.after === null ? 'nothing' : quoted(change.after)}`;
  const yours = wanted === undefined ? 'It was not removed' : 'Yours was not applied';
  return fault(
    'conflict',
    `The person ${did} since you last looked (rev ${note.board.rev}); that stays. ${yours}; send it again only if you still want it.`,
  );
}

function isOf(change: TaskChange, task: Task): boolean {
  return change.id === null
    ? task.id === null && change.title === task.title
    : change.id === task.id;
}
