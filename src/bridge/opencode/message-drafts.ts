import type { EventOf, MessageInfo, MessagePart } from './opencode-event';
import { readAttachments } from './prompt-parts';
import { RecentMap } from './recent-map';
import type { FromDraft } from '../../core/engine/engine';
import * as z from 'zod/mini';
import { MAX_TEXT } from '../../protocol/fields';
import { lenientOptional } from './opencode-api';
import { refusals } from '../../protocol/snapshot';
import { TASKS_PERMISSION } from '../../core/engine/engine-permissions';

/** Messages, parts and calls to remember; more than a turn has at a time. */
const MAX_REMEMBERED = 500;

/** Memory of a session's messages. Needed since a delta contains only the id of its part. */
export interface MessageMemory extends CountedAnswers {
  /** by message id; undefined for the summary of a compaction, which has no speaker */
  readonly speakers: RecentMap<string, Speaker | undefined>;
  /** by part id */
  readonly kinds: RecentMap<string, 'text' | 'thinking'>;
  /** by call id, the last reported state */
  readonly calls: RecentMap<string, string>;
  /** the newest compaction summary */
  summary: { readonly messageId: string; readonly text: string } | undefined;
}

/** The author of a message's parts, as sent in `message.final`. */
type Speaker = Pick<Final, 'role' | 'agent' | 'model'>;

type Final = Extract<FromDraft, { type: 'message.final' }>['payload'];

export function newMessageMemory(since: number): MessageMemory {
  return {
    since,
    speakers: new RecentMap(MAX_REMEMBERED),
    kinds: new RecentMap(MAX_REMEMBERED),
    calls: new RecentMap(MAX_REMEMBERED),
    counted: new RecentMap(MAX_REMEMBERED),
    summary: undefined,
  };
}

type MessageEvent =
  EventOf<'message.updated'> | EventOf<'message.part.updated'> | EventOf<'message.part.delta'>;

/**
 * Translates message events to prompts, tokens, thinking, complete texts, tool calls and token
 * counts.
 */
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

/** Whether the message is the summary of a compaction, which counts as nobody's answer. */
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
  const content = speaker.role === 'user' ? promptContent(part) : answerContent(part, memory);
  return content === undefined
    ? []
    : [
        {
          type: 'message.final',
          sessionId,
          payload: { messageId, partId, ...content, ...speaker },
        },
      ];
}

type PartContent = Required<Pick<Final, 'kind' | 'text'>> & Pick<Final, 'attached'>;

/**
 * Reads a part of a prompt, which is always complete. A command that runs in a subagent is shown
 * with the agent's name.
 */
function promptContent(part: MessagePart): PartContent | undefined {
  if (part.type === 'subtask') {
    const words = [part.agent === undefined ? '' : `@${part.agent}`, part.prompt ?? ''];
    return { kind: 'text', text: words.join(' ').trim() };
  }
  if (part.type !== 'text' || part.synthetic === true) return undefined;
  const attached = readAttachments(part.metadata);
  return { kind: 'text', text: part.text ?? '', ...(attached.length > 0 && { attached }) };
}

/** Reads a part of an answer, which is complete once it has an end time. */
function answerContent(
  { id, type, text, time }: MessagePart,
  memory: MessageMemory,
): PartContent | undefined {
  if (type !== 'text' && type !== 'reasoning') return undefined;
  const kind = type === 'text' ? 'text' : 'thinking';
  memory.kinds.set(id, kind);
  return time?.end === undefined ? undefined : { kind, text: text ?? '' };
}

/**
 * Reports the state of a tool call, once for each combination of state, title and subagent.
 * @param reported by call id, the last report
 */
