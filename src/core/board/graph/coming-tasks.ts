import { withoutArchived } from '../archive/archived-numbers';
import type { Board, Task } from '../task';
import { topologicalOrder, planGraph } from './plan-graph';
import { criticalPath, schedule } from './schedule';

/** A task of the critical path that comes next. */
export interface ComingTask {
  readonly task: Task;
  /** minutes from now (a task without an estimate: one hour); null if no open task has one */
  readonly begins: number | null;
  readonly ends: number | null;
}

/** The open tasks of the critical path in their order, without tasks that have open subtasks. */
export function comingTasks(board: Pick<Board, 'tasks' | 'archived'>): readonly ComingTask[] {
  const graph = planGraph(withoutArchived(board));
  const plan = schedule(graph, topologicalOrder(graph));
  const known = graph.unit === 'minutes';
  return criticalPath(graph, plan).flatMap((node) => {
    const task = graph.tasks[node];
    if (task === undefined || graph.step[node] !== 1) return [];
    const ends = plan.end[node] ?? 0;
    const begins = ends - (graph.weight[node] ?? 0);
    return { task, begins: known ? begins : null, ends: known ? ends : null };
  });
}
