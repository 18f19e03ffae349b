import type { PlanGraph } from './plan-graph';
import type { Board, Task } from '../task';

/**
 * Tasks that wait for each other: for each knot of them one shortest way round, in the order of
 * waiting, the first task again at the end. A sub-task waits with its parent, a parent for its
 * sub-tasks.
 * @param order as `nodeOrder` gives it
 */
export function cycles(graph: PlanGraph, order: Int32Array): readonly (readonly number[])[] {
  if (order.length === graph.nodes) return [];
  const knot = knots(graph, order);
  const found: (readonly number[])[] = [];
  const told = new Set<number>();
  for (let i = 0; i < graph.tasks.length; i++) {
    const own = knot[i] as number;
    if (own < 0 || told.has(own)) continue;
    const path = wayRound(graph, knot, i);
    if (path === undefined) continue;
    told.add(own);
    found.push(asTasks(graph, path));
  }
  return found;
}

/** Which strongly connected part each node that has no place in the order belongs to; -1 for others. (Tarjan) */
function knots({ nodes, edges, holds }: PlanGraph, order: Int32Array): Int32Array {
  const knot = new Int32Array(nodes).fill(-1);
  const seen = new Int32Array(nodes).fill(-1);
  for (const v of order) seen[v] = nodes; // done with: it is in no cycle
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
          knot[part] = v;
        } while (part !== v);
      }
    }
  }
  return knot;
}

/** The shortest way from a node back to itself along what it waits for, within its knot. */
function wayRound(
  { edges, holds }: PlanGraph,
  knot: Int32Array,
  from: number,
): readonly number[] | undefined {
  const reached = new Map<number, number>();
  const queue = [from];
  for (const v of queue) {
    for (let e = edges.firstIn[v] as number; e >= 0; e = edges.nextIn[e] as number) {
      const u = edges.from[e] as number;
      if (holds[u] === 0 || knot[u] !== knot[from] || reached.has(u)) continue;
      reached.set(u, v);
      if (u === from) return trail(reached, from);
      queue.push(u);
    }
  }
  return undefined;
}

function trail(reached: ReadonlyMap<number, number>, from: number): readonly number[] {
  const path = [from];
  for (let at = reached.get(from); at !== undefined && at !== from; at = reached.get(at)) {
    path.unshift(at);
  }
  return [from, ...path];
}

/** Starts told as their tasks, without the same one twice in a row. */
function asTasks(graph: PlanGraph, path: readonly number[]): readonly number[] {
  const tasks = path.map((node) => graph.owner[node] as number);
  const told = tasks.filter((task, at) => at === 0 || task !== tasks[at - 1]);
  return told.length > 1 ? told : [...told, ...told];
}

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
    if (own.has(task.key)) return [...wayTo(from, id)];
    for (const next of graph.waitsFor(task)) if (!from.has(next)) from.set(next, id);
  }
  return undefined;
}

function wayTo(from: ReadonlyMap<string, string | null>, end: string): string[] {
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
