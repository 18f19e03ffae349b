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
    text: text.check(
      z.describe('Of its last part that is text; of a text that is too long, the end.'),
    ),
    end: z
      .enum(['completed', 'interrupted', 'error', 'open'])
      .check(z.describe('`open`: it was not written to its end, or wanted to go on after a tool.')),
    error: text.check(z.describe('For a person, with `error`; else empty.')),
    code: maybe(name, 'Of the error, as `turn.end` tells it.'),
    key: maybe(id, 'Of the prompt that it answers, where that had one.'),
  }),
);

/** The status of a session. */
const sessionStatusAnswer = lazy(() =>
  payload({
    status: sessionStatus(),
    answer: maybe(answer(), 'The newest, to whichever prompt.'),
  }),
);

/** The agents and models that a person can choose for a session. */
const choices = lazy(() => ({
  agents: listOf(
    z.object({
      name,
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
      context: maybe(wholeNumber, 'Tokens that fit into one request.'),
      output: maybe(wholeNumber, 'Tokens of the longest answer.'),
      reasoning: maybe(z.boolean()),
    }),
  ),
  model: maybe(modelId, 'What OpenCode takes where neither prompt nor agent names one.'),
  commands: maybe(
    listOf(z.object({ name, description: maybe(text) })),
    'Commands of the agent’s own: a prompt that begins with `/` and the name gives one.',
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
          'Names the numbering of this client’s messages, in both directions. Another value than ' +
            'the one to resume: the bridge started anew, or forgot; `seq` is 1 again both ways.',
        ),
      ),
      bridge: name.check(z.describe('Version of the bridge.')),
      opencode: maybe(name, 'Version of OpenCode, where that is the engine.'),
      engine: maybe(engineInfo(), 'What runs the sessions. Absent from old bridges: OpenCode.'),
      directory: path(),
      features: maybe(
        listOf(name),
        'What it can do; the rest is answered with `unsupported`. `keys`: it knows the `key` of ' +
          '`session.start` and `session.message`, and `session.look`. `tasks`: it knows the `tasks` ' +
          'of the board in `session.start`. `notes`: it knows the `related` notes of ' +
          '`session.message`. Others: `start`, `prompt`, ' +
          '`interrupt`, `compact`, `rename`, `remove`, `permissions`, `questions`, `catalog`. A ' +
          'bridge without `engine` that names none, or none but `keys`, can do all of these others.',
      ),
      sessions: listOf(
        z.object({
          id,
          title: text,
          parentId: maybe(id),
          agent: maybe(name),
          status: sessionStatus(),
          updated: maybe(time, 'When it last did something.'),
          board: maybe(boundBoard(), 'The board that it was started for.'),
          twin: maybe(sessionTwin(), 'The same session in the program behind the bridge.'),
        }),
      ),
      resumed: z
        .boolean()
        .check(
          z.describe(
            'Whether the numbering goes on and what was missed is sent again. If not, a flagged ' +
              '`snapshot` follows for each session of `resume`.',
          ),
        ),
    }),
  ),
  'session.created': sessionMessage(
    'session.created',
    'A session began, here or in the terminal; goes to every client.',
    () => ({
      requestId: maybe(id, 'Of the `session.start` that it answers.'),
      title: text,
      parentId: maybe(id, 'Set for the session of a sub-agent.'),
      board: maybe(boundBoard(), 'The board that it was started for.'),
      agent: maybe(name),
      directory: path(),
      twin: maybe(sessionTwin(), 'The same session in the program behind the bridge.'),
    }),
  ),
  'stream.token': sessionMessage('stream.token', 'More text of the agent’s answer.', () => delta),
  'stream.thinking': sessionMessage(
    'stream.thinking',
    'More of the agent’s reasoning.',
    () => delta,
  ),
  'message.final': sessionMessage(
    'message.final',
    'The whole text of a part; replaces what its deltas added up to. A prompt, wherever it was ' +
      'typed, comes as one of role `user`; what only the model reads never does.',
    () => ({
      messageId: id,
      partId: id,
      text,
      role: maybe(z.enum(['user', 'assistant']), 'Absent from old bridges: `assistant`.'),
      kind: maybe(z.enum(['text', 'thinking']), 'Absent from old bridges: `text`.'),
      agent: maybe(name, 'Who answers, or was asked.'),
      model: maybe(modelId),
      attached: maybe(listOf(attachment()), 'Of a prompt: what the person sent along with it.'),
    }),
  ),
  'tool.call': sessionMessage(
    'tool.call',
    'The agent called one of our tools; wants `tool.result` with the same `callId`.',
    () => ({
      callId: id,
      tool: name,
      args: opaqueValue,
      agent: name,
      messageId: id,
      originSessionId: id.check(z.describe('The session that asked.')),
      sessionTitle: maybe(text),
      board: maybe(boundBoard(), 'The call works on this board, not on the session’s own.'),
    }),
  ),
  'tool.cancel': sessionMessage(
    'tool.cancel',
    'A call’s answer is no longer waited for; it still gets one.',
    () => ({ callId: id, reason: text }),
  ),
  'tool.update': sessionMessage(
    'tool.update',
    'Where a call of any tool stands, OpenCode’s own included.',
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
    'The agent wants to do what a rule says a person decides.',
    () => z.extend(payload({}), permissionRequest().shape),
  ),
  'permission.resolved': sessionMessage(
    'permission.resolved',
    'A permission request was answered, by whomever.',
    () => ({ requestId: id, reply: permissionReply() }),
  ),
  'question.request': sessionMessageOf(
    'question.request',
    'The agent asks a person; the turn waits.',
    () => z.extend(payload({}), questionRequest().shape),
  ),
  'question.resolved': sessionMessage(
    'question.resolved',
    'A question was answered or dismissed, by whomever.',
    () => ({
      requestId: id,
      answers: maybe(listOf(listOf(text)), 'Per question; absent where it was dismissed.'),
    }),
  ),
  'progress.update': sessionMessageOf('progress.update', 'What a session is doing.', () =>
    sessionProgress(),
  ),
  'turn.end': sessionMessage(
    'turn.end',
    'The agent’s answer to the newest prompt is over.',
    () => ({
      messageId: maybe(id, 'Absent where the agent had not begun to answer.'),
      reason: z.enum(['completed', 'interrupted', 'error']),
      error: maybe(z.object({ code: name, message: text })),
    }),
  ),
  'session.end': sessionMessage('session.end', 'No more messages come from this session.', () => ({
    reason: z.enum(['deleted', 'closed', 'error']),
  })),
  snapshot: sessionMessage(
    'snapshot',
    'A session as a whole, in pages: where replay can’t reach back, and for `session.history`.',
    () => ({
      state: sessionSnapshot(),
      uptoSeq: wholeNumber.check(
        z.describe(
          'The messages up to here are contained; with the last page of a resync they count as arrived.',
        ),
      ),
      resync: maybe(
        z.boolean(),
        'Replay could not reach back: this is the state now, some messages were missed.',
      ),
      part: wholeNumber.check(z.describe('Number of the page, from 1.')),
      more: z.boolean(),
    }),
  ),
  'prompt.taken': sessionMessage(
    'prompt.taken',
    'The answer to a `session.message` with a `key`: OpenCode keeps the prompt.',
    () => ({
      messageId: id.check(z.describe('Of the prompt.')),
      before: z
        .boolean()
        .check(z.describe('It was there already, from an earlier message with its key.')),
    }),
  ),
  'session.stands': sessionMessageOf(
    'session.stands',
    'The answer to `session.look`; numbered, so that all that was told of the session came before.',
    () => sessionStatusAnswer(),
  ),
  faults: plainMessage(
    'faults',
    'What went wrong in this program since it started, for a report: no text or path of the person is in it.',
    () => ({
      lines: listOf(text).check(z.describe('A fault each, what happened last stands last.')),
    }),
  ),
  catalog: plainMessage('catalog', 'What can be chosen for a session.', () => choices()),
  error: plainMessage(
    'error',
    'Something was refused or failed; `replyTo` names the message, where it was one.',
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
