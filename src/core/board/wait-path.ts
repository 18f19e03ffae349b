import type { Board, Task } from './task';

/**
 * How waiting for `ids` would make a task wait for itself: the ids on the way, the first and the
 * last the task (or one of its sub-tasks) itself; undefined where it would not. A sub-task waits for
 * all that its ancestors wait for, and a task is done after its sub-tasks: so it can wait neither for
 * its own descendants nor for its ancestors. What has no id is on the way by its key.
 */
export function waitPath(
  board: Board,
  key: string,
  ids: readonly string[],
): readonly string[] | undefined {
  const graph = new WaitGraph(board);
  const own = graph.family(key);
  const from = new Map<string, string | null>(ids.map((id) => [id, null]));
  for (const id of from.keys()) {
    const task = graph.byId(id);
    if (task === undefined) continue;
    if (own.has(task.key)) return [...trail(from, id)];
    for (const next of graph.waitsFor(task)) if (!from.has(next)) from.set(next, id);
  }
  return undefined;
}

function trail(from: ReadonlyMap<string, string | null>, end: string): string[] {
  const path: string[] = [];
  for (let at: string | null = end; at !== null; at = from.get(at) ?? null) path.unshift(at);
  return path;
}

class WaitGraph {
  private readonly keys: ReadonlyMap<string, Task>;
  private readonly children = new Map<string, string[]>();

  constructor(private readonly board: Board) {
    this.keys = new Map(board.tasks.map((task) => [task.key, task]));
    for (const { key, parent } of board.tasks) {
      if (parent === null) continue;
      const family = this.children.get(parent);
      if (family === undefined) this.children.set(parent, [key]);
      else family.push(key);
    }
  }

  /** The key of the first task with an id is the id. */
  byId(id: string): Task | undefined {
    return this.keys.get(id);
  }

  /** A task and everything under it. */
  family(key: string): ReadonlySet<string> {
    const found = new Set([key]);
    for (const task of this.board.tasks) {
      if (task.parent !== null && found.has(task.parent)) found.add(task.key);
    }
    return found;
  }

  /** What has to be done before it: its own prerequisites, those of its ancestors, its sub-tasks. */
  waitsFor(task: Task): readonly string[] {
    const ids: string[] = [];
    for (
      let at: Task | undefined = task;
      at !== undefined;
      at = at.parent === null ? undefined : this.keys.get(at.parent)
    ) {
      ids.push(...at.dependsOn);
    }
    return [...ids, ...(this.children.get(task.key) ?? [])];
  }
}
