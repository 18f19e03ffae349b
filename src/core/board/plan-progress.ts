import { progress } from './facts';
import { planGraph } from './graph/plan-graph';
import type { Board, Task } from './task';

/** How far a plan has come. */
export interface PlanProgress {
  /** all tasks of the board, sub-tasks too */
  readonly total: number;
  readonly completed: number;
  readonly failed: number;
  /** cancelled or deferred */
  readonly skipped: number;
  readonly pending: number;
  /** the tasks in progress, in the order of the note */
  readonly current: readonly Task[];
  /** completed of all but the cancelled ones, 0 to 1; 1 where nothing is left to count but something was */
  readonly ratio: number;
  readonly remaining: Remaining;
}

/** Work that is left, one task after another. */
export interface Remaining {
  /** tasks without open sub-tasks that are pending or in progress */
  readonly tasks: number;
  /**
   * Their minutes, by the weights of the plan's graph: the estimate, an hour where a task has none,
   * nothing for a parent whose sub-tasks were the work. Null where no open task has an estimate.
   */
  readonly minutes: number | null;
}

/** Counts, ratio and the work that is left of a board; failed and deferred tasks are no work that is left. */
export function planProgress(board: Pick<Board, 'tasks'>): PlanProgress {
  const count = (...statuses: readonly Task['status'][]): number =>
    board.tasks.filter(({ status }) => statuses.includes(status)).length;
  const { done, total } = progress(board);
  return {
    total: board.tasks.length,
    completed: done,
    failed: count('failed'),
    skipped: count('cancelled', 'deferred'),
    pending: count('pending'),
    current: board.tasks.filter(({ status }) => status === 'in_progress'),
    ratio: total > 0 ? done / total : board.tasks.length > 0 ? 1 : 0,
    remaining: remainingOf(board.tasks),
  };
}

function remainingOf(tasks: readonly Task[]): Remaining {
  const { weight, step, unit } = planGraph(tasks);
  let [count, minutes] = [0, 0];
  tasks.forEach(({ status }, at) => {
    if (status !== 'pending' && status !== 'in_progress') return;
    count += step[at] ?? 0;
    minutes += weight[at] ?? 0;
  });
  return { tasks: count, minutes: unit === 'minutes' ? minutes : null };
}
