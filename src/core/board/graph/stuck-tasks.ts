import { withoutArchived } from '../archive/archived-numbers';
import type { Board } from '../task';
import { cycles } from './cycles';
import { isOpen, topologicalOrder, planGraph, type PlanGraph } from './plan-graph';

/** Why a task can't be finished, whatever else gets done. Tasks are named by key. */
export type StuckCause =
  /** a prerequisite, parent or subtask failed */
  | { readonly kind: 'failed'; readonly task: string }
  /** `task`, the task itself or a prerequisite, waits for an unknown id */
  | { readonly kind: 'missing'; readonly task: string; readonly id: string }
  /** tasks that wait for each other, in the order of waiting, the first repeated at the end */
  | { readonly kind: 'cycle'; readonly way: readonly string[] };

/**
 * The open tasks that could not be finished even if everything possible were done, by key, each
 * with all causes (STUCK1). A deferred task is no cause, since it is expected to be continued.
 */
export function stuckTasks(
  board: Pick<Board, 'tasks' | 'archived'>,
): ReadonlyMap<string, readonly StuckCause[]> {
  const graph = planGraph(withoutArchived(board));
  const found = new Map<string, StuckCause[]>();
  for (const { cause, from } of causesIn(graph)) {
    for (const i of openTasksReachable(graph, from)) {
      const { key } = graph.tasks[i] ?? { key: '' };
      if (cause.kind === 'failed' && cause.task === key) continue;
      const known = found.get(key);
      if (known === undefined) found.set(key, [cause]);
      else known.push(cause);
    }
  }
  return found;
}

interface Source {
  readonly cause: StuckCause;
  /** nodes of the graph that can't be done */
  readonly from: readonly number[];
}

function causesIn(graph: PlanGraph): readonly Source[] {
  const { tasks, status, start, unknown } = graph;
  const keyOf = (task: number): string => tasks[task]?.key ?? '';
  const beginOf = (task: number): number => start[task] ?? task;
  const missing = unknown.map(({ task, id }): Source => {
    return { cause: { kind: 'missing', task: keyOf(task), id }, from: [beginOf(task)] };
  });
  const failed = tasks.flatMap(({ key }, i): readonly Source[] => {
    // Its subtasks wait with it.
    const from = [i, beginOf(i)];
    return status[i] === 'failed' ? [{ cause: { kind: 'failed', task: key }, from }] : [];
  });
  const order = topologicalOrder(graph);
  const placed = new Set(order);
  const round = cycles(graph, order).map((way): Source => {
    const from = way.flatMap((task) => [task, beginOf(task)]).filter((node) => !placed.has(node));
    return { cause: { kind: 'cycle', way: way.map(keyOf) }, from };
  });
  return [...round, ...missing, ...failed];
}

/** The open tasks among some nodes and everything that waits for them. */
function openTasksReachable(graph: PlanGraph, from: readonly number[]): readonly number[] {
  const { edges, holds, tasks } = graph;
  const seen = new Set(from);
  // The loop also visits nodes that are added during it.
  for (const v of seen) {
    if (holds[v] === 0) continue;
    for (let e = edges.firstOut[v] ?? -1; e >= 0; e = edges.nextOut[e] ?? -1) {
      seen.add(edges.to[e] ?? v);
    }
  }
  return [...seen].filter((v) => v < tasks.length && isOpen(graph, v)).sort((a, b) => a - b);
}
