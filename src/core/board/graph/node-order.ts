import type { PlanGraph } from './plan-graph';

/**
 * The nodes so that each comes after all that it waits for (Kahn). Those that wait for each other,
 * and those behind them, are left out: the order is then shorter than `nodes`.
 */
export function nodeOrder({ nodes, edges, holds }: PlanGraph): Int32Array {
  const { firstOut, nextOut, to } = edges;
  const waits = new Int32Array(nodes);
  for (let v = 0; v < nodes; v++) {
    if (holds[v] === 0) continue;
    for (let e = firstOut[v] as number; e >= 0; e = nextOut[e] as number) {
      waits[to[e] as number] = (waits[to[e] as number] as number) + 1;
    }
  }
  const order = new Int32Array(nodes);
  let placed = 0;
  for (let v = 0; v < nodes; v++) if (waits[v] === 0) order[placed++] = v;
  for (let at = 0; at < placed; at++) {
    const v = order[at] as number;
    if (holds[v] === 0) continue;
    for (let e = firstOut[v] as number; e >= 0; e = nextOut[e] as number) {
      const next = to[e] as number;
      const left = (waits[next] as number) - 1;
      waits[next] = left;
      if (left === 0) order[placed++] = next;
    }
  }
  return order.subarray(0, placed);
}
