import type { Board, Task } from '../task';

/**
 * The tasks of a board in two states: by id; a line that had none by its title, if it got one since or
 * still has none. The second of a duplicated id, and lines that only one state has, are nobody's partner.
 */
export function pairTasks(before: Board, now: Board): ReadonlyMap<Task, Task> {
  const named = new Map(
    now.tasks.flatMap((task) => (task.key === task.id ? [[task.id, task]] : [])),
  );
  const pairs = new Map<Task, Task>();
  const known = new Set(before.tasks.map(({ id }) => id));
  const free = new Map<string, Task[]>();
  for (const task of now.tasks) {
    if (task.id !== null && known.has(task.id)) continue;
    free.set(task.title, [...(free.get(task.title) ?? []), task]);
  }
  for (const task of before.tasks) {
    const partner = task.id === null ? free.get(task.title)?.shift() : named.get(task.id);
    if (partner !== undefined && (task.id === null || task.key === task.id)) {
      pairs.set(task, partner);
    }
  }
  return pairs;
}
