import '../json';
import * as z from 'zod/mini';
import { lazy } from '../lazy';

const count = lazy(() => z.int().check(z.nonnegative()));
const positive = lazy(() => z.int().check(z.minimum(1)));

/** The limits of a run. */
export const limitsSchema = lazy(() =>
  z.object({
    turns: positive(),
    tokens: positive(),
    minutes: positive(),
    /** per task, and per plan */
    attempts: positive().check(z.maximum(100)),
    /** tasks worked on at the same time */
    parallel: positive().check(z.maximum(16)),
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
export const usageSchema = lazy(() =>
  z.object({
    /** prompts sent */
    turns: count(),
    /**
     * input, also what was written to a cache, output and reasoning; tokens read from a cache are
     * not counted
     */
    tokens: count(),
    /** ms spent planning or working; waiting for the person and pauses don't count */
    ms: count(),
    /** consecutive turns of work after which no task was done */
    idle: count(),
  }),
);
export type RunUsage = z.infer<ReturnType<typeof usageSchema>>;

export const NO_USAGE: RunUsage = { turns: 0, tokens: 0, ms: 0, idle: 0 };

/** The same as in auto-continue: three turns without progress are no accident. */
export const MAX_IDLE_TURNS = 3;

export const LIMIT_NAMES = ['turns', 'tokens', 'minutes', 'no_progress'] as const;
export type LimitName = (typeof LIMIT_NAMES)[number];

/** The limit that is reached, so that no prompt may be sent; undefined if none is. */
export function reachedLimit(limits: Limits, used: RunUsage): LimitName | undefined {
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
export const limitIncreaseSchema = lazy(() =>
  z.partial(z.pick(limitsSchema(), { turns: true, tokens: true, minutes: true })),
);
export type LimitIncrease = z.infer<ReturnType<typeof limitIncreaseSchema>>;

/** Adds to the limits, up to the largest safe integer: a larger number could not be read back. */
export function increaseLimits(limits: Limits, more: LimitIncrease): Limits {
  const plus = (name: keyof LimitIncrease): number =>
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
