import type { Task } from '../task';
import { criticalPath } from './critical-path';
import { nodeOrder } from './node-order';
import { planGraph } from './plan-graph';
import { schedule } from './schedule';

/**
 * Keys of the tasks that a view marks as the critical path. A parent stands for its sub-tasks on it;
 * a path of one task is none.
 */
export function criticalTasks(tasks: readonly Task[]): ReadonlySet<string> {
  const graph = planGraph(tasks);
  const path = criticalPath(graph, schedule(graph, nodeOrder(graph)));
  const on = new Set(path);
  const shown = path.filter((task) => !on.has(graph.parent[task] ?? -1));
  if (shown.length < 2) return new Set();
  return new Set(shown.map((task) => graph.tasks[task]?.key ?? ''));
}
