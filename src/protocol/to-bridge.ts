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
  permissionReply,
  text,
  uncutText,
} from './fields';

/** Everything a client says to the bridge, by type. */

/** What the person had before them; each line of it may be long, none is a file's content. */
export const promptContext = z.object({
  note: z.optional(
    text.check(z.describe('The note at hand; with `selection` the one that it stands in.')),
  ),
  selection: z.optional(text),
  attached: z.optional(
    listOf(text).check(z.describe('Notes that the person named in the prompt.')),
  ),
});

const hello = plainMessage(
  'hello',
  'The first frame of a connection: who connects.',
  payload({
    client: name,
    version: name,
    vault: name,
    folder: z.optional(
      id.check(
        z.describe(
          'Repeats the run file’s `folder`; only then may the client run tools and answer requests.',
        ),
      ),
    ),
    capabilities: listOf(name).check(
      z.describe(
        '`tools`: answers tool calls. `permissions`, `questions`: shows them to a person, and ' +
          'answers them in sessions that it is attached to.',
      ),
    ),
    attempt: z.optional(
      wholeNumber.check(
        z.describe(
          'Counts this client’s connections, from 1: one that comes late, after a newer, is refused.',
        ),
      ),
    ),
    resume: z.optional(
      listOf(z.object({ sessionId: id, epoch: id, lastSeq: wholeNumber })).check(
        z.describe(
          'Per session, what arrived last before the connection broke, in the epoch of then. A ' +
            'session that is named here is attached.',
        ),
      ),
    ),
  }),
);

const sessionStart = plainMessage(
  'session.start',
  'Starts a session; answered by `session.created` with the same `requestId`, or by `error`.',
  payload({
    requestId: id.check(z.describe('Tells starts at the same time apart.')),
    title: z.optional(text),
    agent: z.optional(name),
    model: z.optional(modelId),
    parentId: z.optional(id),
    board: z.optional(
      boundBoard.check(z.describe('The session works on this board, whatever its calls say.')),
    ),
    key: z.optional(
      id.check(
        z.describe(
          'Names the start for good: where a session was started with it, that one is the answer, ' +
            'also after a restart of OpenCode.',
        ),
      ),
    ),
  }),
);

const sessionAttach = sessionMessage(
  'session.attach',
  'Asks for the messages of a session. The bridge sends again what waits for a person there: ' +
    '`permission.request`, `question.request`.',
  payload({}),
);

const sessionList = plainMessage(
  'session.list',
  'Asks for all sessions; answered by a `welcome` with `replyTo`.',
  payload({}),
);

const sessionMessageSent = sessionMessage(
  'session.message',
  'A person’s words to the agent. A refusal is an `error` with `replyTo`; else the session’s ' +
    'own messages show that it works. One with a `key` is answered by `prompt.taken`.',
  payload({
    text,
    agent: z.optional(name),
    model: z.optional(modelId),
    context: z.optional(promptContext),
    key: z.optional(
      id.check(
        z.describe(
          'Names the prompt in its session for good: it is kept with it, and what is there ' +
            'already is not sent again.',
        ),
      ),
    ),
  }),
);

const sessionInterrupt = sessionMessage(
  'session.interrupt',
  'Stops the running turn; overtakes tokens.',
  payload({}),
);

const toolResult = sessionMessage(
  'tool.result',
  'The answer to `tool.call`, an error too. The first answer counts.',
  payload({
    callId: id,
    ok: z.boolean(),
    output: z.optional(uncutText.check(z.describe('For the model.'))),
    title: z.optional(text),
    metadata: z.optional(opaqueObject),
    error: z.optional(z.object({ code: name, message: uncutText })),
    audit: z.object({
      approved: z.boolean(),
      dryRun: z.boolean(),
      ms: z.number().check(z.nonnegative(), z.describe('Milliseconds the call ran.')),
    }),
  }),
);

const toolWaiting = sessionMessage(
  'tool.waiting',
  'A call waits for a person, and is answered when they have: until then its time doesn’t run.',
  payload({
    callId: id,
    ms: z.optional(
      wholeNumber.check(
        z.describe(
          'How long they have, milliseconds; absent: as long as it takes. With 0 nobody is asked ' +
            'any more, and the call’s time begins anew.',
        ),
      ),
    ),
  }),
);

const permissionResponse = sessionMessage(
  'permission.response',
  'The person’s answer to `permission.request`. The first answer counts. Refused with ' +
    '`unauthorized`, and the request stays open, unless the client’s `hello` named the capability ' +
    '`permissions` and repeated `folder`, and it is attached to the session or its root session.',
  payload({
    requestId: id,
    reply: permissionReply,
    message: z.optional(text.check(z.describe('With `reject`: words for the model.'))),
  }),
);

const questionResponse = sessionMessage(
  'question.response',
  'The person’s answers to `question.request`, one list of labels or words per question. Refused ' +
    'as `permission.response` is; the capability is `questions`.',
  payload({ requestId: id, answers: listOf(listOf(text)) }),
);

const sessionUpdate = sessionMessage(
  'session.update',
  'Renames a session.',
  payload({
    title: z.optional(text),
  }),
);

const sessionDelete = sessionMessage(
  'session.delete',
  'Deletes a session in OpenCode.',
  payload({}),
);

const sessionCompact = sessionMessage(
  'session.compact',
  'Asks OpenCode to summarise.',
  payload({}),
);

const sessionHistory = sessionMessage(
  'session.history',
  'Asks for older messages; answered by pages of `snapshot`.',
  payload({
    before: z.optional(id.check(z.describe('Only messages older than this one.'))),
    limit: z.int().check(z.gte(1), z.lte(1000)),
  }),
);

const sessionLook = sessionMessage(
  'session.look',
  'Asks how a session stands; answered by `session.stands`.',
  payload({}),
);

const catalogGet = plainMessage('catalog.get', 'Asks for `catalog`.', payload({}));

const ping = plainMessage('ping', 'Sign of life; answered by `pong` with `replyTo`.', payload({}));

export const TO_BRIDGE = {
  hello,
  'session.start': sessionStart,
  'session.attach': sessionAttach,
  'session.list': sessionList,
  'session.message': sessionMessageSent,
  'session.interrupt': sessionInterrupt,
  'tool.result': toolResult,
  'tool.waiting': toolWaiting,
  'permission.response': permissionResponse,
  'question.response': questionResponse,
  'session.update': sessionUpdate,
  'session.delete': sessionDelete,
  'session.compact': sessionCompact,
  'session.history': sessionHistory,
  'session.look': sessionLook,
  'catalog.get': catalogGet,
  ack: ackMessage,
  ping,
} as const;

export type ToBridgeType = keyof typeof TO_BRIDGE;
export type ToBridgeOf<T extends ToBridgeType> = z.infer<(typeof TO_BRIDGE)[T]>;
/** A whole message, told apart by `type`. */
export type ToBridge = { [T in ToBridgeType]: ToBridgeOf<T> }[ToBridgeType];
export type HelloPayload = ToBridgeOf<'hello'>['payload'];
