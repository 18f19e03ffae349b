import type { Note } from '../note/note';
import type { Task } from '../task';
import { waitPath } from '../wait-path';
import { nameOf } from './find-task';
import { namesOf } from './names-of';
import { fault } from './outcome';
import type { Fault } from './read-operation';

/** Why a task may not wait for others: it would wait for itself. The way is named. */
export function refuseCycle(
  note: Note,
  task: Task,
  dependsOn: readonly string[] | undefined,
): Fault | undefined {
  const path = dependsOn && waitPath(note.board, task.key, dependsOn);
  if (path === undefined) return undefined;
  const own = nameOf(task);
  const why = reason(note, task, path);
  return fault(
    'cycle',
    `This would make ${own} wait for itself: ${own}, ${namesOf(note, path)}${why}.`,
  );
}

/** A way that goes over a sub-task is none that `dependsOn` shows. */
function reason(note: Note, task: Task, path: readonly string[]): string {
  const { tasks } = note.board;
  const end = path.at(-1) ?? '';
  const own = nameOf(task);
  if (end !== task.key) {
    return ` (${namesOf(note, [end])} is a sub-task of ${own}, and waits with it)`;
  }
  const parents = new Map(tasks.map(({ key, parent }) => [key, parent]));
  const at = path.findIndex((key, i) => i > 0 && parents.get(key) === path[i - 1]);
  if (at < 0) return '';
  const [above = '', below = ''] = [path[at - 1], path[at]];
  return ` (${namesOf(note, [above])} is done after its sub-task ${namesOf(note, [below])})`;
}
