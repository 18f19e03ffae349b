import type { CallRefusals } from '../../../protocol/snapshot';
import type { SessionEventOf } from '../session-event-bus';
import type { Block, BlockOf, FieldChange, ReportedChange } from './transcript';
import type { BlockList } from './block-list';
import { MAX_TEXT } from '../../../protocol/fields';

type State = SessionEventOf<'snapshot'>['payload']['state'];

type Message = State['messages'][number];

type Part = Message['parts'][number];

/**
 * The messages of a snapshot as blocks, oldest first; the last part of a working session is live.
 */
export function snapshotBlocks({ messages, status }: Pick<State, 'messages' | 'status'>): Block[] {
  const blocks = messages.flatMap((message) =>
    message.parts.flatMap((part) => partBlock(message, part)),
  );
  const last = blocks.at(-1);
  if (status !== 'idle' && (last?.kind === 'text' || last?.kind === 'thinking')) {
    blocks[blocks.length - 1] = { ...last, live: true };
  }
  return blocks;
}

function partBlock({ messageId, role, created }: Message, part: Part): Block[] {
  const at = created;
  if (part.kind === 'tool') {
    const { callId, tool, status } = part;
    return [
      { kind: 'tool', id: callId, at, tool, status, ...callTexts(part), ...callDetails(part) },
    ];
  }
  const text = truncateText(part.text);
  if (text === '') return [];
  const base = { id: part.partId, messageId, text, at };
  if (role === 'user') {
    const attached = part.kind === 'text' && part.attached ? { attached: part.attached } : {};
    return [{ kind: 'prompt', ...base, ...attached }];
  }
  if (part.kind === 'text' && part.summary === true) {
    return [{ kind: 'compacted', id: `compacted ${messageId}`, at, summary: text }];
  }
  return [{ kind: part.kind, ...base, live: false }];
}

type CallTextField = 'title' | 'input' | 'output' | 'error';

type CallTexts = { [name in CallTextField]?: string | undefined };

/** The text fields of a call that are set, cut to the limit. */
export function callTexts(words: CallTexts): CallTexts {
  const names: readonly CallTextField[] = ['title', 'input', 'output', 'error'];
  const said = names.map((name) => [name, words[name]] as const);
  return Object.fromEntries(
    said.flatMap(([name, text]) => (text === undefined ? [] : [[name, truncateText(text)]])),
  );
}

/** The other fields of a call that are set. */
export function callDetails({ refusals, child }: CallDetails): CallDetails {
  return { ...(refusals !== undefined && { refusals }), ...(child !== undefined && { child }) };
}

interface CallDetails {
  refusals?: CallRefusals | undefined;
  child?: string | undefined;
}

type RequestEvent = SessionEventOf<
  'permission.request' | 'permission.resolved' | 'question.request' | 'question.resolved'
>;

/** The new or changed block for a request or its answer; empty if it is not news. */
export function requestBlock(list: BlockList, { type, ts, payload }: RequestEvent): Block[] {
  const id = payload.requestId;
  if (type === 'permission.request' || type === 'permission.resolved') {
    const here = list.find('permission', id);
    if (type === 'permission.request') {
      return here === undefined ? [{ kind: 'permission', id, request: payload, at: ts }] : [];
    }
    const open = here !== undefined && here.reply === undefined;
    return open ? [{ ...here, reply: payload.reply }] : [];
  }
  const here = list.find('question', id);
  if (type === 'question.request') {
    const asked: Block = { kind: 'question', id, request: payload, resolved: false, at: ts };
    return here === undefined ? [asked] : [];
  }
  if (here?.resolved !== false) return [];
  const { answers } = payload;
  return [{ ...here, resolved: true, ...(answers !== undefined && { answers }) }];
}

/**
 * The pending requests of a snapshot as blocks: new requests, and questions that were resolved
 * meanwhile.
 */
