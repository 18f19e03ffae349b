import { utf8Length } from '../../protocol/frame-limits';
import type { FromDraft } from '../../core/engine/engine';

export type TokenDraft = Extract<FromDraft, { type: 'stream.token' | 'stream.thinking' }>;

/** Most UTF-16 units of a joined delta; far below the size of a frame. */
const MAX_JOINED_DELTA = 64 * 1024;

export function isToken(draft: FromDraft): draft is TokenDraft {
  return draft.type === 'stream.token' || draft.type === 'stream.thinking';
}

/** Holds back tokens for a slow or disconnected client, and joins those of the same part. */
export class TokenBuffer {
  readonly #sessions = new Map<string, TokenDraft[]>();
  #bytes = 0;

  /** Bytes of the text that is held back. */
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
    if (last === undefined || !canJoin(last, draft)) {
      held.push(draft);
      return;
    }
    const payload = { ...last.payload, delta: last.payload.delta + delta };
    held[held.length - 1] = { ...last, payload };
  }

  /**
   * The tokens to send before another message of the session: all of them before an end, none
   * before other messages, which overtake tokens. A part's complete text drops the tokens of that
   * part.
   */
  takeBefore(draft: FromDraft): readonly TokenDraft[] {
    const { type, sessionId } = draft;
    if (sessionId === undefined || !this.has(sessionId)) return [];
    if (type === 'message.final') this.#drop(sessionId, draft.payload.partId);
    return type === 'turn.end' || type === 'session.end' ? this.take(sessionId) : [];
  }

  /** Removes and returns all tokens of a session, or of all sessions, in order. */
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

function canJoin(last: TokenDraft, next: TokenDraft): boolean {
  return (
    last.type === next.type &&
    last.payload.partId === next.payload.partId &&
    last.payload.messageId === next.payload.messageId &&
    last.payload.delta.length + next.payload.delta.length <= MAX_JOINED_DELTA
  );
}

/** The text so far of a part that is not complete yet. */
export interface LivePart {
  readonly messageId: string;
  readonly partId: string;
  readonly kind: 'text' | 'thinking';
  readonly text: string;
}

/** Most UTF-16 units kept of one part, so that it fits into a page. */
const MAX_PART_TEXT = 64 * 1024;

/** Most sessions, and most open parts per session; the oldest ones are dropped. */
const MAX_SESSIONS = 1_000;
const MAX_PARTS = 100;

function forgetOldest(all: Map<string, unknown>, most: number): void {
  const [oldest] = all.keys();
  if (all.size > most && oldest !== undefined) all.delete(oldest);
}

/** The running text of every session. OpenCode stores a part only once it is complete. */
export class LiveParts {
  readonly #sessions = new Map<string, Map<string, LivePart>>();

  heard(draft: FromDraft): void {
    const { type, sessionId } = draft;
    if (sessionId === undefined) return;
    if (isToken(draft)) this.#add(draft.sessionId, draft.payload, type === 'stream.thinking');
    if (type === 'message.final') this.#sessions.get(sessionId)?.delete(draft.payload.partId);
    if (type === 'turn.end' || type === 'session.end') this.#sessions.delete(sessionId);
  }

  /** The session's open parts, in the order in which they began. */
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
      forgetOldest(this.#sessions, MAX_SESSIONS);
    }
    const before = parts.get(partId)?.text ?? '';
    const text = before.length > MAX_PART_TEXT ? before : before + delta;
    parts.set(partId, { messageId, partId, kind: thinking ? 'thinking' : 'text', text });
    forgetOldest(parts, MAX_PARTS);
  }
}
