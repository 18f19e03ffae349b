import type { EventOf, MessageInfo, MessagePart } from './opencode-event';
import { RecentMap } from './recent-map';
import type { FromDraft } from './translate';

/** More messages, parts and calls than a turn has at one time. */
const REMEMBERED = 500;

/** What is remembered of one session's messages, since a delta says only which part it belongs to. */
export interface MessageMemory {
  /** by message id: whether it is the agent's answer (a summary for the agent itself is not) */
  readonly answers: RecentMap<string, boolean>;
  /** by part id */
  readonly kinds: RecentMap<string, 'text' | 'thinking'>;
  /** by call id: what was told of it last */
  readonly calls: RecentMap<string, string>;
  /** ids of messages whose tokens were told */
  readonly counted: RecentMap<string, true>;
}

export function newMessageMemory(): MessageMemory {
  return {
    answers: new RecentMap(REMEMBERED),
    kinds: new RecentMap(REMEMBERED),
    calls: new RecentMap(REMEMBERED),
    counted: new RecentMap(REMEMBERED),
  };
}

type MessageEvent =
  EventOf<'message.updated'> | EventOf<'message.part.updated'> | EventOf<'message.part.delta'>;

/** Tokens, thinking, whole texts, tool calls and token counts of a session. */
export function messageDrafts(event: MessageEvent, memory: MessageMemory): readonly FromDraft[] {
  const sessionId = event.properties.sessionID;
  switch (event.type) {
    case 'message.updated':
      memory.answers.set(event.properties.info.id, isAnswer(event.properties.info));
      return counts(sessionId, event.properties.info, memory);
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

function isAnswer(info: MessageInfo): boolean {
  return info.role === 'assistant' && info.mode !== 'compaction';
}

function partDrafts(
  sessionId: string,
  part: MessagePart,
  memory: MessageMemory,
): readonly FromDraft[] {
  const { id: partId, messageID: messageId, type } = part;
  if (type === 'tool') return toolDrafts(sessionId, part, memory);
  if (memory.answers.get(messageId) !== true) return [];
  if (type === 'reasoning') memory.kinds.set(partId, 'thinking');
  if (type !== 'text') return [];
  memory.kinds.set(partId, 'text');
  if (part.time?.end === undefined) return [];
  return [
    { type: 'message.final', sessionId, payload: { messageId, partId, text: part.text ?? '' } },
  ];
}

function toolDrafts(
  sessionId: string,
  part: MessagePart,
  memory: MessageMemory,
): readonly FromDraft[] {
  const { callID: callId, tool, state } = part;
  if (callId === undefined || tool === undefined || state === undefined) return [];
  const { status, title, input, output, error } = state;
  // A running command repeats its state with every line that it prints.
  const told = `${part.id} ${status} ${title ?? ''}`;
  if (memory.calls.get(callId) === told) return [];
  memory.calls.set(callId, told);
  const payload = {
    callId,
    tool,
    status,
    ...(title !== undefined && { title }),
    ...(input !== undefined && status !== 'pending' && { input }),
    ...(output !== undefined && { output }),
    ...(error !== undefined && { error }),
  };
  return [{ type: 'tool.update', sessionId, payload }];
}

function counts(sessionId: string, info: MessageInfo, memory: MessageMemory): readonly FromDraft[] {
  const { id, tokens, cost } = info;
  if (info.role !== 'assistant' || info.time.completed === undefined || !tokens) return [];
  if (tokens.input === 0 && tokens.output === 0) return [];
  if (memory.counted.get(id)) return [];
  memory.counted.set(id, true);
  const payload = {
    kind: 'tokens',
    input: Math.trunc(tokens.input),
    output: Math.trunc(tokens.output),
    ...whole('reasoning', tokens.reasoning),
    ...whole('cacheRead', tokens.cache?.read),
    ...whole('cacheWrite', tokens.cache?.write),
    ...(cost !== undefined && { cost }),
  } as const;
  return [{ type: 'progress.update', sessionId, payload }];
}

function whole<K extends string>(name: K, value: number | undefined): { [N in K]?: number } {
  return value === undefined ? {} : ({ [name]: Math.trunc(value) } as { [N in K]?: number });
}
