import { isOpen, type PlanGraph } from './plan-graph';
import { planLength, type Schedule } from './schedule';

/**
 * The longest chain of open tasks in which each waits for the one before: nodes, first to last. Of
 * several as long, the one with more steps, then the one whose tasks stand first in the note.
 */
export function criticalPath(graph: PlanGraph, plan: Schedule): readonly number[] {
  const { end } = plan;
  const length = planLength(graph, plan);
  let last = -1;
  for (let i = 0; i < graph.tasks.length; i++) {
    if (isOpen(graph, i) && end[i] === length && isLater(plan, i, last)) last = i;
  }
  const path: number[] = [];
  for (let v = last; v >= 0; v = before(graph, plan, v)) {
    if (v < graph.tasks.length) path.push(v);
  }
  return path.reverse();
}

/** The node that a node on the way had to wait for longest, -1 for none. */
function before({ edges, holds, weight }: PlanGraph, plan: Schedule, v: number): number {
  const begin = (plan.end[v] as number) - (weight[v] as number);
  let best = -1;
  for (let e = edges.firstIn[v] as number; e >= 0; e = edges.nextIn[e] as number) {
    const u = edges.from[e] as number;
    if (holds[u] === 1 && plan.end[u] === begin && isLater(plan, u, best)) best = u;
  }
  return best;
}

function isLater({ level }: Schedule, node: number, best: number): boolean {
  if (best < 0) return true;
  const difference = (level[node] as number) - (level[best] as number);
  return difference > 0 || (difference === 0 && node < best);
}
