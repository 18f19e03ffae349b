import { isOpen, type PlanGraph } from './plan-graph';

/** When each node can be done at the earliest, and how much comes after it, in the graph's unit. */
export interface Schedule {
  /** earliest end; -1 where it has no place in the order */
  readonly end: Float64Array;
  /** the longest way from a node to the end of the plan, its own weight included */
  readonly tail: Float64Array;
  /** its wave: 1 for what waits for nothing open */
  readonly level: Int32Array;
}

/** @param order as `nodeOrder` gives it */
export function schedule(graph: PlanGraph, order: Int32Array): Schedule {
  const { nodes } = graph;
  const made = {
    end: new Float64Array(nodes).fill(-1),
    tail: new Float64Array(nodes),
    level: new Int32Array(nodes),
  };
  for (let at = 0; at < order.length; at++) forward(graph, made, order[at] as number);
  for (let at = order.length - 1; at >= 0; at--) backward(graph, made, order[at] as number);
  return made;
}

/** Sets a node's end and wave from those before it; true if one changed. */
export function forward(graph: PlanGraph, { end, level }: Schedule, v: number): boolean {
  const { edges, holds, weight, step } = graph;
  let ready = 0;
  let wave = 0;
  for (let e = edges.firstIn[v] as number; e >= 0; e = edges.nextIn[e] as number) {
    const u = edges.from[e] as number;
    if (holds[u] === 0) continue;
    if ((end[u] as number) > ready) ready = end[u] as number;
    if ((level[u] as number) > wave) wave = level[u] as number;
  }
  ready += weight[v] as number;
  wave += step[v] as number;
  if (ready === end[v] && wave === level[v]) return false;
  end[v] = ready;
  level[v] = wave;
  return true;
}

/** Sets what comes after a node from those after it; true if it changed. */
export function backward(graph: PlanGraph, { tail }: Schedule, v: number): boolean {
  const { edges, holds, weight } = graph;
  let after = 0;
  if (holds[v] === 1) {
    for (let e = edges.firstOut[v] as number; e >= 0; e = edges.nextOut[e] as number) {
      const next = tail[edges.to[e] as number] as number;
      if (next > after) after = next;
    }
  }
  after += weight[v] as number;
  if (after === tail[v]) return false;
  tail[v] = after;
  return true;
}

/** The length of the plan: of the longest way through what is open. */
export function planLength(graph: PlanGraph, { end }: Schedule): number {
  let length = 0;
  for (let i = 0; i < graph.tasks.length; i++) {
    if ((end[i] as number) > length && isOpen(graph, i)) length = end[i] as number;
  }
  return length;
}

/** How much longer a task may take before the whole plan does. */
export function slackOf(
  graph: PlanGraph,
  { end, tail }: Schedule,
  length: number,
  task: number,
): number {
  const through = (end[task] as number) + (tail[task] as number) - (graph.weight[task] as number);
  return length - through;
}
