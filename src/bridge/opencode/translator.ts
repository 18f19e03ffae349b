import { boundBoardField } from './prompt-parts';
import {
  messageDrafts,
  newMessageMemory,
  type LimitOf,
  type MessageMemory,
} from './message-drafts';
import type { EventOf, OpencodeEvent } from './opencode-event';
import { NO_TURN, stepSessionTurn, type SessionTurn, type TurnEnd, type TurnEvent } from './turn';
import { RecentMap } from './recent-map';
import type { FromDraft } from '../../core/engine/engine';
import { MAX_PENDING_REQUESTS, type PersonRequest } from '../../core/engine/person-requests';

/** Sessions to remember, those with the latest events; more than work at a time. */
const MAX_REMEMBERED = 5_000;

type TranslateEvent<T> = (event: T, session: SessionMemory) => readonly FromDraft[];

interface SessionMemory {
  readonly id: string;
  turn: SessionTurn;
  title: string | undefined;
  progress: SessionProgress;
  /** pending requests, by request id */
  readonly asks: Map<string, PersonRequest>;
  readonly messages: MessageMemory;
}

/**
 * Translates OpenCode's events to our messages, in order. Keeps state, since a delta doesn't
 * contain its kind, and "idle" doesn't tell whether the turn is over. One instance handles all
 * events of a folder.
 */
export class Translator {
  private readonly sessions = new RecentMap<string, SessionMemory>(MAX_REMEMBERED);

  /**
   * @param since ms since the epoch; token counts of answers completed before are not reported
   * @param refuse is given a request that is one too many, which nobody is told of
   */
  constructor(
    private readonly limitOf: LimitOf,
    private readonly since = 0,
    private readonly refuse: (ask: PersonRequest) => void = () => undefined,
  ) {}

  /** The messages for an event, in the order in which to send them. */
  translate(event: OpencodeEvent): readonly FromDraft[] {
    const { sessionID } = event.properties;
    if (sessionID === undefined) return [];
    if (event.type === 'session.deleted') return this.deleted(sessionID);
    return this.translateKnown(event, this.memory(sessionID));
  }

  /**
   * The current state for a client that attaches: whether the session is working, and its pending
   * requests.
   */
  standing(sessionId: string): readonly FromDraft[] {
    const session = this.sessions.get(sessionId);
    return session ? [progressDraft(session, session.progress), ...session.asks.values()] : [];
  }

  progress(sessionId: string): SessionProgress {
    return this.sessions.get(sessionId)?.progress ?? { kind: 'idle' };
  }

  /** Whether a turn is running, or a prompt has no answer yet. */
  works(sessionId: string): boolean {
    const session = this.sessions.get(sessionId);
    return (
      session !== undefined && (session.progress.kind !== 'idle' || session.turn.kind === 'open')
    );
  }

  /** Whether the request is still pending. */
  waits(sessionId: string, requestId: string): boolean {
    return this.sessions.get(sessionId)?.asks.has(requestId) ?? false;
  }

  /** Call before sending a prompt, so that its failure is reported even if no turn starts. */
  expectPrompt(sessionId: string): void {
    const session = this.memory(sessionId);
    if (session.turn.kind === 'none') session.turn = { ...session.turn, failed: false };
  }

  private translateAsk(
    event: EventOf<'permission.asked'> | EventOf<'question.asked'>,
    { asks, id }: SessionMemory,
  ): readonly FromDraft[] {
    const ask = toPersonAsk(event, id);
    const { requestId } = ask.payload;
    if (asks.size >= MAX_PENDING_REQUESTS && !asks.has(requestId)) {
      this.refuse(ask);
      return [];
    }
    asks.set(requestId, ask);
    return [ask];
  }

  private memory(id: string): SessionMemory {
    const known = this.sessions.get(id);
    if (known) this.sessions.set(id, known);
    if (known) return known;
    const session: SessionMemory = {
      id,
      turn: NO_TURN,
      title: undefined,
      progress: { kind: 'idle' },
      asks: new Map(),
      messages: newMessageMemory(this.since),
    };
    this.sessions.set(id, session);
    return session;
  }

  private deleted(sessionId: string): readonly FromDraft[] {
    this.sessions.delete(sessionId);
    return [{ type: 'session.end', sessionId, payload: { reason: 'deleted' } }];
  }

  private translateKnown(event: OpencodeEvent, session: SessionMemory): readonly FromDraft[] {
    switch (event.type) {
      case 'session.created':
        return created(event, session);
      case 'session.updated':
        return updated(event, session);
      case 'session.status':
        return statusChanged(event, session);
      case 'session.error':
        return event.properties.error === undefined
          ? []
          : stepTurn(session, { type: 'fault', fault: event.properties.error });
      case 'session.compacted':
        return [progressDraft(session, { kind: 'compacted', ...summaryFields(session.messages) })];
      case 'todo.updated':
        return [progressDraft(session, { kind: 'todo', todos: event.properties.todos })];
      case 'message.updated':
        return messageUpdated(event, session, this.limitOf);
      case 'message.part.updated':
      case 'message.part.delta':
        return messageDrafts(event, session.messages, this.limitOf);
      case 'permission.asked':
      case 'question.asked':
        return this.translateAsk(event, session);
      case 'permission.replied':
        return resolveAsk(session, event.properties.requestID, event.properties.reply);
      case 'question.replied':
        return resolveAsk(session, event.properties.requestID, 'reject', event.properties.answers);
      case 'question.rejected':
        return resolveAsk(session, event.properties.requestID, 'reject');
      case 'session.deleted':
        return [];
    }
  }
}

