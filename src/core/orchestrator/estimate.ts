import type { PlanLook } from './plan-look';
import type { Run } from './state';

/** About how long a run will take from now on, and what says so. */
export type Left =
  | { readonly by: 'estimates' | 'steps'; readonly minutes: number }
  /** no estimate on the board, no step over yet */
  | { readonly by: 'nothing' };

/**
 * From the estimates of the open tasks, else from the median of the steps so far. Tasks at the same
 * time share the work, but no run is shorter than the longest way through its plan.
 */
export function timeLeft(look: PlanLook, { done, wish }: Pick<Run, 'done' | 'wish'>): Left {
  if (look.kind !== 'plan') return { by: 'nothing' };
  const open = look.tasks.filter(({ work }) => work > 0);
  const all = open.reduce((sum, { work }) => sum + work, 0);
  const longest = open.reduce((most, { way }) => Math.max(most, way), 0);
  const units = Math.max(longest, all / wish.limits.parallel);
  if (look.unit === 'minutes') return { by: 'estimates', minutes: Math.round(units) };
  const each = median(done.map(({ ms }) => ms));
  if (each === undefined) return { by: 'nothing' };
  return { by: 'steps', minutes: Math.round((units * each) / 60_000) };
}

/** The middle of the numbers, or between the two in the middle. */
function median(numbers: readonly number[]): number | undefined {
  const sorted = [...numbers].sort((a, b) => a - b);
  const half = Math.floor(sorted.length / 2);
  const [low, high] = [sorted[half - 1], sorted[half]];
  if (high === undefined) return undefined;
  return sorted.length % 2 === 0 && low !== undefined ? (low + high) / 2 : high;
}