export function waitingBlocks(
  list: BlockList,
  { permissions, questions }: Pick<State, 'permissions' | 'questions'>,
  at: number,
): Block[] {
  const open = new Set(questions.map(({ requestId }) => requestId));
  const over = list.all.flatMap((block): Block[] => {
    if (block.kind !== 'question' || block.resolved || open.has(block.id)) return [];
    return [{ ...block, resolved: true }];
  });
  const permissionBlocks = permissions.flatMap((request): Block[] => {
    const id = request.requestId;
    if (list.find('permission', id) !== undefined) return [];
    return [{ kind: 'permission', id, request, at }];
  });
  const questionBlocks = questions.flatMap((request): Block[] => {
    const id = request.requestId;
    if (list.find('question', id) !== undefined) return [];
    return [{ kind: 'question', id, request, resolved: false, at }];
  });
  return [...over, ...permissionBlocks, ...questionBlocks];
}

type Todos = BlockOf<'todos'>;

/**
 * OpenCode's own list in its current state: updates the block of this turn, or adds one. Undefined
 * if the agent has a board, which shows its tasks itself, or if the list is empty.
 */
export function todosBlock(
  list: Pick<BlockList, 'walkBack'>,
  at: number,
  todos: Todos['todos'],
): Todos | undefined {
  const seen: { here?: Todos; ended: boolean; board: boolean } = { ended: false, board: false };
  list.walkBack((block) => {
    seen.board = block.kind === 'board' && block.by === 'agent';
    seen.ended ||= block.kind === 'turn';
    if (block.kind === 'todos' && !seen.ended) seen.here ??= block;
    return !seen.board;
  });
  const { here, board } = seen;
  if (board || (here === undefined && todos.length === 0)) return undefined;
  const base = here ?? { kind: 'todos' as const, id: `todos ${at}`, at };
  return { ...base, todos: todos.map(({ content, status }) => ({ content, status })) };
}

type BoardBlock = BlockOf<'board'>;

/** Tasks that changed together on a board of the session. */
export type BoardUpdate = Readonly<Omit<BoardBlock, 'kind' | 'id'>>;

/** Maximum tasks that one block lists; further ones are only counted. */
export const MAX_CHANGES = 100;

/**
 * Merges a later change by the same author on the same board into a block: each task once, compared
 * with its state before both changes. Changes that cancel out are left out.
 * @returns undefined if the two can't be merged
 */
export function mergeBoardBlock(block: BoardBlock, news: BoardUpdate): BoardBlock | undefined {
  const { path, by, call } = news;
  if (block.path !== path || block.by !== by || block.call !== call) return undefined;
  const joined = new Map(block.changes.map((change) => [change.key, change]));
  for (const change of news.changes) {
    const before = joined.get(change.key);
    const both = before === undefined ? change : joinChange(before, change);
    if (both === undefined) joined.delete(change.key);
    else joined.set(change.key, both);
  }
  const changes = [...joined.values()];
  const more = (block.more ?? 0) + (news.more ?? 0) + Math.max(0, changes.length - MAX_CHANGES);
  return { ...block, changes: changes.slice(0, MAX_CHANGES), ...(more > 0 && { more }) };
}

function joinChange(before: ReportedChange, after: ReportedChange): ReportedChange | undefined {
  if (before.what === 'added') {
    const { details: _, ...added } = after;
    return after.what === 'removed' ? undefined : { ...added, what: 'added', was: undefined };
  }
  if (after.what === 'removed' || before.was === undefined) return after;
  const details = joinDetails(before.details ?? [], after.details ?? []);
  const told = { ...after, was: before.was, details };
  if (before.was !== after.status) return { ...told, what: 'status' };
  const nothing = details.length === 0 && (before.details ?? after.details) !== undefined;
  const onlyStatus = before.what === 'status' && after.what === 'status' && details.length === 0;
  return nothing || onlyStatus ? undefined : { ...told, what: 'changed' };
}

/** Merges changes per field, from before the first to after the last. */
function joinDetails(before: readonly FieldChange[], after: readonly FieldChange[]): FieldChange[] {
  const joined = new Map(before.map((change) => [change.field, change]));
  for (const change of after) {
    const first = joined.get(change.field);
    joined.set(change.field, first === undefined ? change : { ...change, before: first.before });
  }
  return [...joined.values()].filter((change) => change.before !== change.after);
}

/** The first 256 Ki of a text, cut like a sender of whole texts does. */
export function truncateText(text: string): string {
  return text.length <= MAX_TEXT ? text : text.slice(0, MAX_TEXT);
}
