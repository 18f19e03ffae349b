import type { SessionEvent } from './session-event';

/** Which bridge asked: there its call or request is answered, wherever the session went since. */
export class Askers {
  /** by session, then by call or request: providers number their calls anew in every session */
  readonly #asked = new Map<string, Map<string, string>>();

  heard(bridge: string, event: SessionEvent): void {
    const { sessionId, type } = event;
    if (type === 'tool.call') this.#ask(sessionId, event.payload.callId, bridge);
    else if (type === 'permission.request' || type === 'question.request') {
      this.#ask(sessionId, event.payload.requestId, bridge);
    } else if (type === 'permission.resolved' || type === 'question.resolved') {
      this.answered(sessionId, event.payload.requestId);
    } else if (type === 'session.end') this.#asked.delete(sessionId);
  }

  /** @param id of a call or a request */
  of(sessionId: string, id: string): string | undefined {
    return this.#asked.get(sessionId)?.get(id);
  }

  /** Of a call: it is answered once; a bridge that wants the answer again sends the call again. */
  answered(sessionId: string, id: string): void {
    const asked = this.#asked.get(sessionId);
    asked?.delete(id);
    if (asked?.size === 0) this.#asked.delete(sessionId);
  }

  #ask(sessionId: string, id: string, bridge: string): void {
    const asked = this.#asked.get(sessionId) ?? new Map<string, string>();
    this.#asked.set(sessionId, asked.set(id, bridge));
  }
}
