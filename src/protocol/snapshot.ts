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
    patterns: listOf(text).check(z.describe('What permission is requested for: commands, paths.')),
    always: listOf(text).check(z.describe('What the answer `always` would allow.')),
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
    custom: maybe(z.boolean(), 'Whether a free text is allowed as an answer.'),
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
        'The session waits because its program already runs as many sessions at once as it ' +
          'allows.',
      ),
    }),
    payload({ kind: z.literal('idle') }),
    payload({
      kind: z.literal('retry'),
      attempt: wholeNumber.check(z.describe('From 1.')),
      message: text,
      next: time.check(
        z.describe('When the request is repeated, in milliseconds since the epoch.'),
      ),
    }),
    payload({ kind: z.literal('todo'), todos: listOf(todo()) }),
    payload({
      kind: z.literal('compacted'),
      messageId: maybe(id, 'Message of the summary. Absent in old bridges.'),
      summary: maybe(text, 'The summary that replaces the earlier messages in the context.'),
    }),
    payload({
      kind: z.literal('tokens'),
      messageId: maybe(
        id,
        'The answer that used these tokens. The tokens of each answer are sent once, when it ' +
          'is complete; their sum is the usage of the session. Absent in old bridges.',
      ),
      input: wholeNumber,
      output: wholeNumber,
      reasoning: maybe(wholeNumber),
      cacheRead: maybe(wholeNumber),
      cacheWrite: maybe(wholeNumber),
      model: maybe(modelId),
      limit: maybe(wholeNumber, 'Size of the model’s context window in tokens.'),
      reserve: maybe(wholeNumber, 'Tokens of the window that are reserved for the answer.'),
      summary: maybe(
        z.boolean(),
        'The answer is the summary of a compaction, of which only the `output` stays in the ' +
          'context.',
      ),
      cost: maybe(z.number().check(z.nonnegative(), z.describe('US dollars.'))),
    }),
    payload({
      kind: z.literal('title'),
      title: text,
      twin: maybe(sessionTwin(), 'Set if the twin was unknown before, or has changed.'),
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
        z.describe(
          '`note`: a note named in the prompt. `open`: the active note. `selection`: selected ' +
            'text of a note.',
        ),
      ),
    path: maybe(text),
    tokens: maybe(wholeNumber, 'If the note’s text was sent: the estimated number of its tokens.'),
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
  refusals: maybe(refusals(), 'How many operations succeeded and were refused, and why.'),
  child: maybe(id, 'The session of the subagent that the call started.'),
}));

const part = lazy(() =>
  z.discriminatedUnion('kind', [
    z.object({
      kind: z.literal('text'),
      partId: id,
      text,
      attached: maybe(listOf(attachment())),
      summary: maybe(
        z.boolean(),
        'The part is the summary of a compaction, which replaces the messages before it.',
      ),
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
