import { WorldBoard } from './world-board';
import type { WorldSession } from './world-session';

/** The sessions of a world, and the actions of their agents. */
export class WorldAgents extends WorldBoard {
  readonly sessions = new Map<string, WorldSession>();
  #messages = 0;

  /** The agent's texts and actions become events in their order. */
  say(session: WorldSession, text: string): void {
    session.told.push({ type: 'said', sessionId: session.id, text });
  }

  ask(session: WorldSession): void {
    const request = `q${(this.#messages += 1)}`;
    session.asks.push(request);
    session.told.push({ type: 'asked', sessionId: session.id, request });
  }

  /** The session's oldest request times out: it is denied, and the turn continues. */
  lapse(session: WorldSession): void {
    const request = session.asks.shift();
    if (request === undefined) return;
    session.told.push({ type: 'lapsed', sessionId: session.id, request });
  }

  uses(session: WorldSession, count: number): void {
    const message = `t${(this.#messages += 1)}`;
    session.told.push({ type: 'tokens', sessionId: session.id, message, count });
  }

  /** @param code of the error */
  end(session: WorldSession, reason: 'completed' | 'interrupted' | 'error', code?: string): void {
    session.running = false;
    const passes = session.role === 'check' && reason === 'completed' && session.verdict;
    if (passes && session.task !== null) this.passed.add(session.task);
    session.verdict = false;
    session.asks = [];
    const message = `m${(this.#messages += 1)}`;
    // Some models refuse access.
    const fault = code ?? (reason === 'error' && this.#messages % 4 === 0 ? 'auth' : undefined);
    const told = { sessionId: session.id, message, reason, error: '' };
    const ended = { ...told, ...(fault !== undefined && { code: fault }) };
    session.told.push({ type: 'turn_ended', ...ended });
  }
}
