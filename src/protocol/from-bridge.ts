import './jitless';
import * as z from 'zod/mini';
import { ackMessage, payload, plainMessage, sessionMessage } from './envelope';
import {
  boundBoard,
  wholeNumber,
  id,
  listOf,
  modelId,
  name,
  opaqueObject,
  opaqueValue,
  path,
  permissionReply,
  text,
  time,
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
const answer = z.object({
  messageId: id,
  text: text.check(
    z.describe('Of its last part that is text; of a text that is too long, the end.'),
  ),
  end: z
    .enum(['completed', 'interrupted', 'error', 'open'])
    .check(z.describe('`open`: it was not written to its end, or wanted to go on after a tool.')),
  error: text.check(z.describe('For a person, with `error`; else empty.')),
  key: z.optional(id.check(z.describe('Of the prompt that it answers, where that had one.'))),
});

/** How a session stands. */
const sessionStatusAnswer = payload({
  status: sessionStatus,
  answer: z.optional(answer.check(z.describe('The newest, to whichever prompt.'))),
});

/** The agents and models that a person can choose for a session. */
const choices = payload({
  agents: listOf(
    z.object({
      name,
      description: z.optional(text),
      mode: z.optional(name.check(z.describe('`primary`, `subagent` or `all`.'))),
      model: z.optional(modelId),
    }),
  ),
  models: listOf(
    z.object({
      id: modelId,
      name: z.optional(name),
      provider: z.optional(name.check(z.describe('Name of the provider, for a person.'))),
      context: z.optional(wholeNumber.check(z.describe('Tokens that fit into one request.'))),
      output: z.optional(wholeNumber.check(z.describe('Tokens of the longest answer.'))),
      reasoning: z.optional(z.boolean()),
    }),
  ),
  model: z.optional(
    modelId.check(z.describe('What OpenCode takes where neither prompt nor agent names one.')),
  ),
});

const welcome = plainMessage(
  'welcome',
  'The answer to `hello`, and with `replyTo` to `session.list`: the bridge and its sessions.',
  payload({
    epoch: id.check(
      z.describe(
        'Names the numbering of this client’s messages, in both directions. Another value than ' +
          'the one to resume: the bridge started anew, or forgot; `seq` is 1 again both ways.',
      ),
    ),
    bridge: name.check(z.describe('Version of the bridge.')),
    opencode: name.check(z.describe('Version of OpenCode.')),
    directory: path,
    features: z.optional(
      listOf(name).check(
        z.describe(
          'What it can do that older bridges can’t. `keys`: it knows the `key` of `session.start` ' +
            'and `session.message`, and `session.look`.',
        ),
      ),
    ),
    sessions: listOf(
      z.object({
        id,
        title: text,
        parentId: z.optional(id),
        agent: z.optional(name),
        status: sessionStatus,
        updated: z.optional(time.check(z.describe('When it last did something.'))),
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
);

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
    attached: z.optional(
      listOf(attachment).check(z.describe('Of a prompt: what the person sent along with it.')),
    ),
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
    ...callFactFields,
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
  payload({
    requestId: id,
    answers: z.optional(
      listOf(listOf(text)).check(z.describe('Per question; absent where it was dismissed.')),
    ),
  }),
);

const progressUpdate = sessionMessage(
  'progress.update',
  'What a session is doing.',
  sessionProgress,
);

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
    uptoSeq: wholeNumber.check(
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
    part: wholeNumber.check(z.describe('Number of the page, from 1.')),
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
  sessionStatusAnswer,
);

const catalog = plainMessage('catalog', 'What can be chosen for a session.', choices);

const errorMessage = plainMessage(
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
  error: errorMessage,
  ack: ackMessage,
  pong,
} as const;

export type FromBridgeType = keyof typeof FROM_BRIDGE;

export type FromBridgeOf<T extends FromBridgeType> = z.infer<(typeof FROM_BRIDGE)[T]>;

/** A whole message, told apart by `type`. */
export type FromBridge = { [T in FromBridgeType]: FromBridgeOf<T> }[FromBridgeType];
