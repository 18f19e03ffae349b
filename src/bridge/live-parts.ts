import { isToken } from './token-hold';
import type { FromDraft } from './translate';

/** What was written so far of a part that is not whole yet. */
export interface LivePart {
  readonly messageId: string;
  readonly partId: string;
  readonly kind: 'text' | 'thinking';
  readonly text: string;
}

/** UTF-16 units kept of one part: it must fit into a page. */
const LONGEST = 64 * 1024;

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
    if (parts === undefined) this.#sessions.set(sessionId, (parts = new Map<string, LivePart>()));
    const before = parts.get(partId)?.text ?? '';
    const text = before.length > LONGEST ? before : before + delta;
    parts.set(partId, { messageId, partId, kind: thinking ? 'thinking' : 'text', text });
  }
}
