import * as z from 'zod';

/** One tool call of an answer. `args` are handed on as they are, right or wrong. */
const toolCall = z.strictObject({
  name: z.string().min(1),
  args: z.unknown().optional(),
});

/** One answer of the scripted model; `{}` is an answer with nothing in it. */
export const turn = z.strictObject({
  thinking: z.string().optional(),
  text: z.string().optional(),
  tools: z.array(toolCall).optional(),
  /** ms between two chunks of the stream */
  delayMs: z.number().min(0).max(10_000).optional(),
  /** answer with this HTTP error instead; 5xx and 429 are asked again by OpenCode */
  status: z.int().min(400).max(599).optional(),
});

/** What the person answers to something that is asked. */
export const answer = z.union([
  z.strictObject({
    permission: z.string().min(1),
    reply: z.enum(['once', 'always', 'reject']),
    message: z.string().optional(),
  }),
  z.strictObject({
    question: z.string().min(1),
    reply: z.union([z.string(), z.array(z.string())]),
    message: z.string().optional(),
  }),
]);

export type Turn = z.infer<typeof turn>;
export type Answer = z.infer<typeof answer>;
