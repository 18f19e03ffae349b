import './jitless';
import * as z from 'zod/mini';
import { lazy } from '../core/lazy';
import {
  wholeNumber,
  id,
  listOf,
  maybe,
  modelId,
  name,
  opaqueObject,
  sessionTwin,
  text,
  time,
} from './fields';
import { payload } from './envelope';

/** A permission request of the agent. */
export const permissionRequest = lazy(() =>
  z.object({
    requestId: id,
    permission: name.check(z.describe('`bash`, `edit`, `webfetch`, …')),
    patterns: listOf(text).check(z.describe('What it is asked for: commands, paths.')),
    always: listOf(text).check(z.describe('What the reply `always` would allow.')),
    metadata: opaqueObject,
    callId: maybe(id),
  }),
);

export type PermissionRequest = z.infer<ReturnType<typeof permissionRequest>>;

const question = lazy(() =>
  z.object({
    question: text,
    header: maybe(text),
    options: listOf(z.object({ label: text, description: maybe(text) })),
    multiple: maybe(z.boolean()),
    custom: maybe(z.boolean(), 'Whether own words are allowed.'),
  }),
);

export const questionRequest = lazy(() =>
  z.object({
    requestId: id,
    questions: listOf(question()),
    callId: maybe(id),
  }),
);

export type QuestionRequest = z.infer<ReturnType<typeof questionRequest>>;

/** An entry of OpenCode's own todo list, shown if an agent has no board. */
const todo = lazy(() => z.object({ content: text, status: name, priority: maybe(name) }));

/** What a session is doing, discriminated by `kind`. */
export const sessionProgress = lazy(() =>
  z.discriminatedUnion('kind', [
    payload({
      kind: z.literal('busy'),
      queued: maybe(
        z.boolean(),
        'It waits: as many sessions work as its program lets work at once. Absent: no.',
      ),
    }),
    payload({ kind: z.literal('idle') }),
    payload({
      kind: z.literal('retry'),
      attempt: wholeNumber.check(z.describe('From 1.')),
      message: text,
      next: time.check(z.describe('When it is tried again, milliseconds since the epoch.')),
    }),
    payload({ kind: z.literal('todo'), todos: listOf(todo()) }),
    payload({
      kind: z.literal('compacted'),
      messageId: maybe(id, 'Of the summary. Absent from old bridges.'),
      summary: maybe(text, 'What stands in place of the past from now on.'),
    }),
    payload({
      kind: z.literal('tokens'),
      messageId: maybe(
        id,
        'Of the answer that cost them. Each answer’s tokens are told once, when it is complete: ' +
          'what a session used is their sum. Absent from old bridges.',
      ),
      input: wholeNumber,
      output: wholeNumber,
      reasoning: maybe(wholeNumber),
      cacheRead: maybe(wholeNumber),
      cacheWrite: maybe(wholeNumber),
      model: maybe(modelId),
      limit: maybe(wholeNumber, 'Tokens that fit into one request of the model.'),
      reserve: maybe(wholeNumber, 'How many of them are kept for the answer.'),
      summary: maybe(
        z.boolean(),
        'The answer is the summary of a compaction: only its `output` stays in the context.',
      ),
      cost: maybe(z.number().check(z.nonnegative(), z.describe('US dollars.'))),
    }),
    payload({
      kind: z.literal('title'),
      title: text,
      twin: maybe(sessionTwin(), 'Where it is known only now, or another now.'),
    }),
  ]),
);

export const toolStatus = lazy(() => z.enum(['pending', 'running', 'completed', 'error']));

export const sessionStatus = lazy(() => z.enum(['idle', 'busy', 'retry']));

/** An attachment of a prompt, sent by a person or a run: its name, not its content. */
export const attachment = lazy(() =>
  z.object({
    kind: z
      .enum(['note', 'open', 'selection'])
      .check(
        z.describe('A note that was named, the note at hand, or what was selected in a note.'),
      ),
    path: maybe(text),
    tokens: maybe(wholeNumber, 'Of a note whose text went along: an estimate of what it takes.'),
  }),
);

export type Attachment = Readonly<z.infer<ReturnType<typeof attachment>>>;

/** The refusals in a call with several operations. */
export const refusals = lazy(() =>
  z.object({ done: wholeNumber, refused: wholeNumber, reason: text }),
);

export type CallRefusals = Readonly<z.infer<ReturnType<typeof refusals>>>;

/** Facts about a call besides its texts. */
export const callFactFields = lazy(() => ({
  refusals: maybe(refusals(), 'How many operations were done and refused, and why.'),
  child: maybe(id, 'Session of the sub-agent that the call started.'),
}));

const part = lazy(() =>
  z.discriminatedUnion('kind', [
    z.object({
      kind: z.literal('text'),
      partId: id,
      text,
      attached: maybe(listOf(attachment())),
      summary: maybe(z.boolean(), 'Of a compaction: stands in place of what was said before.'),
    }),
    z.object({ kind: z.literal('thinking'), partId: id, text }),
    z.object({
      kind: z.literal('tool'),
      partId: id,
      callId: id,
      tool: name,
      status: toolStatus(),
      title: maybe(text),
      input: maybe(text, 'As JSON text.'),
      output: maybe(text),
      error: maybe(text),
      ...callFactFields(),
    }),
  ]),
);

/** A session as a whole, for a client that missed messages or asks for older ones. */
export const sessionSnapshot = lazy(() =>
  z.object({
    title: text,
    parentId: maybe(id),
    agent: maybe(name),
    status: sessionStatus(),
    permissions: listOf(permissionRequest()),
    questions: listOf(questionRequest()),
    todos: listOf(todo()),
    messages: listOf(
      z.object({
        messageId: id,
        role: z.enum(['user', 'assistant']),
        created: time,
        parts: listOf(part()),
      }),
    ),
  }),
);
