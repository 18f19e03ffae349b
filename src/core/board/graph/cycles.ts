import type { PlanGraph } from './plan-graph';
import type { Board, Task } from '../task';

/**
 * Finds tasks that wait for each other: for each strongly connected component one shortest cycle,
 * in the order of waiting, with the first task repeated at the end. A subtask waits with its
 * parent, a parent for its subtasks.
 * @param order as returned by `topologicalOrder`
 */
export function cycles(graph: PlanGraph, order: Int32Array): readonly (readonly number[])[] {
  if (order.length === graph.nodes) return [];
  const component = stronglyConnectedComponents(graph, order);
  const found: (readonly number[])[] = [];
  const reported = new Set<number>();
  for (let i = 0; i < graph.tasks.length; i++) {
    const own = component[i] as number;
    if (own < 0 || reported.has(own)) continue;
    const path = shortestCycle(graph, component, i);
    if (path === undefined) continue;
    reported.add(own);
    found.push(asTasks(graph, path));
  }
  return found;
}

/** The strongly connected component of each node outside of the order; -1 for others (Tarjan). */
function stronglyConnectedComponents(
  { nodes, edges, holds }: PlanGraph,
  order: Int32Array,
): Int32Array {
  const component = new Int32Array(nodes).fill(-1);
  const seen = new Int32Array(nodes).fill(-1);
  for (const v of order) seen[v] = nodes; // not in a cycle
  const low = new Int32Array(nodes);
  const edge = new Int32Array(nodes);
  const onPath = new Uint8Array(nodes);
  const path: number[] = [];
  const calls: number[] = [];
  let count = 0;
  const enter = (v: number): void => {
    seen[v] = low[v] = count++;
    edge[v] = holds[v] === 1 ? (edges.firstOut[v] as number) : -1;
    onPath[v] = 1;
    path.push(v);
    calls.push(v);
  };
  for (let root = 0; root < nodes; root++) {
    if (seen[root] !== -1) continue;
    enter(root);
    while (calls.length > 0) {
      const v = calls[calls.length - 1] as number;
      const e = edge[v] as number;
      if (e >= 0) {
        edge[v] = edges.nextOut[e] as number;
        const next = edges.to[e] as number;
        if (seen[next] === -1) enter(next);
        else if (onPath[next] === 1) low[v] = Math.min(low[v] as number, seen[next] as number);
        continue;
      }
      calls.pop();
      const caller = calls[calls.length - 1];
      if (caller !== undefined) low[caller] = Math.min(low[caller] as number, low[v] as number);
      if (low[v] === seen[v]) {
        let part: number;
        do {
          part = path.pop() as number;
          onPath[part] = 0;
          component[part] = v;
        } while (part !== v);
      }
    }
  }
  return component;
}

/** The shortest path from a node back to itself, against the edges, within its component. */
function shortestCycle(
  { edges, holds }: PlanGraph,
  component: Int32Array,
  from: number,
): readonly number[] | undefined {
  const reached = new Map<number, number>();
  const queue = [from];
  for (const v of queue) {
    for (let e = edges.firstIn[v] as number; e >= 0; e = edges.nextIn[e] as number) {
      const u = edges.from[e] as number;
      if (holds[u] === 0 || component[u] !== component[from] || reached.has(u)) continue;
      reached.set(u, v);
      if (u === from) return cyclePath(reached, from);
      queue.push(u);
    }
  }
  return undefined;
}

function cyclePath(reached: ReadonlyMap<number, number>, from: number): readonly number[] {
  const path = [from];
  for (let at = reached.get(from); at !== undefined && at !== from; at = reached.get(at)) {
    path.unshift(at);
  }
  return [from, ...path];
}

/** Replaces start nodes by their tasks and removes consecutive duplicates. */
function asTasks(graph: PlanGraph, path: readonly number[]): readonly number[] {
  const tasks = path.map((node) => graph.owner[node] as number);
  const told = tasks.filter((task, at) => at === 0 || task !== tasks[at - 1]);
  return told.length > 1 ? told : [...told, ...told];
}

/**
 * Returns how waiting for `ids` would make a task wait for itself: the ids along the way; the last
 * one is the task itself or one of its subtasks. Undefined if it would not. A subtask waits for
 * all that its ancestors wait for, and a task is done after its subtasks: so it can wait neither
 * for its descendants nor for its ancestors. Tasks without an id appear by their key.
 */
export function waitPath(
  board: Board,
  key: string,
  ids: readonly string[],
): readonly string[] | undefined {
  const graph = new WaitGraph(board);
  const own = graph.subtreeKeys(key);
  const from = new Map<string, string | null>(ids.map((id) => [id, null]));
  for (const id of from.keys()) {
    const task = graph.byId(id);
    if (task === undefined) continue;
    if (own.has(task.key)) return [...pathTo(from, id)];
    for (const next of graph.waitsFor(task)) if (!from.has(next)) from.set(next, id);
  }
  return undefined;
}

function pathTo(from: ReadonlyMap<string, string | null>, end: string): string[] {
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

  /** The first task with an id has it as its key. */
  byId(id: string): Task | undefined {
    return this.keys.get(id);
  }

  /** Keys of a task and all tasks under it. */
  subtreeKeys(key: string): ReadonlySet<string> {
    const found = new Set([key]);
    for (const task of this.board.tasks) {
      if (task.parent !== null && found.has(task.parent)) found.add(task.key);
    }
    return found;
  }

  /**
   * Ids or keys of what must be done before a task: its own prerequisites, those of its ancestors,
   * its subtasks.
   */
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
