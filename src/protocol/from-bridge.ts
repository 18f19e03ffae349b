import './jitless';
import * as z from 'zod/mini';
import { lazy } from '../core/lazy';
import { ackMessage, payload, plainMessage, sessionMessage, sessionMessageOf } from './envelope';
import {
  boundBoard,
  engineInfo,
  wholeNumber,
  id,
  listOf,
  maybe,
  modelId,
  name,
  opaqueObject,
  opaqueValue,
  path,
  permissionReply,
  text,
  time,
  sessionTwin,
} from './fields';
import { errorCode } from './wire-error';
import {
  attachment,
  callFactFields,
  permissionRequest,
  sessionProgress,
  questionRequest,
  sessionSnapshot,
  sessionStatus,
  toolStatus,
} from './snapshot';

/** The newest answer of a session. */
const answer = lazy(() =>
  z.object({
    messageId: id,
    text: text.check(z.describe('The last text part of the answer. If it is too long, its end.')),
    end: z
      .enum(['completed', 'interrupted', 'error', 'open'])
      .check(
        z.describe(
          '`open`: the answer is incomplete, or it ended with a tool call whose result was not ' +
            'used.',
        ),
      ),
    error: text.check(z.describe('For a person. Empty unless `end` is `error`.')),
    code: maybe(name, 'Code of the error, as in `turn.end`.'),
    key: maybe(id, 'Key of the prompt that was answered, if it had one.'),
  }),
);

/** The status of a session. */
const sessionStatusAnswer = lazy(() =>
  payload({
    status: sessionStatus(),
    answer: maybe(answer(), 'The newest answer, whichever prompt it belongs to.'),
  }),
);

/** The agents and models that a person can choose for a session. */
const choices = lazy(() => ({
  agents: listOf(
    z.object({
      name,
      title: maybe(name, 'Its name for a person, if that differs.'),
      description: maybe(text),
      mode: maybe(name, '`primary`, `subagent` or `all`.'),
      model: maybe(modelId),
    }),
  ),
  models: listOf(
    z.object({
      id: modelId,
      name: maybe(name),
      provider: maybe(name, 'Name of the provider, for a person.'),
      context: maybe(wholeNumber, 'Size of the context window in tokens.'),
      output: maybe(wholeNumber, 'Most tokens of one answer.'),
      reasoning: maybe(z.boolean()),
    }),
  ),
  model: maybe(modelId, 'The default model, used if neither the prompt nor its agent names one.'),
  commands: maybe(
    listOf(z.object({ name, description: maybe(text) })),
    'The agent’s own commands. A prompt that begins with `/` and the name runs one.',
  ),
}));

const delta = { messageId: id, partId: id, delta: text };

