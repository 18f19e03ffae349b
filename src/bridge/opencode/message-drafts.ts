import type { EventOf, MessageInfo, MessagePart } from './opencode-event';
import { attachedIn } from './prompt-parts';
import { RecentMap } from './recent-map';
import type { FromDraft } from '../../core/engine/engine';
import * as z from 'zod/mini';
import { MAX_TEXT } from '../../protocol/fields';
import { may } from './opencode-api';
import { refusals } from '../../protocol/snapshot';
import { TASKS } from '../../core/engine/asked';

/** More messages, parts and calls than a turn has at one time. */
const REMEMBERED = 500;

/** What is remembered of one session's messages, since a delta says only which part it belongs to. */
export interface MessageMemory extends Told {
  /** by message id; a summary that the agent writes for itself is of nobody */
  readonly speakers: RecentMap<string, Speaker | undefined>;
  /** by part id */
  readonly kinds: RecentMap<string, 'text' | 'thinking'>;
  /** by call id: what was told of it last */
  readonly calls: RecentMap<string, string>;
  /** the newest summary of a compaction */
  summary: { readonly messageId: string; readonly text: string } | undefined;
}

/** Whose words a message's parts are, as its `message.final` says it. */
type Speaker = Pick<Final, 'role' | 'agent' | 'model'>;

type Final = Extract<FromDraft, { type: 'message.final' }>['payload'];

export function newMessageMemory(since: number): MessageMemory {
  return {
    since,
    speakers: new RecentMap(REMEMBERED),
    kinds: new RecentMap(REMEMBERED),
    calls: new RecentMap(REMEMBERED),
    counted: new RecentMap(REMEMBERED),
    summary: undefined,
  };
}

type MessageEvent =
  EventOf<'message.updated'> | EventOf<'message.part.updated'> | EventOf<'message.part.delta'>;

/** Prompts, tokens, thinking, whole texts, tool calls and token counts of a session. */
export function messageDrafts(
  event: MessageEvent,
  memory: MessageMemory,
  limitOf: LimitOf,
): readonly FromDraft[] {
  const sessionId = event.properties.sessionID;
  switch (event.type) {
    case 'message.updated': {
      const { info } = event.properties;
      memory.speakers.set(info.id, speakerOf(info));
      if (isSummary(info) && memory.summary?.messageId !== info.id) {
        memory.summary = { messageId: info.id, text: '' };
      }
      return tokenDrafts(sessionId, info, memory, limitOf);
    }
    case 'message.part.updated':
      return partDrafts(sessionId, event.properties.part, memory);
    case 'message.part.delta': {
      const { messageID: messageId, partID: partId, field, delta } = event.properties;
      const kind = field === 'text' ? memory.kinds.get(partId) : undefined;
      if (kind === undefined) return [];
      const type = kind === 'text' ? 'stream.token' : 'stream.thinking';
      return [{ type, sessionId, payload: { messageId, partId, delta } }];
    }
  }
}

function speakerOf(info: MessageInfo): Speaker | undefined {
  if (isSummary(info)) return undefined;
  const { role, agent } = info;
  const model = modelOf(info);
  return { role, ...(agent !== undefined && { agent }), ...(model !== undefined && { model }) };
}

/** The answer to a compaction, which is nobody's words. */
function isSummary({ role, mode }: MessageInfo): boolean {
  return role === 'assistant' && mode === 'compaction';
}

function partDrafts(
  sessionId: string,
  part: MessagePart,
  memory: MessageMemory,
): readonly FromDraft[] {
  const { id: partId, messageID: messageId } = part;
  if (part.type === 'tool') return toolDrafts(sessionId, part, memory.calls);
  if (part.type === 'text' && memory.summary?.messageId === messageId) {
    memory.summary = { messageId, text: (part.text ?? '').slice(0, MAX_TEXT) };
    return [];
  }
  const speaker = memory.speakers.get(messageId);
  if (speaker === undefined) return [];
  const said = speaker.role === 'user' ? prompted(part) : answered(part, memory);
  return said === undefined
    ? []
    : [{ type: 'message.final', sessionId, payload: { messageId, partId, ...said, ...speaker } }];
}

type Said = Required<Pick<Final, 'kind' | 'text'>> & Pick<Final, 'attached'>;

/** A prompt comes whole; that of a command that has a sub-agent do it names the sub-agent. */
function prompted(part: MessagePart): Said | undefined {
  if (part.type === 'subtask') {
    const words = [part.agent === undefined ? '' : `@${part.agent}`, part.prompt ?? ''];
    return { kind: 'text', text: words.join(' ').trim() };
  }
  if (part.type !== 'text' || part.synthetic === true) return undefined;
  const attached = attachedIn(part.metadata);
  return { kind: 'text', text: part.text ?? '', ...(attached.length > 0 && { attached }) };
}

/** An answer's parts are whole when they have an end. */
function answered({ id, type, text, time }: MessagePart, memory: MessageMemory): Said | undefined {
  if (type !== 'text' && type !== 'reasoning') return undefined;
  const kind = type === 'text' ? 'text' : 'thinking';
  memory.kinds.set(id, kind);
  return time?.end === undefined ? undefined : { kind, text: text ?? '' };
}

