import type { FromBridgeOf } from '../../protocol/from-bridge';
import type { Undo } from '../ports';
import { Listeners } from './listeners';
import { createdSession, reduce, welcomedSession, type Session } from './session';
import type { SessionEvent } from './session-event';
import type { SessionEventBus } from './session-event-bus';

/** Where the list of all sessions comes from after each connection: the ConnectionManager. */
export interface WelcomeSource {
  onWelcome(listener: (welcome: FromBridgeOf<'welcome'>['payload']) => void): Undo;
}

/**
 * All sessions the bridge knows. Make it before other listeners of the bus: it then hears each
 * event first, so that a listener of `session.created` finds the session here.
 */
export class Sessions {
  #sessions = new Map<string, Session>();
  readonly #changed: Listeners<readonly string[]>;
  readonly #undo: readonly Undo[];

  constructor(bus: SessionEventBus, source: WelcomeSource, fault?: (error: unknown) => void) {
    this.#changed = new Listeners(fault);
    this.#undo = [
      bus.onAll((event) => this.#apply(event)),
      source.onWelcome((welcome) => this.#refresh(welcome.sessions)),
    ];
  }

  /** Newest activity last; those that ended are there until the next connection. */
  all(): readonly Session[] {
    return [...this.#sessions.values()].sort((a, b) => a.lastActive - b.lastActive);
  }

  get(id: string): Session | undefined {
    return this.#sessions.get(id);
  }

  /** Called with the ids of what was added, changed or removed. */
  onChange(listener: (ids: readonly string[]) => void): Undo {
    return this.#changed.add(listener);
  }

  close(): void {
    for (const undo of this.#undo) undo();
    this.#changed.clear();
  }

  #apply(event: SessionEvent): void {
    const before = this.#sessions.get(event.sessionId);
    const after = before === undefined ? begin(event) : reduce(before, event);
    if (after === undefined || after === before) return;
    this.#sessions.set(after.id, after);
    this.#changed.call([after.id]);
  }

  #refresh(listed: FromBridgeOf<'welcome'>['payload']['sessions']): void {
    const before = this.#sessions;
    this.#sessions = new Map(
      listed.map((session) => [session.id, welcomedSession(session, before.get(session.id))]),
    );
    this.#changed.call([...new Set([...before.keys(), ...this.#sessions.keys()])]);
  }
}

/** A known session that no list named: its messages tell nothing without a title. */
function begin(event: SessionEvent): Session | undefined {
  return event.type === 'session.created' ? createdSession(event) : undefined;
}
