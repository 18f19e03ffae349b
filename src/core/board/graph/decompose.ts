import type { Task } from '../task';
import { estimateMinutes } from './estimate';
import type { PlanGraph } from './plan-graph';

/** A task that takes longer than a working day can't be followed. */
const LONG_MINUTES = 8 * 60;

/** Why an open task without open sub-tasks had better be split; empty where it need not be. */
export function reasonsToSplit(task: Task): readonly string[] {
  const reasons: string[] = [];
  if (task.scope === 'broad' || task.scope === 'system') reasons.push(`${task.scope} scope`);
  if (task.risk === 'high' || task.risk === 'critical') reasons.push(`${task.risk} risk`);
  if (task.impact === 'project') reasons.push('impact on the whole project');
  const minutes = estimateMinutes(task.estimate);
  if (minutes !== undefined && minutes > LONG_MINUTES) {
    reasons.push(`estimated at ${task.estimate ?? ''}`);
  }
  return reasons;
}

/** Tasks to split, those with most reasons first, else in the order of the note. */
export function toSplit(
  graph: PlanGraph,
): readonly { readonly task: number; readonly reasons: readonly string[] }[] {
  const found = graph.tasks.flatMap((task, i) => {
    // One that was split already has its sub-tasks, finished or not.
    const reasons = graph.step[i] === 1 && graph.children[i] === 0 ? reasonsToSplit(task) : [];
    return reasons.length === 0 ? [] : [{ task: i, reasons }];
  });
  return found.sort((a, b) => b.reasons.length - a.reasons.length || a.task - b.task);
}