/**
 * Reports the state of a tool's call, once for each state, title and sub-agent.
 * @param told by call id: the last report
 */
function toolDrafts(
  sessionId: string,
  part: MessagePart,
  told: RecentMap<string, string>,
): readonly FromDraft[] {
  const { callID: callId, tool, state } = part;
  if (callId === undefined || tool === undefined || state === undefined) return [];
  const { status, title, input, output, error } = state;
  const facts = callFacts(tool, state.metadata);
  // A running command repeats its state with every line that it prints.
  const now = `${part.id} ${status} ${facts.child ?? ''} ${title ?? ''}`;
  if (told.get(callId) === now) return [];
  told.set(callId, now);
  const payload = {
    callId,
    tool,
    status,
    ...(title !== undefined && { title }),
    ...(input !== undefined && status !== 'pending' && { input }),
    ...(output !== undefined && { output }),
    ...(error !== undefined && { error }),
    ...facts,
  };
  return [{ type: 'tool.update', sessionId, payload }];
}

const metadataOfTask = z.object({ sessionId: z.string() });

const metadataOfTasks = z.object({ refusals: refusals() });

/**
 * What the metadata of a call says of it: of ours what was refused, of OpenCode's own `task` the
 * session that it started. Metadata of any other form says nothing.
 */
export function callFacts(tool: string, metadata: unknown): CallFacts {
  if (tool === 'task') {
    const read = metadataOfTask.safeParse(metadata);
    return read.success ? { child: read.data.sessionId } : {};
  }
  const read = tool === TASKS ? metadataOfTasks.safeParse(metadata) : undefined;
  return read?.success === true ? { refusals: read.data.refusals } : {};
}

type CallFacts = Pick<Extract<FromDraft, { type: 'tool.update' }>['payload'], 'refusals' | 'child'>;

/** How many tokens a request and an answer of a model (`provider/model`) may have, where that is known. */
export type LimitOf = (model: string) => ModelLimit | undefined;

interface ModelLimit {
  readonly context: number;
  readonly output?: number | undefined;
}

/** Which answers were told of. */
interface Told {
  /** ids of messages */
  readonly counted: RecentMap<string, true>;
  /** ms since the epoch: what was complete before was told by a process before this one */
  readonly since: number;
}

/** What an answer cost, once it is complete; each is told once. */
function tokenDrafts(
  sessionId: string,
  info: MessageInfo,
  { counted, since }: Told,
  limitOf: LimitOf,
): readonly FromDraft[] {
  const { id, tokens, cost } = info;
  if (info.role !== 'assistant' || info.time.completed === undefined || !tokens) return [];
  if (tokens.input === 0 && tokens.output === 0) return [];
  if (counted.get(id) || info.time.completed < since) return [];
  counted.set(id, true);
  const model = modelOf(info);
  const payload = {
    kind: 'tokens',
    messageId: id,
    input: Math.trunc(tokens.input),
    output: Math.trunc(tokens.output),
    ...whole('reasoning', tokens.reasoning),
    ...whole('cacheRead', tokens.cache?.read),
    ...whole('cacheWrite', tokens.cache?.write),
    ...(model !== undefined && { model, ...limitsTold(limitOf(model)) }),
    ...(isSummary(info) && { summary: true }),
    ...(cost !== undefined && { cost }),
  } as const;
  return [{ type: 'progress.update', sessionId, payload }];
}

function limitsTold(limit: ModelLimit | undefined) {
  if (limit === undefined) return {};
  const { context, output } = limit;
  const reserve = output === undefined ? undefined : Math.min(output, MOST_OUTPUT, context - 1);
  return { ...whole('limit', context), ...whole('reserve', reserve) };
}

function whole<K extends string>(name: K, value: number | undefined): { [N in K]?: number } {
  return value === undefined ? {} : ({ [name]: Math.trunc(value) } as { [N in K]?: number });
}

/** The model of a message as `provider/model`; undefined where OpenCode doesn't say. */
function modelOf({ model, ...own }: MessageInfo): string | undefined {
  const { providerID, modelID } = model ?? own;
  return providerID === undefined || modelID === undefined ? undefined : `${providerID}/${modelID}`;
}

/** What OpenCode asks of a model at most for one answer, however long its answers may be. */
const MOST_OUTPUT = 32_000;

/** More models than a person changes between. */
const MOST_LIMITS = 100;

const request = z.object({
  model: z.object({
    id: z.string(),
    providerID: z.string(),
    limit: z.object({
      context: z.number().check(z.gte(1)),
      output: may(z.number().check(z.gte(0))),
    }),
  }),
});

/**
 * How many tokens fit into a request of each model, as OpenCode says it with the request itself:
 * no question is asked for it, and it is known before the answer is counted.
 */
export class ModelLimits {
  private readonly limits = new RecentMap<string, ModelLimit>(MOST_LIMITS);

  /** `chat.params`: a request is about to be made. One of another form says nothing. */
  heard(input: unknown): void {
    const read = request.safeParse(input);
    if (!read.success) return;
    const { providerID, id, limit } = read.data.model;
    this.limits.set(`${providerID}/${id}`, limit);
  }

  /** @param model `provider/model` */
  of(model: string): ModelLimit | undefined {
    return this.limits.get(model);
  }
}
