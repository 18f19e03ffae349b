import type { Board, Task } from '../task';

/** A task and all under it, in the order of the note. */
export function familyOf({ tasks }: Pick<Board, 'tasks'>, task: Task): readonly Task[] {
  const keys = new Set([task.key]);
  return tasks.filter(({ key, parent }) => {
    if (parent !== null && keys.has(parent)) keys.add(key);
    return keys.has(key);
  });
}
