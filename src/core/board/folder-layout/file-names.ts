import type { Task } from '../task';

/** Names that Windows keeps for devices, and the index. */
const TAKEN = /^(?:con|prn|aux|nul|com\d|lpt\d|index)$/i;

/**
 * Names of the notes of tasks, without ending: the id, or `task-<place>` for a task without one, a
 * duplicate, and an id that differs from another by case only.
 */
export function fileNames(tasks: readonly Task[]): readonly string[] {
  const used = new Set<string>();
  const take = (name: string): boolean => {
    const lower = name.toLowerCase();
    if (TAKEN.test(name) || used.has(lower)) return false;
    used.add(lower);
    return true;
  };
  const names = tasks.map(({ id, key }) =>
    id !== null && id === key && id.length <= 100 && take(id) ? id : undefined,
  );
  return names.map((name, at) => {
    if (name !== undefined) return name;
    let free = `task-${at + 1}`;
    while (!take(free)) free = `${free}-x`;
    return free;
  });
}
