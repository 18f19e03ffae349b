import * as z from 'zod/mini';
import type { ToBridgeOf } from '../../protocol/to-bridge';
import { WireError } from '../../protocol/wire-error';
import {
  validItems,
  lenientOptional,
  sessionPath,
  toolName,
  type OpencodeApi,
} from './opencode-api';
import { orElse } from '../../core/or-else';
import { readAttachments } from './prompt-parts';
import { callFacts } from './message-drafts';
import { eventFault } from './opencode-event';
import type { SnapshotState } from '../../core/engine/engine';
import { cutPrompt, cutText, splitIntoPages } from '../../core/engine/history-pages';

type Message = SnapshotState['messages'][number];

type Part = Message['parts'][number];

/** A message as OpenCode stores it. */
export const storedMessage = z.object({
  info: z.object({
    id: z.string(),
    role: z.string(),
    parentID: lenientOptional(z.string()),
    mode: lenientOptional(z.string()),
    finish: lenientOptional(z.string()),
    time: z.object({ created: z.number(), completed: lenientOptional(z.number()) }),
    error: lenientOptional(eventFault),
  }),
  parts: orElse(
    validItems(
      z.object({
        id: z.string(),
        type: z.string(),
        text: lenientOptional(z.string()),
        synthetic: lenientOptional(z.boolean()),
        metadata: z.optional(z.unknown()),
        tool: lenientOptional(toolName),
        callID: lenientOptional(z.string()),
        state: lenientOptional(
          z.object({
            status: z.enum(['pending', 'running', 'completed', 'error']),
            input: z.optional(z.unknown()),
            title: lenientOptional(z.string()),
            output: lenientOptional(z.string()),
            error: lenientOptional(z.string()),
            metadata: z.optional(z.unknown()),
          }),
        ),
      }),
    ),
    [],
  ),
});

type RequestApi = Pick<OpencodeApi, 'ask'>;

export type StoredMessage = z.infer<typeof storedMessage>;

/**
 * Reads the `messages` of a session before a given one (or the newest ones), oldest first, in
 * pages.
 * @throws WireError `unknown_session`; `bad_message` if there is no such message
 */
export async function readHistory(
  api: OpencodeApi,
  { sessionId, payload }: Pick<ToBridgeOf<'session.history'>, 'sessionId' | 'payload'>,
): Promise<readonly (readonly Message[])[]> {
  const { before, limit } = payload;
  if (before !== undefined && !/^[A-Za-z0-9_-]{1,256}$/.test(before)) {
    throw new WireError('bad_message', 'before: no message.');
  }
  const end = before === undefined ? undefined : await readMessage(api, sessionId, before);
  const stored = await readMessages(api, sessionId, storedMessage, limit, end?.info);
  return splitIntoPages(stored.flatMap(toMessage));
}

/** @throws WireError `unknown_session`, also if there is no such message */
export function readMessage(
  api: RequestApi,
  sessionId: string,
  id: string,
): Promise<StoredMessage> {
  const path = `${sessionPath(sessionId)}/message/${encodeURIComponent(id)}`;
  return api.ask(storedMessage, { method: 'GET', path });
}

/**
 * Messages of a session, oldest first: the newest ones, or those older than a given one. OpenCode
 * expects a cursor with id and time.
 */
export function readMessages<T>(
  api: RequestApi,
  sessionId: string,
  form: z.ZodMiniType<T>,
  limit: number,
  older?: { readonly id: string; readonly time: { readonly created: number } },
): Promise<T[]> {
  const cursor = older && JSON.stringify({ id: older.id, time: older.time.created });
  const before = cursor && { before: Buffer.from(cursor).toString('base64url') };
  const path = `${sessionPath(sessionId)}/message`;
  return api.ask(validItems(form), {
    method: 'GET',
    path,
    query: { limit: String(limit), ...before },
  });
}

/** Returns an empty list for an unknown role. */
function toMessage({ info, parts }: StoredMessage): Message[] {
  const { id: messageId, role, time } = info;
  if (role !== 'user' && role !== 'assistant') return [];
  const converted = parts.flatMap((part) => toPart(part, role, info.mode === 'compaction'));
  return [{ messageId, role, created: time.created, parts: converted }];
}

function toPart(
  part: StoredMessage['parts'][number],
  role: Message['role'],
  summary: boolean,
): Part[] {
  const partId = part.id;
  if (part.type === 'text' && part.synthetic !== true) {
    const attached = readAttachments(part.metadata);
    const contentFields = { ...(attached.length > 0 && { attached }), ...(summary && { summary }) };
    const text = role === 'user' ? cutPrompt(part.text ?? '') : cutText(part.text ?? '');
    return [{ kind: 'text', partId, text, ...contentFields }];
  }
  if (part.type === 'reasoning')
    return [{ kind: 'thinking', partId, text: cutText(part.text ?? '') }];
  const { callID: callId, tool, state } = part;
  if (part.type !== 'tool' || callId === undefined || tool === undefined || !state) return [];
  const { status, title, input, output, error } = state;
  const callFields = {
    ...(title !== undefined && { title: cutText(title) }),
    ...(input !== undefined && input !== null && { input: cutText(JSON.stringify(input)) }),
    ...(output !== undefined && { output: cutText(output) }),
    ...(error !== undefined && { error: cutText(error) }),
    ...callFacts(tool, state.metadata),
  };
  return [{ kind: 'tool', partId, callId, tool, status, ...callFields }];
}
