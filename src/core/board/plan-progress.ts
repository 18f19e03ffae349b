import { isInProgress, progress } from './facts';
import { planGraph } from './graph/plan-graph';
import { formatDuration } from '../duration';
import type { Board, Task } from './task';
import { formatCountFigure } from './task-display';

/** Progress of a plan. */
export interface PlanProgress {
  /** all tasks of the board, including subtasks */
  readonly total: number;
  /** all tasks except cancelled ones */
  readonly counted: number;
  readonly completed: number;
  readonly failed: number;
  /** cancelled or deferred */
  readonly skipped: number;
  readonly pending: number;
  /** the tasks in progress that don't wait for a review, in the order of the note */
  readonly current: readonly Task[];
  /** `completed` / `counted`, 0 to 1; 1 if all tasks are cancelled, 0 if there are none */
  readonly ratio: number;
  readonly remaining: Remaining;
}

/** Remaining work, as if done one task after another. */
interface Remaining {
  /** number of counted tasks that are neither completed nor failed nor deferred */
  readonly tasks: number;
  /**
   * minutes of pending tasks and tasks in progress, by the weights of the plan's graph: the
   * estimate, one hour without one, nothing for a parent whose subtasks were the work. Null if no
   * open task has an estimate.
   */
  readonly minutes: number | null;
}

const progressCache = new WeakMap<Board, PlanProgress>();

/**
 * Counts, ratio and remaining work of a board, computed once. Failed and deferred tasks are not
 * remaining work.
 */
export function planProgress(board: Board): PlanProgress {
  const before = progressCache.get(board);
  if (before !== undefined) return before;
  const { tasks } = board;
  const count = (...statuses: readonly Task['status'][]): number =>
    tasks.filter(({ status }) => statuses.includes(status)).length;
  const { done, total } = progress(board);
  const now: PlanProgress = {
    total: tasks.length,
    counted: total,
    completed: done,
    failed: count('failed'),
    skipped: count('cancelled', 'deferred'),
    pending: count('pending'),
    current: tasks.filter(isInProgress),
    ratio: ratioOf(done, total, tasks.length),
    remaining: {
      tasks: total - done - count('failed', 'deferred'),
      minutes: minutesLeft(tasks),
    },
  };
  progressCache.set(board, now);
  return now;
}

/** Progress of several plans together. */
export function sumProgress(all: readonly PlanProgress[]): PlanProgress {
  const sum = (of: (one: PlanProgress) => number): number =>
    all.reduce((whole, one) => whole + of(one), 0);
  const total = sum((one) => one.total);
  const counted = sum((one) => one.counted);
  const completed = sum((one) => one.completed);
  const left = all.filter(({ remaining }) => remaining.tasks > 0);
  const estimated = left.length > 0 && left.every(({ remaining }) => remaining.minutes !== null);
  const minutes = estimated ? sum(({ remaining }) => remaining.minutes ?? 0) : null;
  return {
    ...{ total, counted, completed, ratio: ratioOf(completed, counted, total) },
    failed: sum((one) => one.failed),
    skipped: sum((one) => one.skipped),
    pending: sum((one) => one.pending),
    current: all.flatMap((one) => one.current),
    remaining: { tasks: sum(({ remaining }) => remaining.tasks), minutes },
  };
}

/** Text beside the completed count: `1 failed, 2 skipped, 9 left, 3 h of work`; may be empty. */
export function progressText({ failed, skipped, remaining }: PlanProgress): string {
  const { tasks, minutes } = remaining;
  const some = (number: number, word: string): readonly string[] =>
    number === 0 ? [] : [`${formatCountFigure(number)} ${word}`];
  return [
    ...some(failed, 'failed'),
    ...some(skipped, 'skipped'),
    ...some(tasks, 'left'),
    ...(minutes === null || minutes === 0 ? [] : [`${formatDuration(minutes)} of work`]),
  ].join(', ');
}

function ratioOf(done: number, counted: number, total: number): number {
  if (counted > 0) return done / counted;
  return total > 0 ? 1 : 0;
}

function minutesLeft(tasks: readonly Task[]): number | null {
  const { weight, unit } = planGraph(tasks);
  if (unit !== 'minutes') return null;
  return tasks.reduce(
    (sum, { status }, at) =>
      status === 'pending' || status === 'in_progress' ? sum + (weight[at] ?? 0) : sum,
    0,
  );
}
