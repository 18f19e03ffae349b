import type { ChangedField, TaskChange } from '../digest';
import type { Note } from '../note/note';
import type { Task } from '../task';
import { nameOf, quoted } from './find-task';
import type { Conflict, Fault } from './read-operation';

/** A field that an operation wants to set; values as in the digest. */
export interface Wanted {
  readonly field: ChangedField;
  /** undefined: any value of the person's collides */
  readonly value: string | null | undefined;
}

/**
 * The person's value stays where both changed the same field since the agent last looked; `wanted`
 * undefined is the removal of the whole task. Every field that collides is told; undefined where
 * none does.
 */
export function conflictWith(
  note: Note,
  task: Task,
  wanted: readonly Wanted[] | undefined,
  theirs: readonly TaskChange[],
): Fault | undefined {
  const own = theirs.filter((change) => isOf(change, task));
  const changes =
    wanted === undefined
      ? own.slice(0, 1)
      : own.filter(({ field, after }) =>
          wanted.some((one) => one.field === field && one.value !== after),
        );
  if (changes.length === 0) return undefined;
  const { rev } = note.board;
  const did = changes.map((change) => deed(change, task)).join(' and ');
  const yours = wanted === undefined ? 'It was not removed' : 'Yours was not applied';
  const conflicts = changes.map(({ id, field, after }): Conflict => ({
    ...{ id, field, theirs: after, rev },
    yours: wanted?.find((one) => one.field === field)?.value ?? null,
  }));
  return {
    ok: false,
    code: 'conflict',
    message: `The person ${did} since you last looked (rev ${rev}); that stays. ${yours}; send it again only if you still want it.`,
    conflicts,
  };
}

function deed({ field, after }: TaskChange, task: Task): string {
  if (field === 'added') return `added ${nameOf(task)}`;
  return `set ${field} of ${nameOf(task)} to ${after === null ? 'nothing' : quoted(after)}`;
}

function isOf(change: TaskChange, task: Task): boolean {
  return change.id === null
    ? task.id === null && change.title === task.title
    : change.id === task.id;
}
