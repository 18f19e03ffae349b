import { modelOf } from './model-of';
import type { EventOf, MessageInfo, MessagePart } from './opencode-event';
import { RecentMap } from './recent-map';
import { tokenDrafts, type LimitOf, type Told } from './token-drafts';
import { toolDrafts } from './tool-drafts';
import type { FromDraft } from './translate';

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

type Said = Required<Pick<Final, 'kind' | 'text'>>;

/** A prompt comes whole; that of a command that has a sub-agent do it names the sub-agent. */
function prompted(part: MessagePart): Said | undefined {
  if (part.type === 'subtask') {
    const words = [part.agent === undefined ? '' : `@${part.agent}`, part.prompt ?? ''];
    return { kind: 'text', text: words.join(' ').trim() };
  }
  if (part.type !== 'text' || part.synthetic === true) return undefined;
  return { kind: 'text', text: part.text ?? '' };
}

/** An answer's parts are whole when they have an end. */
function answered({ id, type, text, time }: MessagePart, memory: MessageMemory): Said | undefined {
  if (type !== 'text' && type !== 'reasoning') return undefined;
  const kind = type === 'text' ? 'text' : 'thinking';
  memory.kinds.set(id, kind);
  return time?.end === undefined ? undefined : { kind, text: text ?? '' };
}