function toolDrafts(
  sessionId: string,
  part: MessagePart,
  reported: RecentMap<string, string>,
): readonly FromDraft[] {
  const { callID: callId, tool, state } = part;
  if (callId === undefined || tool === undefined || state === undefined) return [];
  const { status, title, input, output, error } = state;
  const facts = callFacts(tool, state.metadata);
  // A running command repeats its state with every line of output.
  const reportKey = `${part.id} ${status} ${facts.child ?? ''} ${title ?? ''}`;
  if (reported.get(callId) === reportKey) return [];
  reported.set(callId, reportKey);
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
 * Facts in a call's metadata: for `tasks`, which operations were refused; for OpenCode's `task`,
 * the session that it started. Metadata of unknown form gives none.
 */
export function callFacts(tool: string, metadata: unknown): CallFacts {
  if (tool === 'task') {
    const read = metadataOfTask.safeParse(metadata);
    return read.success ? { child: read.data.sessionId } : {};
  }
  const read = tool === TASKS_PERMISSION ? metadataOfTasks.safeParse(metadata) : undefined;
  return read?.success === true ? { refusals: read.data.refusals } : {};
}

type CallFacts = Pick<Extract<FromDraft, { type: 'tool.update' }>['payload'], 'refusals' | 'child'>;

/** Returns the token limits of a model (`provider/model`) for requests and answers, if known. */
export type LimitOf = (model: string) => ModelLimit | undefined;

interface ModelLimit {
  readonly context: number;
  readonly output?: number | undefined;
}

/** The answers whose tokens were reported. */
interface CountedAnswers {
  /** message ids */
  readonly counted: RecentMap<string, true>;
  /** ms since the epoch; answers that were complete before were reported by an earlier process */
  readonly since: number;
}

/**
 * Reports the token counts and cost of an answer once it is complete. Each is reported only once.
 */
function tokenDrafts(
  sessionId: string,
  info: MessageInfo,
  { counted, since }: CountedAnswers,
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
    ...integerField('reasoning', tokens.reasoning),
    ...integerField('cacheRead', tokens.cache?.read),
    ...integerField('cacheWrite', tokens.cache?.write),
    ...(model !== undefined && { model, ...limitFields(limitOf(model)) }),
    ...(isSummary(info) && { summary: true }),
    ...(cost !== undefined && { cost }),
  } as const;
  return [{ type: 'progress.update', sessionId, payload }];
}

function limitFields(limit: ModelLimit | undefined) {
  if (limit === undefined) return {};
  const { context, output } = limit;
  const reserve = output === undefined ? undefined : Math.min(output, MAX_OUTPUT, context - 1);
  return { ...integerField('limit', context), ...integerField('reserve', reserve) };
}

function integerField<K extends string>(name: K, value: number | undefined): { [N in K]?: number } {
  return value === undefined ? {} : ({ [name]: Math.trunc(value) } as { [N in K]?: number });
}

/** The model of a message as `provider/model`; undefined if OpenCode doesn't name it. */
function modelOf({ model, ...own }: MessageInfo): string | undefined {
  const { providerID, modelID } = model ?? own;
  return providerID === undefined || modelID === undefined ? undefined : `${providerID}/${modelID}`;
}

/** The most output tokens that OpenCode requests for one answer, even if the model allows more. */
const MAX_OUTPUT = 32_000;

/** Models to remember; more than a person switches between. */
const MAX_LIMITS = 100;

const request = z.object({
  model: z.object({
    id: z.string(),
    providerID: z.string(),
    limit: z.object({
      context: z.number().check(z.gte(1)),
      output: lenientOptional(z.number().check(z.gte(0))),
    }),
  }),
});

/**
 * The context limits of models. Taken from OpenCode's own requests to them, so they need no extra
 * request and are known before the answer is counted.
 */
export class ModelLimits {
  private readonly limits = new RecentMap<string, ModelLimit>(MAX_LIMITS);

  /** Handles `chat.params`, which is called before each request. Ignores unknown forms. */
  record(input: unknown): void {
    const read = request.safeParse(input);
    if (!read.success) return;
    const { providerID, id, limit } = read.data.model;
    this.limits.set(`${providerID}/${id}`, limit);
  }

  /** @param model `provider/model` */
  get(model: string): ModelLimit | undefined {
    return this.limits.get(model);
  }
}
