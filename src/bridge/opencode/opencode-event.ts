import * as z from 'zod/mini';
import { validItems, lenientOptional, texts, toolName } from './opencode-api';
import { orElse } from '../../core/or-else';

/**
 * OpenCode's events, as far as the bridge uses them. Unknown fields are dropped, events of another
 * form are ignored. Recorded from OpenCode 1.18.33.
 */

const text = z.string();

const count = z.number().check(z.nonnegative());

export const eventFault = z.object({
  name: orElse(text, 'UnknownError'),
  data: lenientOptional(
    z.object({ message: lenientOptional(text), statusCode: lenientOptional(count) }),
  ),
});

export type EventFault = z.infer<typeof eventFault>;

const sessionInfo = z.object({
  title: lenientOptional(text),
  parentID: lenientOptional(text),
  agent: lenientOptional(text),
  directory: lenientOptional(text),
  metadata: lenientOptional(z.record(z.string(), z.unknown())),
});

const tokens = z.object({
  input: orElse(count, 0),
  output: orElse(count, 0),
  reasoning: lenientOptional(count),
  cache: lenientOptional(z.object({ read: lenientOptional(count), write: lenientOptional(count) })),
});

const messageInfo = z.object({
  id: text,
  role: z.enum(['user', 'assistant']),
  parentID: lenientOptional(text),
  agent: lenientOptional(text),
  /** of a prompt; an answer has the two fields below instead */
  model: lenientOptional(z.object({ providerID: text, modelID: text })),
  providerID: lenientOptional(text),
  modelID: lenientOptional(text),
  /** of an answer: the agent that wrote it; `compaction` for a summary */
  mode: lenientOptional(text),
  finish: lenientOptional(text),
  time: z.object({ created: count, completed: lenientOptional(count) }),
  tokens: lenientOptional(tokens),
  cost: lenientOptional(count),
  error: lenientOptional(eventFault),
});

export type MessageInfo = z.infer<typeof messageInfo>;

const toolState = z.object({
  status: z.enum(['pending', 'running', 'completed', 'error']),
  input: lenientOptional(z.record(z.string(), z.unknown())),
  title: lenientOptional(text),
  output: lenientOptional(text),
  error: lenientOptional(text),
  metadata: z.optional(z.unknown()),
});

const messagePart = z.object({
  id: text,
  messageID: text,
  type: text,
  text: lenientOptional(text),
  /** whether only the model sees it */
  synthetic: lenientOptional(z.boolean()),
  metadata: lenientOptional(z.unknown()),
  time: lenientOptional(z.object({ end: lenientOptional(count) })),
  /** of a `subtask`: the request, and the agent that gets it */
  prompt: lenientOptional(text),
  agent: lenientOptional(text),
  tool: lenientOptional(toolName),
  callID: lenientOptional(text),
  state: lenientOptional(toolState),
});

export type MessagePart = z.infer<typeof messagePart>;

const status = z.object({
  type: text,
  attempt: lenientOptional(count),
  message: lenientOptional(text),
  next: lenientOptional(count),
});

const caller = lenientOptional(z.object({ callID: lenientOptional(text) }));

const question = z.object({
  question: orElse(text, ''),
  header: lenientOptional(text),
  options: orElse(validItems(z.object({ label: text, description: lenientOptional(text) })), []),
  multiple: lenientOptional(z.boolean()),
  custom: lenientOptional(z.boolean()),
});

/** An entry of OpenCode's own todo list. */
export const todo = z.object({
  content: text,
  status: orElse(text, 'pending'),
  priority: lenientOptional(text),
});

function event<const T extends string, S extends z.core.$ZodLooseShape>(type: T, properties: S) {
  return z.object({ type: z.literal(type), properties: z.object(properties) });
}

const sessionID = text;

const opencodeEvent = z.discriminatedUnion('type', [
  event('session.created', { sessionID, info: sessionInfo }),
  event('session.updated', { sessionID, info: sessionInfo }),
  event('session.deleted', { sessionID }),
  event('session.status', { sessionID, status }),
  event('session.error', { sessionID: lenientOptional(text), error: lenientOptional(eventFault) }),
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
    patterns: texts,
    always: texts,
    metadata: orElse(z.record(z.string(), z.unknown()), {}),
    tool: caller,
  }),
  event('permission.replied', {
    sessionID,
    requestID: text,
    // An unknown reply may allow more than one request.
    reply: orElse(z.enum(['once', 'always', 'reject']), 'always'),
  }),
  event('question.asked', {
    id: text,
    sessionID,
    // Answers refer to questions by index, so invalid ones keep their place.
    questions: z.array(orElse(question, { question: '', options: [] })),
    tool: caller,
  }),
  event('question.replied', {
    sessionID,
    requestID: text,
    answers: lenientOptional(z.array(z.array(text))),
  }),
  event('question.rejected', { sessionID, requestID: text }),
  event('todo.updated', {
    sessionID,
    todos: validItems(todo),
  }),
]);

export type OpencodeEvent = z.infer<typeof opencodeEvent>;

export type EventOf<T extends OpencodeEvent['type']> = Extract<OpencodeEvent, { type: T }>;

const KNOWN_TYPES = new Set<unknown>([
  ...opencodeEvent.def.options.map((option) => option.shape.type.def.values[0]),
]);

/** Parses an event. Returns undefined if the bridge doesn't use it or its form is unknown. */
export function readEvent(value: unknown): OpencodeEvent | undefined {
  if (typeof value !== 'object' || value === null || !('type' in value)) return undefined;
  if (!KNOWN_TYPES.has(value.type)) return undefined;
  const parsed = opencodeEvent.safeParse(value);
  return parsed.success ? parsed.data : undefined;
}
