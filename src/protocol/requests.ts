import './jitless';
import * as z from 'zod/mini';
import { id, list, name, opaqueObject, text } from './fields';

/** What the agent asks of a person. */

export const permissionRequest = z.object({
  requestId: id,
  permission: name.check(z.describe('`bash`, `edit`, `webfetch`, …')),
  patterns: list(text).check(z.describe('What it is asked for: commands, paths.')),
  always: list(text).check(z.describe('What the reply `always` would allow.')),
  metadata: opaqueObject,
  callId: z.optional(id),
});
export type PermissionRequest = z.infer<typeof permissionRequest>;

const question = z.object({
  question: text,
  header: z.optional(text),
  options: list(z.object({ label: text, description: z.optional(text) })),
  multiple: z.optional(z.boolean()),
  custom: z.optional(z.boolean().check(z.describe('Whether own words are allowed.'))),
});

export const questionRequest = z.object({
  requestId: id,
  questions: list(question),
  callId: z.optional(id),
});
export type QuestionRequest = z.infer<typeof questionRequest>;
