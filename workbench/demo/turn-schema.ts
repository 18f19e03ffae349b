import * as z from 'zod';

/** One tool call of an answer. `args` are passed on unchanged, valid or not. */
const toolCall = z.strictObject({
  name: z.string().min(1),
  args: z.unknown().optional(),
});

/** One answer of the scripted model; `{}` is an empty answer. */
export const turn = z.strictObject({
  thinking: z.string().optional(),
  text: z.string().optional(),
  tools: z.array(toolCall).optional(),
  /** ms between two chunks of the stream */
  delayMs: z.number().min(0).max(10_000).optional(),
  /** HTTP status of an error to answer instead; OpenCode retries on 5xx and 429 */
  status: z.int().min(400).max(599).optional(),
});

/** A person's answer to a request or question. */
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