const created: TranslateEvent<EventOf<'session.created'>> = ({ properties: { info } }, session) => {
  session.title = info.title;
  const payload = {
    title: info.title ?? '',
    directory: info.directory ?? '',
    ...(info.parentID !== undefined && { parentId: info.parentID }),
    ...(info.agent !== undefined && { agent: info.agent }),
    ...boundBoardField(info.metadata),
  };
  return [{ type: 'session.created', sessionId: session.id, payload }];
};

const updated: TranslateEvent<EventOf<'session.updated'>> = ({ properties: { info } }, session) => {
  if (info.title === undefined || info.title === session.title) return [];
  session.title = info.title;
  return [progressDraft(session, { kind: 'title', title: info.title })];
};

const statusChanged: TranslateEvent<EventOf<'session.status'>> = ({ properties }, session) => {
  const { status } = properties;
  if (status.type !== 'idle') {
    const ended = stepTurn(session, { type: 'busy' });
    return [...ended, ...changeProgress(session, progressOf(status))];
  }
  const ended = stepTurn(session, { type: 'idle' });
  // An idle event that doesn't end the open turn must not make the session look idle.
  if (session.turn.kind === 'open') return ended;
  return [...ended, ...changeProgress(session, { kind: 'idle' })];
};

function messageUpdated(
  event: EventOf<'message.updated'>,
  session: SessionMemory,
  limitOf: LimitOf,
): readonly FromDraft[] {
  const { info } = event.properties;
  const drafts = messageDrafts(event, session.messages, limitOf);
  const { id } = info;
  const { created: at, completed } = info.time;
  if (info.role === 'user') {
    return [...drafts, ...stepTurn(session, { type: 'prompt', prompt: { id, created: at } })];
  }
  const answer = {
    id,
    created: at,
    parentId: info.parentID,
    complete: completed !== undefined,
    finish: info.finish,
    fault: info.error,
  };
  return [...drafts, ...stepTurn(session, { type: 'answer', answer })];
}

function toPersonAsk(
  event: EventOf<'permission.asked'> | EventOf<'question.asked'>,
  sessionId: string,
): PersonRequest {
  const { properties } = event;
  const common = {
    requestId: properties.id,
    ...(properties.tool?.callID !== undefined && { callId: properties.tool.callID }),
  };
  if (event.type === 'question.asked') {
    const { questions } = event.properties;
    return { type: 'question.request', sessionId, payload: { ...common, questions } };
  }
  const { permission, patterns, always, metadata } = event.properties;
  const payload = { ...common, permission, patterns, always, metadata };
  return { type: 'permission.request', sessionId, payload };
}

function resolveAsk(
  session: SessionMemory,
  requestId: string,
  reply: 'once' | 'always' | 'reject',
  answers?: string[][],
): readonly FromDraft[] {
  const ask = session.asks.get(requestId);
  if (!ask) return [];
  session.asks.delete(requestId);
  const sessionId = session.id;
  if (ask.type === 'permission.request') {
    return [{ type: 'permission.resolved', sessionId, payload: { requestId, reply } }];
  }
  const payload = { requestId, ...(answers && { answers }) };
  return [{ type: 'question.resolved', sessionId, payload }];
}

function stepTurn(session: SessionMemory, event: TurnEvent): readonly FromDraft[] {
  const { turn, end } = stepSessionTurn(session.turn, event);
  session.turn = turn;
  return end ? endTurn(session, end) : [];
}

/**
 * Ends a turn. Rejects its pending requests, which OpenCode leaves open without an event after an
 * abort.
 */
function endTurn(session: SessionMemory, end: TurnEnd): readonly FromDraft[] {
  const rejections = [...session.asks.keys()].flatMap((id) => resolveAsk(session, id, 'reject'));
  const { messageId, reason, error } = end;
  const payload = {
    reason,
    ...(messageId !== undefined && { messageId }),
    ...(error !== undefined && { error }),
  };
  const over: FromDraft = { type: 'turn.end', sessionId: session.id, payload };
  return [...rejections, over, ...changeProgress(session, { kind: 'idle' })];
}

function changeProgress(session: SessionMemory, next: SessionProgress): readonly FromDraft[] {
  const before = session.progress;
  if (next.kind === before.kind && next.kind !== 'retry') return [];
  session.progress = next;
  return [progressDraft(session, next)];
}

type ProgressPayload = Extract<FromDraft, { type: 'progress.update' }>['payload'];

/** The compaction summary that was received; empty if OpenCode compacted without sending one. */
function summaryFields({ summary }: MessageMemory) {
  if (summary === undefined) return {};
  const { messageId, text } = summary;
  return { messageId, ...(text !== '' && { summary: text }) };
}

function progressDraft(session: SessionMemory, payload: ProgressPayload): FromDraft {
  return { type: 'progress.update', sessionId: session.id, payload };
}

/** The overall status of a session; the kinds of `progress.update` that persist. */
type SessionProgress =
  | { readonly kind: 'busy' }
  | { readonly kind: 'idle' }
  | {
      readonly kind: 'retry';
      readonly attempt: number;
      readonly message: string;
      /** ms since the epoch */
      readonly next: number;
    };

/** Translates OpenCode's status of a session that is not idle. Unknown ones count as busy. */
function progressOf(status: EventOf<'session.status'>['properties']['status']): SessionProgress {
  if (status.type !== 'retry') return { kind: 'busy' };
  return {
    kind: 'retry',
    attempt: Math.max(0, Math.trunc(status.attempt ?? 1)),
    message: status.message ?? '',
    next: status.next ?? 0,
  };
}
