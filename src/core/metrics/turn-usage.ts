import '../json';
import * as z from 'zod/mini';
import { lazy } from '../lazy';

/**
 * The usage of one turn; a line of `usage/YYYY-MM.jsonl`. Contains no text of prompts, answers or
 * notes.
 */
export const usageLine = lazy(() => {
  const count = z.number().check(z.nonnegative());
  const id = z.string().check(z.maxLength(1_000));
  return z.object({
    v: z.literal(1),
    session: id,
    agent: z.optional(id),
    /** the engine that ran it: `opencode`, `model`, `acp` */
    engine: id,
    /** `provider/model` of its last answer */
    model: z.optional(id),
    /** the task that the session was started for, as on its board; several separated by spaces */
    task: z.optional(z.string().check(z.maxLength(10_000))),
    /** ms since the epoch */
    start: count,
    end: count.check(z.maximum(8.64e15)),
    reason: z.enum(['completed', 'interrupted', 'error']),
    /** absent if the engine reports none; `cached` is absent if it reports no cache */
    tokens: z.optional(z.object({ in: count, out: count, cached: z.optional(count) })),
    /** US dollars; absent if the price of an answer is unknown */
    cost: z.optional(count),
    /** ms spent waiting for a person, and waiting only for the model */
    waited: z.object({ person: count, model: count }),
    /** calls of all tools, and how many of them failed */
    calls: count,
    failures: count,
  });
});

export type UsageLine = Readonly<z.infer<ReturnType<typeof usageLine>>>;
