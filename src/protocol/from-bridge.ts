import './jitless';
import * as z from 'zod/mini';
import { ack } from './ack';
import { payload, plainMessage, sessionMessage } from './envelope';
import { boundBoard } from './bound-board';
import { choices } from './choices';
import { errorCode } from './error-code';
import { count, id, name, opaqueObject, opaqueValue, path, text } from './fields';
import { modelId } from './model-id';
import { permissionReply } from './permission-reply';
import { progress } from './progress';
import { permissionRequest, questionRequest } from './requests';
import { sessionStand } from './session-stand';
import { sessionSnapshot, toolStatus } from './snapshot';
import { welcome } from './welcome';

/** Everything the bridge says to a client, by type. */

const sessionCreated = sessionMessage(
  'session.created',
  'A session began, here or in the terminal; goes to every client.',
  payload({
    requestId: z.optional(id.check(z.describe('Of the `session.start` that it answers.'))),
    title: text,
    parentId: z.optional(id.check(z.describe('Set for the session of a sub-agent.'))),
    agent: z.optional(name),
    directory: path,
  }),
);

const delta = { messageId: id, partId: id, delta: text };

const streamToken = sessionMessage(
  'stream.token',
  'More text of the agent’s answer.',
  payload(delta),
);

const streamThinking = sessionMessage(
  'stream.thinking',
  'More of the agent’s reasoning.',
  payload(delta),
);

const messageFinal = sessionMessage(
  'message.final',
  'The whole text of a part; replaces what its deltas added up to. A prompt, wherever it was ' +
    'typed, comes as one of role `user`; what only the model reads never does.',
  payload({
    messageId: id,
    partId: id,
    text,
    role: z.optional(
      z.enum(['user', 'assistant']).check(z.describe('Absent from old bridges: `assistant`.')),
    ),
    kind: z.optional(
      z.enum(['text', 'thinking']).check(z.describe('Absent from old bridges: `text`.')),
    ),
    agent: z.optional(name.check(z.describe('Who answers, or was asked.'))),
    model: z.optional(modelId),
  }),
);

const toolCall = sessionMessage(
  'tool.call',
  'The agent called one of our tools; wants `tool.result` with the same `callId`.',
  payload({
    callId: id,
    tool: name,
    args: opaqueValue,
    agent: name,
    messageId: id,
    originSessionId: id.check(z.describe('The session that asked.')),
    sessionTitle: z.optional(text),
    board: z.optional(
      boundBoard.check(z.describe('The call works on this board, not on the session’s own.')),
    ),
  }),
);

const toolCancel = sessionMessage(
  'tool.cancel',
  'A call’s answer is no longer waited for; it still gets one.',
  payload({ callId: id, reason: text }),
);

const toolUpdate = sessionMessage(
  'tool.update',
  'Where a call of any tool stands, OpenCode’s own included.',
  payload({
    callId: id,
    tool: name,
    status: toolStatus,
    title: z.optional(text),
    input: z.optional(opaqueObject),
    output: z.optional(text),
    error: z.optional(text),
  }),
);

const permissionRequested = sessionMessage(
  'permission.request',
  'The agent wants to do what a rule says a person decides.',
  z.extend(payload({}), permissionRequest.shape),
);

const permissionResolved = sessionMessage(
  'permission.resolved',
  'A permission request was answered, by whomever.',
  payload({ requestId: id, reply: permissionReply }),
);

const questionRequested = sessionMessage(
  'question.request',
  'The agent asks a person; the turn waits.',
  z.extend(payload({}), questionRequest.shape),
);

const questionResolved = sessionMessage(
  'question.resolved',
  'A question was answered or dismissed, by whomever.',
  payload({ requestId: id }),
);

const progressUpdate = sessionMessage('progress.update', 'What a session is doing.', progress);

const turnEnd = sessionMessage(
  'turn.end',
  'The agent’s answer to the newest prompt is over.',
  payload({
    messageId: z.optional(id.check(z.describe('Absent where the agent had not begun to answer.'))),
    reason: z.enum(['completed', 'interrupted', 'error']),
    error: z.optional(z.object({ code: name, message: text })),
  }),
);

const sessionEnd = sessionMessage(
  'session.end',
  'No more messages come from this session.',
  payload({ reason: z.enum(['deleted', 'closed', 'error']) }),
);

const snapshot = sessionMessage(
  'snapshot',
  'A session as a whole, in pages: where replay can’t reach back, and for `session.history`.',
  payload({
    state: sessionSnapshot,
    uptoSeq: count.check(
      z.describe(
        'The messages up to here are contained; with the last page of a resync they count as arrived.',
      ),
    ),
    resync: z.optional(
      z
        .boolean()
        .check(
          z.describe(
            'Replay could not reach back: this is the state now, some messages were missed.',
          ),
        ),
    ),
    part: count.check(z.describe('Number of the page, from 1.')),
    more: z.boolean(),
  }),
);

const promptTaken = sessionMessage(
  'prompt.taken',
  'The answer to a `session.message` with a `key`: OpenCode keeps the prompt.',
  payload({
    messageId: id.check(z.describe('Of the prompt.')),
    before: z
      .boolean()
      .check(z.describe('It was there already, from an earlier message with its key.')),
  }),
);

const sessionStands = sessionMessage(
  'session.stands',
  'The answer to `session.look`; numbered, so that all that was told of the session came before.',
  sessionStand,
);

const catalog = plainMessage('catalog', 'What can be chosen for a session.', choices);

const error = plainMessage(
  'error',
  'Something was refused or failed; `replyTo` names the message, where it was one.',
  payload({
    code: errorCode,
    message: text.check(z.describe('For a person.')),
    retryable: z.boolean(),
  }),
);

const pong = plainMessage('pong', 'The answer to `ping`.', payload({}));

export const FROM_BRIDGE = {
  welcome,
  'session.created': sessionCreated,
  'stream.token': streamToken,
  'stream.thinking': streamThinking,
  'message.final': messageFinal,
  'tool.call': toolCall,
  'tool.cancel': toolCancel,
  'tool.update': toolUpdate,
  'permission.request': permissionRequested,
  'permission.resolved': permissionResolved,
  'question.request': questionRequested,
  'question.resolved': questionResolved,
  'progress.update': progressUpdate,
  'turn.end': turnEnd,
  'session.end': sessionEnd,
  snapshot,
  'prompt.taken': promptTaken,
  'session.stands': sessionStands,
  catalog,
  error,
  ack,
  pong,
} as const;

export type FromBridgeType = keyof typeof FROM_BRIDGE;
export type FromBridgeOf<T extends FromBridgeType> = z.infer<(typeof FROM_BRIDGE)[T]>;
/** A whole message, told apart by `type`. */
export type FromBridge = { [T in FromBridgeType]: FromBridgeOf<T> }[FromBridgeType];
