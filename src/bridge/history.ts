import * as z from 'zod/mini';
import type { ToBridgeOf } from '../protocol/to-bridge';
import { WireError } from '../protocol/wire-error';
import { sessionPath, type OpencodeApi } from './opencode-api';
import type { FromDraft } from './translate';

type Snapshot = Extract<FromDraft, { type: 'snapshot' }>['payload'];
type Message = Snapshot['state']['messages'][number];
type Part = Message['parts'][number];

const message = z.object({
  info: z.object({
    id: z.string(),
    role: z.enum(['user', 'assistant']),
    time: z.object({ created: z.number() }),
  }),
  parts: z.array(
    z.object({
      id: z.string(),
      type: z.string(),
      text: z.optional(z.string()),
      synthetic: z.optional(z.boolean()),
      tool: z.optional(z.string()),
      callID: z.optional(z.string()),
      state: z.optional(
        z.object({
          status: z.enum(['pending', 'running', 'completed', 'error']),
          input: z.optional(z.unknown()),
          title: z.optional(z.string()),
          output: z.optional(z.string()),
          error: z.optional(z.string()),
        }),
      ),
    }),
  ),
});
type Stored = z.infer<typeof message>;

/** Messages in one page: with every string cut to 8 Ki a page then stays far under a frame. */
const PAGE = 20;
/** A turn with many tool calls has many parts: they fill a page as well. */
const MOST_PARTS = 40;
const MOST_TEXT = 8 * 1024;

/**
 * The `messages` of a session before one of them (else its newest), oldest first, in pages.
 * @throws WireError `unknown_session`; `bad_message` where there is no such message
 */
export async function readHistory(
  api: OpencodeApi,
  { sessionId, payload }: Pick<ToBridgeOf<'session.history'>, 'sessionId' | 'payload'>,
): Promise<readonly (readonly Message[])[]> {
  const path = `${sessionPath(sessionId)}/message`;
  const { before, limit } = payload;
  const query = {
    limit: String(limit),
    ...(before !== undefined && { before: await cursor(api, path, before) }),
  };
  const stored = await api.ask(z.array(message), { method: 'GET', path, query });
  const messages = stored.map(toMessage);
  const pages: Message[][] = [[]];
  for (const one of messages) {
    const page = pages.at(-1) ?? [];
    const parts = [...page, one].reduce((sum, { parts }) => sum + parts.length, 0);
    if (page.length === 0 || (page.length < PAGE && parts <= MOST_PARTS)) page.push(one);
    else pages.push([one]);
  }
  return pages;
}

/** OpenCode wants a place in its list, not an id: both of the message that the page ends before. */
async function cursor(api: OpencodeApi, path: string, id: string): Promise<string> {
  if (!/^[A-Za-z0-9_-]{1,256}$/.test(id)) throw new WireError('bad_message', 'before: no message.');
  const found = await api.ask(message, { method: 'GET', path: `${path}/${id}` });
  return placeBefore(id, found.info.time.created);
}

/** For `before` of OpenCode's list: the messages older than that one. */
export function placeBefore(id: string, time: number): string {
  return Buffer.from(JSON.stringify({ id, time })).toString('base64url');
}

function toMessage({ info, parts }: Stored): Message {
  const { id: messageId, role, time } = info;
  return { messageId, role, created: time.created, parts: parts.flatMap(toPart) };
}

function toPart(part: Stored['parts'][number]): Part[] {
  const partId = part.id;
  if (part.type === 'text' && part.synthetic !== true) {
    return [{ kind: 'text', partId, text: cut(part.text ?? '') }];
  }
  if (part.type === 'reasoning') return [{ kind: 'thinking', partId, text: cut(part.text ?? '') }];
  const { callID: callId, tool, state } = part;
  if (part.type !== 'tool' || callId === undefined || tool === undefined || !state) return [];
  const { status, title, input, output, error } = state;
  const told = {
    ...(title !== undefined && { title: cut(title) }),
    ...(input !== undefined && { input: cut(JSON.stringify(input)) }),
    ...(output !== undefined && { output: cut(output) }),
    ...(error !== undefined && { error: cut(error) }),
  };
  return [{ kind: 'tool', partId, callId, tool, status, ...told }];
}

function cut(text: string): string {
  return text.length <= MOST_TEXT ? text : `${text.slice(0, MOST_TEXT)}…`;
}
