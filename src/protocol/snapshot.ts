import './jitless';
import * as z from 'zod/mini';
import { id, list, name, text, time } from './fields';
import { todo } from './progress';
import { permissionRequest, questionRequest } from './requests';

/** A session as a whole, for a client that missed messages or asks for older ones. */

export const toolStatus = z.enum(['pending', 'running', 'completed', 'error']);

export const sessionStatus = z.enum(['idle', 'busy', 'retry']);

const part = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('text'), partId: id, text }),
  z.object({ kind: z.literal('thinking'), partId: id, text }),
  z.object({
    kind: z.literal('tool'),
    partId: id,
    callId: id,
    tool: name,
    status: toolStatus,
    title: z.optional(text),
    input: z.optional(text.check(z.describe('As JSON text.'))),
    output: z.optional(text),
    error: z.optional(text),
  }),
]);

export const sessionSnapshot = z.object({
  title: text,
  parentId: z.optional(id),
  agent: z.optional(name),
  status: sessionStatus,
  permissions: list(permissionRequest),
  questions: list(questionRequest),
  todos: list(todo),
  messages: list(
    z.object({
      messageId: id,
      role: z.enum(['user', 'assistant']),
      created: time,
      parts: list(part),
    }),
  ),
});
