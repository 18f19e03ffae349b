import { boardFacts } from '../facts';
import type { Note } from '../note/note';
import type { Board, Status, Task } from '../task';
import { familyOf } from './family';
import { nameOf } from './find-task';
import { namesOf } from './names-of';

/** What a new status did to others, in sentences: unblocked, still open, cancelled on the way. */
export function consequences(
  before: Note,
  after: Note,
  task: Task,
  status: Status | undefined,
): string {
  if (status === undefined) return '';
  const [was, is] = [boardFacts(before.board), boardFacts(after.board)];
  const said: string[] = [];
  const open = status === 'completed' ? openSubTasks(after.board, task) : [];
  if (open.length > 0) said.push(` Its open sub-tasks keep their status: ${names(open)}.`);
  const begun = status === 'in_progress' || status === 'completed';
  const waits = begun ? (is.get(task.key)?.blockedBy ?? []) : [];
  if (waits.length > 0) said.push(` It still waited for ${namesOf(after, waits)}.`);
  if (begun) said.push(cancelledBefore(after.board, task));
  const freed = after.board.tasks.filter(
    ({ key }) =>
      was.get(key)?.blocked === true && is.get(key)?.blocked === false && key !== task.key,
  );
  if (freed.length > 0) {
    const notice =
      status === 'cancelled'
        ? `, though ${nameOf(task)} was not done: see whether they can be`
        : '';
    said.push(` Unblocked: ${names(freed)}${notice}.`);
  }
  return said.join('');
}

/** A prerequisite that was cancelled holds nothing up, but what it was for may be missing. */
export function cancelledBefore({ tasks }: Board, { dependsOn }: Task): string {
  const cancelled = tasks.filter(
    ({ key, status }) => status === 'cancelled' && dependsOn.includes(key),
  );
  return cancelled.length === 0 ? '' : ` ${names(cancelled)}, which it waited for, was cancelled.`;
}

function openSubTasks(board: Board, task: Task): readonly Task[] {
  return familyOf(board, task).filter(
    (one) => one !== task && one.status !== 'completed' && one.status !== 'cancelled',
  );
}

function names(tasks: readonly Task[]): string {
  const shown = tasks.slice(0, 10).map(nameOf).join(', ');
  return tasks.length > 10 ? `${shown} and ${tasks.length - 10} more` : shown;
}