/** All messages of a bridge to a client, by type. */
export const FROM_BRIDGE = {
  welcome: plainMessage(
    'welcome',
    'The answer to `hello`, and with `replyTo` to `session.list`: the bridge and its sessions.',
    () => ({
      epoch: id.check(
        z.describe(
          'Identifies the numbering of this client’s messages, in both directions. If it ' +
            'differs from the epoch in `resume`, the bridge has restarted or forgotten the ' +
            'client, and `seq` starts at 1 in both directions.',
        ),
      ),
      bridge: name.check(z.describe('Version of the bridge.')),
      opencode: maybe(name, 'Version of OpenCode, if that is the engine.'),
      engine: maybe(
        engineInfo(),
        'The engine that runs the sessions. Absent in old bridges, which run OpenCode.',
      ),
      directory: path(),
      features: maybe(
        listOf(name),
        'What the bridge supports; anything else is answered with `unsupported`. `keys`: the ' +
          '`key` of `session.start` and `session.message`, and `session.look`. `tasks`: the ' +
          '`tasks` of the board in `session.start`. `notes`: the `related` notes of ' +
          '`session.message`. Others: `start`, `prompt`, `interrupt`, `compact`, `rename`, ' +
          '`remove`, `permissions`, `questions`, `catalog`. A bridge without `engine` that ' +
          'lists no feature, or only `keys`, supports all of these others.',
      ),
      sessions: listOf(
        z.object({
          id,
          title: text,
          parentId: maybe(id),
          agent: maybe(name),
          status: sessionStatus(),
          updated: maybe(time, 'When the session was last active.'),
          board: maybe(boundBoard(), 'The board that the session was started for.'),
          twin: maybe(sessionTwin(), 'The same session in the program behind the bridge.'),
        }),
      ),
      resumed: z
        .boolean()
        .check(
          z.describe(
            'Whether the numbering continues and missed messages are sent again. If not, a ' +
              '`snapshot` with `resync` follows for each session of `resume`.',
          ),
        ),
    }),
  ),
  'session.created': sessionMessage(
    'session.created',
    'A session was started, by a client or in the terminal. Sent to every client.',
    () => ({
      requestId: maybe(id, 'The `requestId` of the `session.start` that this answers.'),
      title: text,
      parentId: maybe(id, 'Set for the session of a subagent.'),
      board: maybe(boundBoard(), 'The board that the session was started for.'),
      agent: maybe(name),
      directory: path(),
      twin: maybe(sessionTwin(), 'The same session in the program behind the bridge.'),
    }),
  ),
  'stream.token': sessionMessage(
    'stream.token',
    'The next piece of the agent’s answer.',
    () => delta,
  ),
  'stream.thinking': sessionMessage(
    'stream.thinking',
    'The next piece of the agent’s reasoning.',
    () => delta,
  ),
  'message.final': sessionMessage(
    'message.final',
    'The complete text of a part. Replaces the sum of its deltas. Prompts are sent with ' +
      'role `user`, wherever they were typed, but never text that only the model reads.',
    () => ({
      messageId: id,
      partId: id,
      text,
      role: maybe(z.enum(['user', 'assistant']), 'Absent in old bridges, meaning `assistant`.'),
      kind: maybe(z.enum(['text', 'thinking']), 'Absent in old bridges, meaning `text`.'),
      agent: maybe(name, 'The agent that answers, or that the prompt was sent to.'),
      model: maybe(modelId),
      attached: maybe(listOf(attachment()), 'Of a prompt: what the person attached to it.'),
    }),
  ),
  'tool.call': sessionMessage(
    'tool.call',
    'The agent called one of the plugin’s tools. To be answered by `tool.result` with the ' +
      'same `callId`.',
    () => ({
      callId: id,
      tool: name,
      args: opaqueValue,
      agent: name,
      messageId: id,
      originSessionId: id.check(z.describe('The session that made the call.')),
      sessionTitle: maybe(text),
      board: maybe(boundBoard(), 'The call works on this board instead of the session’s own.'),
    }),
  ),
  'tool.cancel': sessionMessage(
    'tool.cancel',
    'The caller no longer waits for the result. The call is still to be answered.',
    () => ({ callId: id, reason: text }),
  ),
  'tool.update': sessionMessage(
    'tool.update',
    'Status of a call of any tool, OpenCode’s own tools included.',
    () => ({
      callId: id,
      tool: name,
      status: toolStatus(),
      title: maybe(text),
      input: maybe(opaqueObject),
      output: maybe(text),
      error: maybe(text),
      ...callFactFields(),
    }),
  ),
  'permission.request': sessionMessageOf(
    'permission.request',
    'The agent needs a person’s permission, because a rule says so.',
    () => z.extend(payload({}), permissionRequest().shape),
  ),
  'permission.resolved': sessionMessage(
    'permission.resolved',
    'A permission request was answered, by any client.',
    () => ({ requestId: id, reply: permissionReply() }),
  ),
  'question.request': sessionMessageOf(
    'question.request',
    'The agent asks a person. The turn waits for the answer.',
    () => z.extend(payload({}), questionRequest().shape),
  ),
  'question.resolved': sessionMessage(
    'question.resolved',
    'A question was answered or dismissed, by any client.',
    () => ({
      requestId: id,
      answers: maybe(
        listOf(listOf(text)),
        'One list for each question. Absent if the question was dismissed.',
      ),
    }),
  ),
  'progress.update': sessionMessageOf('progress.update', 'What the session is doing.', () =>
    sessionProgress(),
  ),
  'turn.end': sessionMessage(
    'turn.end',
    'The agent’s answer to the newest prompt has ended.',
    () => ({
      messageId: maybe(id, 'Absent if the agent had not begun to answer.'),
      reason: z.enum(['completed', 'interrupted', 'error']),
      error: maybe(z.object({ code: name, message: text })),
    }),
  ),
  'session.end': sessionMessage(
    'session.end',
    'The session has ended. No more messages of it follow.',
    () => ({
      reason: z.enum(['deleted', 'closed', 'error']),
    }),
  ),
  snapshot: sessionMessage(
    'snapshot',
    'The messages and state of a session, in pages. Sent if missed messages can no longer ' +
      'be sent again, and as the answer to `session.history`.',
    () => ({
      state: sessionSnapshot(),
      uptoSeq: wholeNumber.check(
        z.describe(
          'The `seq` up to which messages are contained. After the last page of a resync, they ' +
            'count as received.',
        ),
      ),
      resync: maybe(
        z.boolean(),
        'Messages were missed that can no longer be sent again; this is the current state.',
      ),
      part: wholeNumber.check(z.describe('Number of the page, from 1.')),
      more: z.boolean(),
    }),
  ),
  'prompt.taken': sessionMessage(
    'prompt.taken',
    'The answer to a `session.message` with a `key`: the prompt is stored.',
    () => ({
      messageId: id.check(z.describe('Id of the prompt’s message.')),
      before: z
        .boolean()
        .check(
          z.describe(
            'Whether the prompt was already stored by an earlier message with the same key.',
          ),
        ),
    }),
  ),
  'session.stands': sessionMessageOf(
    'session.stands',
    'The answer to `session.look`. It is numbered, so all earlier messages of the session ' +
      'have arrived before it.',
    () => sessionStatusAnswer(),
  ),
  faults: plainMessage(
    'faults',
    'The faults of this program since it started, for a report. Contains no text and no ' +
      'path of the person.',
    () => ({
      lines: listOf(text).check(z.describe('One fault per line, the latest last.')),
      caches: z
        .optional(listOf(text))
        .check(z.describe('The use of each cache of this program, one line each.')),
    }),
  ),
  catalog: plainMessage('catalog', 'The agents, models and commands that a session can use.', () =>
    choices(),
  ),
  error: plainMessage(
    'error',
    'A request was refused, or something failed. `replyTo` names the message that caused ' +
      'it, if any.',
    () => ({
      code: errorCode(),
      message: text.check(z.describe('For a person.')),
      retryable: z.boolean(),
    }),
  ),
  ack: ackMessage,
  pong: plainMessage('pong', 'The answer to `ping`.', () => ({})),
} as const;

export type FromBridgeType = keyof typeof FROM_BRIDGE;

export type FromBridgeOf<T extends FromBridgeType> = z.infer<ReturnType<(typeof FROM_BRIDGE)[T]>>;

/** Any message of a bridge, discriminated by `type`. */
export type FromBridge = { [T in FromBridgeType]: FromBridgeOf<T> }[FromBridgeType];
