import { utf8Length } from '../../protocol/frame-limits';
import type { FromDraft } from '../../core/engine/engine';

export type TokenDraft = Extract<FromDraft, { type: 'stream.token' | 'stream.thinking' }>;

/** A joined delta is at most so long, in UTF-16 units: far below a frame. */
const LONGEST = 64 * 1024;

export function isToken(draft: FromDraft): draft is TokenDraft {
  return draft.type === 'stream.token' || draft.type === 'stream.thinking';
}

/** Tokens that wait for a slow client, or one that is away: those of one part are joined. */
export class TokenHold {
  readonly #sessions = new Map<string, TokenDraft[]>();
  #bytes = 0;

  /** Of the text that waits. */
  get bytes(): number {
    return this.#bytes;
  }

  has(sessionId: string): boolean {
    return this.#sessions.has(sessionId);
  }

  add(draft: TokenDraft): void {
    const held = this.#sessions.get(draft.sessionId) ?? [];
    this.#sessions.set(draft.sessionId, held);
    const { delta } = draft.payload;
    this.#bytes += utf8Length(delta);
    const last = held.at(-1);
    if (last === undefined || !joins(last, draft)) {
      held.push(draft);
      return;
    }
    const payload = { ...last.payload, delta: last.payload.delta + delta };
    held[held.length - 1] = { ...last, payload };
  }

  /**
   * What must be sent before another message of its session: everything before an end; nothing
   * before the whole text of a part, which stands for the part's tokens; nothing before the rest,
   * which overtakes tokens.
   */
  before(draft: FromDraft): readonly TokenDraft[] {
    const { type, sessionId } = draft;
    if (sessionId === undefined || !this.has(sessionId)) return [];
    if (type === 'message.final') this.#drop(sessionId, draft.payload.partId);
    return type === 'turn.end' || type === 'session.end' ? this.take(sessionId) : [];
  }

  /** Everything of a session, or of all, in order; it does not wait any more. */
  take(sessionId?: string): readonly TokenDraft[] {
    const taken =
      sessionId === undefined
        ? [...this.#sessions.values()].flat()
        : (this.#sessions.get(sessionId) ?? []);
    if (sessionId === undefined) this.#sessions.clear();
    else this.#sessions.delete(sessionId);
    for (const { payload } of taken) this.#bytes -= utf8Length(payload.delta);
    return taken;
  }

  #drop(sessionId: string, partId: string): void {
    for (const draft of this.take(sessionId)) {
      if (draft.payload.partId !== partId) this.add(draft);
    }
  }
}

function joins(last: TokenDraft, next: TokenDraft): boolean {
  return (
    last.type === next.type &&
    last.payload.partId === next.payload.partId &&
    last.payload.messageId === next.payload.messageId &&
    last.payload.delta.length + next.payload.delta.length <= LONGEST
  );
}

/** What was written so far of a part that is not whole yet. */
export interface LivePart {
  readonly messageId: string;
  readonly partId: string;
  readonly kind: 'text' | 'thinking';
  readonly text: string;
}

/** UTF-16 units kept of one part: it must fit into a page. */
const LONGEST_PART = 64 * 1024;

/** Sessions that write at one time, and parts that each has open: those that began first are forgotten. */
const MOST_SESSIONS = 1_000;
const MOST_PARTS = 100;

function forgetOldest(all: Map<string, unknown>, most: number): void {
  const [oldest] = all.keys();
  if (all.size > most && oldest !== undefined) all.delete(oldest);
}

/** The running text of every session: OpenCode itself stores a part only once it is whole. */
export class LiveParts {
  readonly #sessions = new Map<string, Map<string, LivePart>>();

  heard(draft: FromDraft): void {
    const { type, sessionId } = draft;
    if (sessionId === undefined) return;
    if (isToken(draft)) this.#add(draft.sessionId, draft.payload, type === 'stream.thinking');
    if (type === 'message.final') this.#sessions.get(sessionId)?.delete(draft.payload.partId);
    if (type === 'turn.end' || type === 'session.end') this.#sessions.delete(sessionId);
  }

  /** In the order in which they began. */
  of(sessionId: string): readonly LivePart[] {
    return [...(this.#sessions.get(sessionId)?.values() ?? [])];
  }

  #add(
    sessionId: string,
    { messageId, partId, delta }: { messageId: string; partId: string; delta: string },
    thinking: boolean,
  ): void {
    let parts = this.#sessions.get(sessionId);
    if (parts === undefined) {
      this.#sessions.set(sessionId, (parts = new Map<string, LivePart>()));
      forgetOldest(this.#sessions, MOST_SESSIONS);
    }
    const before = parts.get(partId)?.text ?? '';
    const text = before.length > LONGEST_PART ? before : before + delta;
    parts.set(partId, { messageId, partId, kind: thinking ? 'thinking' : 'text', text });
    forgetOldest(parts, MOST_PARTS);
  }
}
