import type { Board } from '../task';
import { nameOf } from './find-task';

/** `#1, #2` of tasks by key or id, at most ten of them. */
export function namesOf({ board }: { readonly board: Board }, keys: readonly string[]): string {
  const tasks = new Map(board.tasks.map((task) => [task.key, task]));
  const names = keys.slice(0, 10).map((key) => {
    const task = tasks.get(key);
    return task === undefined ? key : nameOf(task);
  });
  return keys.length > 10 ? `${names.join(', ')} and ${keys.length - 10} more` : names.join(', ');
}
