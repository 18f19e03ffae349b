import '../json';
import * as z from 'zod/mini';
import { lazy } from '../lazy';

const count = lazy(() => z.int().check(z.nonnegative()));
const most = lazy(() => z.int().check(z.minimum(1)));

/** What a run may use. */
export const limitsSchema = lazy(() =>
  z.object({
    turns: most(),
    tokens: most(),
    minutes: most(),
    /** per task, and per plan */
    attempts: most().check(z.maximum(100)),
    /** tasks at the same time */
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

/** What a run has used. */
export const usedSchema = lazy(() =>
  z.object({
    /** prompts sent */
    turns: count(),
    /** in, out and reasoning; what was read from a cache is not counted */
    tokens: count(),
    /** ms in which it planned or worked; waiting for the person and pausing don't count */
    ms: count(),
    /** turns of work in a row after which no task was done */
    idle: count(),
  }),
);
export type Used = z.infer<ReturnType<typeof usedSchema>>;

export const UNUSED: Used = { turns: 0, tokens: 0, ms: 0, idle: 0 };

/** As when the plan goes on by itself: more than two turns without progress are no accident. */
export const MOST_IDLE_TURNS = 3;

export const LIMIT_NAMES = ['turns', 'tokens', 'minutes', 'no_progress'] as const;
export type LimitName = (typeof LIMIT_NAMES)[number];

/** The limit that no prompt may be sent beyond, or none. */
export function reachedLimit(limits: Limits, used: Used): LimitName | undefined {
  if (used.turns >= limits.turns) return 'turns';
  if (used.tokens >= limits.tokens) return 'tokens';
  if (used.ms >= limits.minutes * 60_000) return 'minutes';
  return used.idle >= MOST_IDLE_TURNS ? 'no_progress' : undefined;
}

/** Whether turns that run have to stop too: what they use is not known before it is used. */
export function endsTurns(limit: LimitName | undefined): boolean {
  return limit === 'tokens' || limit === 'minutes';
}

/** How much more a run gets by the person's word. */
export const moreSchema = lazy(() =>
  z.partial(z.pick(limitsSchema(), { turns: true, tokens: true, minutes: true })),
);
export type More = z.infer<ReturnType<typeof moreSchema>>;

/** Never more than can be counted: a larger one could not be read back. */
export function withMore(limits: Limits, more: More): Limits {
  const plus = (name: keyof More): number =>
    Math.min(Number.MAX_SAFE_INTEGER, limits[name] + (more[name] ?? 0));
  return { ...limits, turns: plus('turns'), tokens: plus('tokens'), minutes: plus('minutes') };
}

/** Before the second attempt a second, before the third two, then four; never over a minute. */
export function retryAfter(attempt: number): number {
  return Math.min(60_000, 1_000 * 2 ** Math.min(10, Math.max(0, attempt - 2)));
}
