import './jitless';
import * as z from 'zod/mini';
import { payload } from './envelope';
import { count, id, list, name, text, time } from './fields';
import { modelId } from './model-id';

/** An entry of OpenCode's own list, shown where an agent has no board. */
export const todo = z.object({ content: text, status: name, priority: z.optional(name) });

/** What a session is doing, told apart by `kind`. */
export const progress = z.discriminatedUnion('kind', [
  payload({ kind: z.literal('busy') }),
  payload({ kind: z.literal('idle') }),
  payload({
    kind: z.literal('retry'),
    attempt: count.check(z.describe('From 1.')),
    message: text,
    next: time.check(z.describe('When it is tried again, milliseconds since the epoch.')),
  }),
  payload({ kind: z.literal('todo'), todos: list(todo) }),
  payload({ kind: z.literal('compacted') }),
  payload({
    kind: z.literal('tokens'),
    messageId: z.optional(
      id.check(
        z.describe(
          'Of the answer that cost them. Each answer’s tokens are told once, when it is complete: ' +
            'what a session used is their sum. Absent from old bridges.',
        ),
      ),
    ),
    input: count,
    output: count,
    reasoning: z.optional(count),
    cacheRead: z.optional(count),
    cacheWrite: z.optional(count),
    model: z.optional(modelId),
    limit: z.optional(count.check(z.describe('Tokens that fit into one request of the model.'))),
    cost: z.optional(z.number().check(z.nonnegative(), z.describe('US dollars.'))),
  }),
  payload({ kind: z.literal('title'), title: text }),
]);
