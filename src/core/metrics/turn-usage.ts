import '../json';
import * as z from 'zod/mini';
import { lazy } from '../lazy';

/** What one turn used; a line of `usage/YYYY-MM.jsonl`. No text of prompts, answers or notes. */
export const usageLine = lazy(() => {
  const count = z.number().check(z.nonnegative());
  const id = z.string().check(z.maxLength(1_000));
  return z.object({
    v: z.literal(1),
    session: id,
    agent: z.optional(id),
    /** what ran it: `opencode`, `model`, `acp` */
    engine: id,
    /** `provider/model` of its last answer */
    model: z.optional(id),
    /** the task that the session was started for, as on its board; several with a blank between */
    task: z.optional(z.string().check(z.maxLength(10_000))),
    /** ms since the epoch */
    start: count,
    end: count.check(z.maximum(8.64e15)),
    reason: z.enum(['completed', 'interrupted', 'error']),
    /** absent where the engine told none; `cached` where it does not tell of a cache */
    tokens: z.optional(z.object({ in: count, out: count, cached: z.optional(count) })),
    /** US dollars; absent where the price of an answer is not known */
    cost: z.optional(count),
    /** ms in which a person was asked, and in which the model alone was waited for */
    waited: z.object({ person: count, model: count }),
    /** calls of any tool, and how many of them failed */
    calls: count,
    failures: count,
  });
});

export type UsageLine = Readonly<z.infer<ReturnType<typeof usageLine>>>;
