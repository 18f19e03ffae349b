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
    note: maybe(
      text,
      'The active note. With `selection`, the note that contains the selected text.',
    ),
    selection: maybe(text),
    attached: maybe(listOf(text), 'Paths of the notes that the person named in the prompt.'),
    related: maybe(
      z.object({
        text: text.check(z.describe('Passed to the model unchanged.')),
        notes: listOf(z.object({ path: text, tokens: wholeNumber })),
      }),
      'Related notes that are sent with the prompt: their texts, and their paths. Only a ' +
        'bridge with the feature `notes` reads this field.',
    ),
  }),
);

/** All messages of a client to a bridge, by type. */
export const TO_BRIDGE = {
  hello: plainMessage('hello', 'The first frame of a connection. Identifies the client.', () => ({
    client: name,
    version: name,
    vault: name,
    folder: maybe(
      id,
      'The `folder` of the run file. Without it, the client may neither run tools nor ' +
        'answer requests.',
    ),
    capabilities: listOf(name).check(
      z.describe(
        '`tools`: the client answers tool calls. `permissions`, `questions`: it shows such ' +
          'requests to a person and answers them, in sessions that it is attached to.',
      ),
    ),
    attempt: maybe(
      wholeNumber,
      'Number of this connection of the client, from 1. A connection that arrives after one ' +
        'with a higher number is refused.',
    ),
    resume: maybe(
      listOf(z.object({ sessionId: id, epoch: id, lastSeq: wholeNumber })),
      'For each session, the last `seq` that the client received on its previous ' +
        'connection, and its epoch. The client is attached to these sessions.',
    ),
  })),
  'session.start': plainMessage(
    'session.start',
    'Starts a session. Answered by `session.created` with the same `requestId`, or by ' +
      '`error`.',
    () => ({
      requestId: id.check(z.describe('Matches the answer to this request.')),
      title: maybe(text),
      agent: maybe(name),
      model: maybe(modelId),
      parentId: maybe(id),
      board: maybe(
        boundBoard(),
        'The session works on this board only, whatever board its calls name.',
      ),
      key: maybe(
        id,
        'Idempotency key, valid also after a restart of OpenCode. If a session was already ' +
          'started with this key, that session is the answer.',
      ),
    }),
  ),
  'session.attach': sessionMessage(
    'session.attach',
    'Subscribes to the messages of a session. The bridge sends the open ' +
      '`permission.request` and `question.request` messages of the session again.',
    () => ({}),
  ),
  'session.list': plainMessage(
    'session.list',
    'Requests the list of sessions. Answered by a `welcome` with `replyTo`.',
    () => ({}),
  ),
  'session.message': sessionMessage(
    'session.message',
    'A person’s prompt to the agent. A refused prompt is answered by an `error` with ' +
      '`replyTo`. An accepted one with a `key` is answered by `prompt.taken`; without a ' +
      'key, the messages of the session show that it runs.',
    () => ({
      text,
      agent: maybe(name),
      model: maybe(modelId),
      context: maybe(promptContext()),
      key: maybe(
        id,
        'Idempotency key within the session, stored with the prompt. A prompt whose key is ' +
          'already stored is not sent again.',
      ),
    }),
  ),
  'session.interrupt': sessionMessage(
    'session.interrupt',
    'Stops the running turn. Sent before queued tokens.',
    () => ({}),
  ),
  'tool.result': sessionMessage(
    'tool.result',
    'The answer to `tool.call`, a result or an error. The first answer counts.',
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
        ms: z.number().check(z.nonnegative(), z.describe('Duration of the call in milliseconds.')),
      }),
    }),
  ),
  'tool.waiting': sessionMessage(
    'tool.waiting',
    'The call waits for a person’s decision. Its time limit is paused until then.',
    () => ({
      callId: id,
      ms: maybe(
        wholeNumber,
        'How long the person has, in milliseconds. Absent: no limit. 0: the call no longer ' +
          'waits for a person, and its time limit starts again.',
      ),
    }),
  ),
  'permission.response': sessionMessage(
    'permission.response',
    'The person’s answer to `permission.request`. The first answer counts. Accepted only ' +
      'if the client’s `hello` named the capability `permissions` and the right `folder`, ' +
      'and if the client is attached to the session or its root session. Otherwise it is ' +
      'refused with `unauthorized`, and the request stays open.',
    () => ({
      requestId: id,
      reply: permissionReply(),
      message: maybe(text, 'With `reject`: a message for the model.'),
    }),
  ),
  'question.response': sessionMessage(
    'question.response',
    'The person’s answers to `question.request`: for each question a list of labels or ' +
      'free texts. Accepted under the same conditions as `permission.response`, with the ' +
      'capability `questions`.',
    () => ({ requestId: id, answers: listOf(listOf(text)) }),
  ),
  'session.update': sessionMessage('session.update', 'Renames a session.', () => ({
    title: maybe(text),
  })),
  'session.delete': sessionMessage('session.delete', 'Deletes a session.', () => ({})),
  'session.compact': sessionMessage(
    'session.compact',
    'Requests a compaction: the conversation is replaced by a summary.',
    () => ({}),
  ),
  'session.history': sessionMessage(
    'session.history',
    'Requests older messages. Answered by pages of `snapshot`.',
    () => ({
      before: maybe(id, 'Only messages older than this one.'),
      limit: z.int().check(z.gte(1), z.lte(1000)),
    }),
  ),
  'session.look': sessionMessage(
    'session.look',
    'Requests the state of a session. Answered by `session.stands`.',
    () => ({}),
  ),
  'faults.get': plainMessage(
    'faults.get',
    'Requests `faults`, as `agent-boards doctor` does.',
    () => ({}),
  ),
  'catalog.get': plainMessage('catalog.get', 'Requests `catalog`.', () => ({})),
  ack: ackMessage,
  ping: plainMessage(
    'ping',
    'Checks that the other side is alive. Answered by `pong` with `replyTo`.',
    () => ({}),
  ),
} as const;

export type ToBridgeType = keyof typeof TO_BRIDGE;
export type ToBridgeOf<T extends ToBridgeType> = z.infer<ReturnType<(typeof TO_BRIDGE)[T]>>;
/** Any message of a client, discriminated by `type`. */
export type ToBridge = { [T in ToBridgeType]: ToBridgeOf<T> }[ToBridgeType];
export type HelloPayload = ToBridgeOf<'hello'>['payload'];
