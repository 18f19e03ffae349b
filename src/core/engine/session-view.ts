import * as z from 'zod/mini';
import { MAX_ID, MAX_TEXT, type SessionTwin } from '../../protocol/fields';
import { callFactFields } from '../../protocol/snapshot';
import { lazy } from '../lazy';
import type { CreatedDraft, Engine, FromDraft, SnapshotState } from './engine';
import { cutPrompt, cutText } from './history-pages';
import type { LiveSession } from './live-session';
import {
  messageRecords,
  newestAnswer,
  resultsOf,
  type LoggedAnswer,
  type LoggedCall,
  type LoggedResult,
  type MessageRecord,
  type SessionFacts,
} from './session-log';
import { partIdOf, type LiveAnswer } from './live-answer';

type Message = SnapshotState['messages'][number];

type Part = Message['parts'][number];

type Final = Extract<FromDraft, { type: 'message.final' }>;

/** The `session.created` message of an existing session. */
export function createdFrom(
  facts: SessionFacts,
  directory: string,
  program?: string,
): CreatedDraft {
  const { id, title, agent, parentId, board } = facts;
  const payload = {
    ...{ title, directory, ...twinOf(facts, true, program) },
    ...(parentId !== undefined && { parentId }),
    ...(agent !== undefined && { agent }),
    ...(board !== undefined && { board }),
  };
  return { type: 'session.created', sessionId: id, payload };
}

/**
 * The session's twin in the program behind the engine, if its id fits the protocol.
 * @param opened whether the engine started or opened it, rather than only listing it
 * @param program see `SessionEngineServices`
 */
export function twinOf(
  { agentSession: id }: Pick<SessionFacts, 'agentSession'>,
  opened: boolean,
  program?: string,
): { readonly twin?: SessionTwin } {
  if (id === undefined || id === '' || id.length > MAX_ID) return {};
  return { twin: { id, opened, ...(program !== undefined && { program }) } };
}

export function finalDraft(
  sessionId: string,
  role: 'user' | 'assistant',
  part: Pick<Final['payload'], 'messageId' | 'partId' | 'kind' | 'text' | 'attached'>,
  { agent, model }: { readonly agent?: string | undefined; readonly model?: string | undefined },
): Final {
  const by = { ...(agent !== undefined && { agent }), ...(model !== undefined && { model }) };
  return { type: 'message.final', sessionId, payload: { ...part, role, ...by } };
}

/** The state of a session without its messages. */
export function snapshotState({
  facts,
  turn,
  requests,
}: LiveSession): Omit<SnapshotState, 'messages'> {
  const { title, parentId, agent } = facts;
  return {
    ...{ title, status: turn?.progress.kind ?? 'idle' },
    permissions: requests.all.flatMap((ask) =>
      ask.type === 'permission.request' ? [ask.payload] : [],
    ),
    questions: requests.all.flatMap((ask) =>
      ask.type === 'question.request' ? [ask.payload] : [],
    ),
    todos: [],
    ...(parentId !== undefined && { parentId }),
    ...(agent !== undefined && { agent }),
  };
}

/** All messages, oldest first, including the answer that is being written. */
export function messagesOf({ records, turn }: LiveSession): readonly Message[] {
  const results = resultsOf(records);
  const told = messageRecords(records).map((one) => messageOf(one, results, turn?.running));
  const live = turn?.live;
  if (turn === undefined || live === undefined) return told;
  const { id: messageId, at: created } = live;
  return [...told, { messageId, role: 'assistant', created, parts: liveParts(live, turn.running) }];
}

