import * as z from 'zod/mini';

/**
 * OpenCode's events as far as the bridge reads them: fields it doesn't name are dropped, an event
 * that doesn't fit is none. Recorded from OpenCode 1.18.33.
 */

const text = z.string();
const count = z.number().check(z.nonnegative());

const fault = z.object({
  name: text,
  data: z.optional(z.object({ message: z.optional(text) })),
});
export type EventFault = z.infer<typeof fault>;

const sessionInfo = z.object({
  id: text,
  title: z.optional(text),
  parentID: z.optional(text),
  agent: z.optional(text),
  directory: z.optional(text),
  metadata: z.optional(z.record(z.string(), z.unknown())),
});

const tokens = z.object({
  input: count,
  output: count,
  reasoning: z.optional(count),
  cache: z.optional(z.object({ read: z.optional(count), write: z.optional(count) })),
});

const messageInfo = z.object({
  id: text,
  role: z.enum(['user', 'assistant']),
  parentID: z.optional(text),
  agent: z.optional(text),
  /** of a prompt; an answer names its model in two fields of its own */
  model: z.optional(z.object({ providerID: text, modelID: text })),
  providerID: z.optional(text),
  modelID: z.optional(text),
  /** of an assistant's message: the agent in whose place it speaks, `compaction` for a summary */
  mode: z.optional(text),
  finish: z.optional(text),
  time: z.object({ created: count, completed: z.optional(count) }),
  tokens: z.optional(tokens),
  cost: z.optional(count),
  error: z.optional(fault),
});
export type MessageInfo = z.infer<typeof messageInfo>;

const toolState = z.object({
  status: z.enum(['pending', 'running', 'completed', 'error']),
  input: z.optional(z.record(z.string(), z.unknown())),
  title: z.optional(text),
  output: z.optional(text),
  error: z.optional(text),
});

const messagePart = z.object({
  id: text,
  messageID: text,
  type: text,
  text: z.optional(text),
  /** only the model reads it */
  synthetic: z.optional(z.boolean()),
  metadata: z.optional(z.unknown()),
  time: z.optional(z.object({ end: z.optional(count) })),
  /** of a `subtask`: what which agent is asked to do */
  prompt: z.optional(text),
  agent: z.optional(text),
  tool: z.optional(text),
  callID: z.optional(text),
  state: z.optional(toolState),
});
export type MessagePart = z.infer<typeof messagePart>;

const status = z.object({
  type: text,
  attempt: z.optional(count),
  message: z.optional(text),
  next: z.optional(count),
});

const caller = z.optional(z.object({ callID: z.optional(text) }));

const question = z.object({
  question: text,
  header: z.optional(text),
  options: z._default(z.array(z.object({ label: text, description: z.optional(text) })), []),
  multiple: z.optional(z.boolean()),
  custom: z.optional(z.boolean()),
});

function event<const T extends string, S extends z.core.$ZodLooseShape>(type: T, properties: S) {
  return z.object({ type: z.literal(type), properties: z.object(properties) });
}

const sessionID = text;

const opencodeEvent = z.discriminatedUnion('type', [
  event('session.created', { sessionID, info: sessionInfo }),
  event('session.updated', { sessionID, info: sessionInfo }),
  event('session.deleted', { sessionID, info: sessionInfo }),
  event('session.status', { sessionID, status }),
  event('session.error', { sessionID: z.optional(text), error: z.optional(fault) }),
  event('session.compacted', { sessionID }),
  event('message.updated', { sessionID, info: messageInfo }),
  event('message.part.updated', { sessionID, part: messagePart }),
  event('message.part.delta', {
    sessionID,
    messageID: text,
    partID: text,
    field: text,
    delta: text,
  }),
  event('permission.asked', {
    id: text,
    sessionID,
    permission: text,
    patterns: z._default(z.array(text), []),
    always: z._default(z.array(text), []),
    metadata: z._default(z.record(z.string(), z.unknown()), {}),
    tool: caller,
  }),
  event('permission.replied', {
    sessionID,
    requestID: text,
    reply: z.enum(['once', 'always', 'reject']),
  }),
  event('question.asked', { id: text, sessionID, questions: z.array(question), tool: caller }),
  event('question.replied', { sessionID, requestID: text }),
  event('question.rejected', { sessionID, requestID: text }),
  event('todo.updated', {
    sessionID,
    todos: z.array(z.object({ content: text, status: text, priority: z.optional(text) })),
  }),
]);

export type OpencodeEvent = z.infer<typeof opencodeEvent>;
export type EventOf<T extends OpencodeEvent['type']> = Extract<OpencodeEvent, { type: T }>;

const KNOWN = new Set<unknown>([
  ...opencodeEvent.def.options.map((option) => option.shape.type.def.values[0]),
]);

/** The event, or undefined where it is of no interest here, or not of the form we know. */
export function readEvent(value: unknown): OpencodeEvent | undefined {
  if (typeof value !== 'object' || value === null || !('type' in value)) return undefined;
  if (!KNOWN.has(value.type)) return undefined;
  const parsed = opencodeEvent.safeParse(value);
  return parsed.success ? parsed.data : undefined;
}
