import type { PlanGraph } from './plan-graph';

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
