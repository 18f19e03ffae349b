import './jitless';
import * as z from 'zod/mini';
import { lazy } from '../core/lazy';
import { ackMessage, plainMessage, sessionMessage } from './envelope';
import {
  boundBoard,
  wholeNumber,
  id,
  listOf,
  maybe,
  modelId,
  name,
  opaqueObject,
  permissionReply,
  text,
  uncutText,
} from './fields';

/** The person's context for a prompt, and notes to send along. Texts may be long. */
export const promptContext = lazy(() =>
  z.object({
    note: maybe(text, 'The note at hand; with `selection` the one that it stands in.'),
    selection: maybe(text),
    attached: maybe(listOf(text), 'Notes that the person named in the prompt.'),
    related: maybe(
      z.object({
        text: text.check(z.describe('For the model, as it is.')),
        notes: listOf(z.object({ path: text, tokens: wholeNumber })),
      }),
      'The texts of notes that go along, and which they are. Only a bridge with `notes` knows it.',
    ),
  }),
);

/** All messages of a client to a bridge, by type. */
export const TO_BRIDGE = {
  hello: plainMessage('hello', 'The first frame of a connection: who connects.', () => ({
    client: name,
    version: name,
    vault: name,
    folder: maybe(
      id,
      'Repeats the run file’s `folder`; only then may the client run tools and answer requests.',
    ),
    capabilities: listOf(name).check(
      z.describe(
        '`tools`: answers tool calls. `permissions`, `questions`: shows them to a person, and ' +
          'answers them in sessions that it is attached to.',
      ),
    ),
    attempt: maybe(
      wholeNumber,
      'Counts this client’s connections, from 1: one that comes late, after a newer, is refused.',
    ),
    resume: maybe(
      listOf(z.object({ sessionId: id, epoch: id, lastSeq: wholeNumber })),
      'Per session, what arrived last before the connection broke, in the epoch of then. A ' +
        'session that is named here is attached.',
    ),
  })),
  'session.start': plainMessage(
    'session.start',
    'Starts a session; answered by `session.created` with the same `requestId`, or by `error`.',
    () => ({
      requestId: id.check(z.describe('Tells starts at the same time apart.')),
      title: maybe(text),
      agent: maybe(name),
      model: maybe(modelId),
      parentId: maybe(id),
      board: maybe(boundBoard(), 'The session works on this board, whatever its calls say.'),
      key: maybe(
        id,
        'Names the start for good: where a session was started with it, that one is the answer, ' +
          'also after a restart of OpenCode.',
      ),
    }),
  ),
  'session.attach': sessionMessage(
    'session.attach',
    'Asks for the messages of a session. The bridge sends again what waits for a person there: ' +
      '`permission.request`, `question.request`.',
    () => ({}),
  ),
  'session.list': plainMessage(
    'session.list',
    'Asks for all sessions; answered by a `welcome` with `replyTo`.',
    () => ({}),
  ),
  'session.message': sessionMessage(
    'session.message',
    'A person’s words to the agent. A refusal is an `error` with `replyTo`; else the session’s ' +
      'own messages show that it works. One with a `key` is answered by `prompt.taken`.',
    () => ({
      text,
      agent: maybe(name),
      model: maybe(modelId),
      context: maybe(promptContext()),
      key: maybe(
        id,
        'Names the prompt in its session for good: it is kept with it, and what is there ' +
          'already is not sent again.',
      ),
    }),
  ),
  'session.interrupt': sessionMessage(
    'session.interrupt',
    'Stops the running turn; overtakes tokens.',
    () => ({}),
  ),
  'tool.result': sessionMessage(
    'tool.result',
    'The answer to `tool.call`, an error too. The first answer counts.',
    () => ({
      callId: id,
      ok: z.boolean(),
      output: maybe(uncutText, 'For the model.'),
      title: maybe(text),
      metadata: maybe(opaqueObject),
      error: maybe(z.object({ code: name, message: uncutText })),
      audit: z.object({
        approved: z.boolean(),
        dryRun: z.boolean(),
        ms: z.number().check(z.nonnegative(), z.describe('Milliseconds the call ran.')),
      }),
    }),
  ),
  'tool.waiting': sessionMessage(
    'tool.waiting',
    'A call waits for a person, and is answered when they have: until then its time doesn’t run.',
    () => ({
      callId: id,
      ms: maybe(
        wholeNumber,
        'How long they have, milliseconds; absent: as long as it takes. With 0 nobody is asked ' +
          'any more, and the call’s time begins anew.',
      ),
    }),
  ),
  'permission.response': sessionMessage(
    'permission.response',
    'The person’s answer to `permission.request`. The first answer counts. Refused with ' +
      '`unauthorized`, and the request stays open, unless the client’s `hello` named the capability ' +
      '`permissions` and repeated `folder`, and it is attached to the session or its root session.',
    () => ({
      requestId: id,
      reply: permissionReply(),
      message: maybe(text, 'With `reject`: words for the model.'),
    }),
  ),
  'question.response': sessionMessage(
    'question.response',
    'The person’s answers to `question.request`, one list of labels or words per question. Refused ' +
      'as `permission.response` is; the capability is `questions`.',
    () => ({ requestId: id, answers: listOf(listOf(text)) }),
  ),
  'session.update': sessionMessage('session.update', 'Renames a session.', () => ({
    title: maybe(text),
  })),
  'session.delete': sessionMessage('session.delete', 'Deletes a session in OpenCode.', () => ({})),
  'session.compact': sessionMessage('session.compact', 'Asks OpenCode to summarise.', () => ({})),
  'session.history': sessionMessage(
    'session.history',
    'Asks for older messages; answered by pages of `snapshot`.',
    () => ({
      before: maybe(id, 'Only messages older than this one.'),
      limit: z.int().check(z.gte(1), z.lte(1000)),
    }),
  ),
  'session.look': sessionMessage(
    'session.look',
    'Asks how a session stands; answered by `session.stands`.',
    () => ({}),
  ),
  'faults.get': plainMessage(
    'faults.get',
    'Asks for `faults`; `agent-boards doctor` does.',
    () => ({}),
  ),
  'catalog.get': plainMessage('catalog.get', 'Asks for `catalog`.', () => ({})),
  ack: ackMessage,
  ping: plainMessage('ping', 'Sign of life; answered by `pong` with `replyTo`.', () => ({})),
} as const;

export type ToBridgeType = keyof typeof TO_BRIDGE;
export type ToBridgeOf<T extends ToBridgeType> = z.infer<ReturnType<(typeof TO_BRIDGE)[T]>>;
/** Any message of a client, discriminated by `type`. */
export type ToBridge = { [T in ToBridgeType]: ToBridgeOf<T> }[ToBridgeType];
export type HelloPayload = ToBridgeOf<'hello'>['payload'];
