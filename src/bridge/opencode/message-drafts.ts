import type { EventOf, MessageInfo, MessagePart } from './opencode-event';
import { attachedIn } from './prompt-parts';
import { RecentMap } from './recent-map';
import type { FromDraft } from '../engine';
import * as z from 'zod/mini';
import { refusals } from '../../protocol/snapshot';
import { TASKS } from './permission-defaults';

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
  const { role, agent } = info;
  if (role === 'assistant' && info.mode === 'compaction') return undefined;
  const model = modelOf(info);
  return { role, ...(agent !== undefined && { agent }), ...(model !== undefined && { model }) };
}

function partDrafts(
  sessionId: string,
  part: MessagePart,
  memory: MessageMemory,
): readonly FromDraft[] {
  const { id: partId, messageID: messageId } = part;
  if (part.type === 'tool') return toolDrafts(sessionId, part, memory.calls);
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

/** How many tokens fit into one request of a model (`provider/model`), where that is known. */
export type LimitOf = (model: string) => number | undefined;

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
    ...(model !== undefined && { model, ...whole('limit', limitOf(model)) }),
    ...(cost !== undefined && { cost }),
  } as const;
  return [{ type: 'progress.update', sessionId, payload }];
}

function whole<K extends string>(name: K, value: number | undefined): { [N in K]?: number } {
  return value === undefined ? {} : ({ [name]: Math.trunc(value) } as { [N in K]?: number });
}

/** The model of a message as `provider/model`; undefined where OpenCode doesn't say. */
function modelOf({ model, ...own }: MessageInfo): string | undefined {
  const { providerID, modelID } = model ?? own;
  return providerID === undefined || modelID === undefined ? undefined : `${providerID}/${modelID}`;
}

/** More models than a person changes between. */
const MOST_LIMITS = 100;

const request = z.object({
  model: z.object({
    id: z.string(),
    providerID: z.string(),
    limit: z.object({ context: z.number().check(z.gte(1)) }),
  }),
});

/**
 * How many tokens fit into a request of each model, as OpenCode says it with the request itself:
 * no question is asked for it, and it is known before the answer is counted.
 */
export class ModelLimits {
  private readonly limits = new RecentMap<string, number>(MOST_LIMITS);

  /** `chat.params`: a request is about to be made. One of another form says nothing. */
  heard(input: unknown): void {
    const read = request.safeParse(input);
    if (!read.success) return;
    const { providerID, id, limit } = read.data.model;
    this.limits.set(`${providerID}/${id}`, limit.context);
  }

  /** @param model `provider/model` */
  of(model: string): number | undefined {
    return this.limits.get(model);
  }
}
