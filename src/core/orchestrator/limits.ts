import '../json';
import * as z from 'zod/mini';
import { lazy } from '../lazy';

const count = lazy(() => z.int().check(z.nonnegative()));
const most = lazy(() => z.int().check(z.minimum(1)));

/** The limits of a run. */
export const limitsSchema = lazy(() =>
  z.object({
    turns: most(),
    tokens: most(),
    minutes: most(),
    /** per task, and per plan */
    attempts: most().check(z.maximum(100)),
    /** tasks worked on at the same time */
    parallel: most().check(z.maximum(16)),
  }),
);
export type Limits = z.infer<ReturnType<typeof limitsSchema>>;

export const LIMITS: Limits = {
  turns: 40,
  tokens: 600_000,
  minutes: 120,
  attempts: 3,
  parallel: 1,
};

/** The usage of a run. */
export const usedSchema = lazy(() =>
  z.object({
    /** prompts sent */
    turns: count(),
    /** input, output and reasoning; tokens read from a cache are not counted */
    tokens: count(),
    /** ms spent planning or working; waiting for the person and pauses don't count */
    ms: count(),
    /** consecutive turns of work after which no task was done */
    idle: count(),
  }),
);
export type Used = z.infer<ReturnType<typeof usedSchema>>;

export const UNUSED: Used = { turns: 0, tokens: 0, ms: 0, idle: 0 };

/** The same as in auto-continue: three turns without progress are no accident. */
export const MAX_IDLE_TURNS = 3;

export const LIMIT_NAMES = ['turns', 'tokens', 'minutes', 'no_progress'] as const;
export type LimitName = (typeof LIMIT_NAMES)[number];

/** The limit that is reached, so that no prompt may be sent; undefined if none is. */
export function reachedLimit(limits: Limits, used: Used): LimitName | undefined {
  if (used.turns >= limits.turns) return 'turns';
  if (used.tokens >= limits.tokens) return 'tokens';
  if (used.ms >= limits.minutes * 60_000) return 'minutes';
  return used.idle >= MAX_IDLE_TURNS ? 'no_progress' : undefined;
}

/**
 * Whether running turns have to stop too, because the limit is on something that they keep using.
 */
export function endsTurns(limit: LimitName | undefined): boolean {
  return limit === 'tokens' || limit === 'minutes';
}

/** What the person can add to a run's limits. */
export const moreSchema = lazy(() =>
  z.partial(z.pick(limitsSchema(), { turns: true, tokens: true, minutes: true })),
);
export type More = z.infer<ReturnType<typeof moreSchema>>;

/** Adds to the limits, up to the largest safe integer: a larger number could not be read back. */
export function withMore(limits: Limits, more: More): Limits {
  const plus = (name: keyof More): number =>
    Math.min(Number.MAX_SAFE_INTEGER, limits[name] + (more[name] ?? 0));
  return { ...limits, turns: plus('turns'), tokens: plus('tokens'), minutes: plus('minutes') };
}

/**
 * Pause before an attempt, ms: 1 s before the second, 2 s before the third, then 4 s; at most a
 * minute.
 */
export function retryAfter(attempt: number): number {
  return Math.min(60_000, 1_000 * 2 ** Math.min(10, Math.max(0, attempt - 2)));
}
