import type { Board, Task } from './task';

/** The first task in progress that has none in progress below it, board by board. */
export function taskInProgress(boards: readonly Board[]): Task | undefined {
  for (const { tasks } of boards) {
    const running = tasks.filter((task) => task.status === 'in_progress');
    const parents = new Set(running.map((task) => task.parent));
    const leaf = running.find((task) => !parents.has(task.key));
    if (leaf !== undefined) return leaf;
  }
  return undefined;
}