function messageOf(
  one: MessageRecord,
  results: ReadonlyMap<string, LoggedResult>,
  running: RunningCalls = new Map(),
): Message {
  const { id: messageId, at: created } = one;
  const partId = partIdOf(messageId, 'text');
  if (one.kind === 'prompt') {
    const attached = one.attached && { attached: [...one.attached] };
    const part = { kind: 'text', partId, text: cutPrompt(one.text), ...attached } as const;
    return { messageId, role: 'user', created, parts: [part] };
  }
  if (one.kind === 'summary') {
    const part = { kind: 'text', partId, text: cutText(one.text), summary: true } as const;
    return { messageId, role: 'assistant', created, parts: [part] };
  }
  const { thinking, text, calls } = one;
  const parts: Part[] = [
    ...(thinking === undefined || thinking.text === ''
      ? []
      : [
          {
            kind: 'thinking' as const,
            partId: partIdOf(messageId, 'thinking'),
            text: cutText(thinking.text),
          },
        ]),
    ...(text === '' ? [] : [{ kind: 'text' as const, partId, text: cutText(text) }]),
    ...calls.map((call) => callPart(call, results.get(call.id), running)),
  ];
  return { messageId, role: 'assistant', created, parts };
}

function callPart(
  { id: callId, name: tool, args }: LoggedCall,
  result: LoggedResult | undefined,
  running: RunningCalls,
): Part {
  const input = args === '' ? {} : { input: cutText(args) };
  const call = { kind: 'tool' as const, partId: callId, callId, tool, ...input };
  return { ...call, ...callState(callId, result, running) };
}

type RunningCalls = NonNullable<LiveSession['turn']>['running'];

function callState(callId: string, result: LoggedResult | undefined, running: RunningCalls) {
  if (running.has(callId)) {
    return { status: 'running' as const, ...callFactsIn({ child: running.get(callId) }) };
  }
  if (result === undefined) return { status: 'error' as const, error: 'The turn was interrupted.' };
  const { ok, title, output, metadata } = result;
  if (!ok) return { status: 'error' as const, error: cutText(output), ...callFactsIn(metadata) };
  const told = { status: 'completed' as const, output: cutText(output), ...callFactsIn(metadata) };
  return title === undefined ? told : { ...told, title: cutText(title) };
}

function liveParts({ id, text, thinking, calls }: LiveAnswer, running: RunningCalls): Part[] {
  const said = (['thinking', 'text'] as const).flatMap((kind): Part[] => {
    const written = kind === 'text' ? text : thinking;
    return written === ''
      ? []
      : [{ kind, partId: partIdOf(id, kind), text: written.slice(0, MAX_LIVE) }];
  });
  return [...said, ...calls.map(({ call, result }) => callPart(call, result, running))];
}

/** Maximum characters of a part that is being written, so that it fits into a page. */
const MAX_LIVE = 64 * 1024;

const facts = lazy(() => z.object(callFactFields()));

/** The known fields in the metadata of a call. */
export function callFactsIn(metadata: unknown): z.infer<ReturnType<typeof facts>> {
  const read = facts().safeParse(metadata);
  return read.success ? read.data : {};
}

/** The status of a session and its newest answer. */
export function statusFrom(
  session: LiveSession,
): Awaited<ReturnType<Engine['getStatus']>>['status'] {
  const { records, turn } = session;
  const status = turn?.progress.kind ?? 'idle';
  const keyOf = (prompt: string) => {
    const key = records.find((one) => one.kind === 'prompt' && one.id === prompt);
    return key?.kind === 'prompt' && key.key !== undefined ? { key: key.key } : {};
  };
  const live = turn?.live;
  if (live !== undefined) {
    const { id: messageId, text, prompt } = live;
    const answer = { messageId, text: text.slice(-MAX_TEXT), end: 'open', error: '' } as const;
    return { status, answer: { ...answer, ...keyOf(prompt) } };
  }
  const newest = newestAnswer(records);
  if (newest === undefined) return { status };
  const { id: messageId, text, prompt, error } = newest;
  const told = {
    messageId,
    text: text.slice(-MAX_TEXT),
    end: endOf(newest),
    error: error?.message ?? '',
    ...(error !== undefined && { code: error.code }),
  };
  return { status, answer: { ...told, ...keyOf(prompt) } };
}

function endOf({ end }: LoggedAnswer): 'open' | 'completed' | 'interrupted' | 'error' {
  return end === 'calls' ? 'open' : end;
}
