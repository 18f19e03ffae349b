import type { Undo } from '../ports';
import { Listeners } from './listeners';
import {
  createdSession,
  withHost,
  withAway,
  reduce,
  welcomedSession,
  type Session,
  type WelcomeSession,
} from './session';
import type { SessionEvent, SessionEventBus } from './session-event-bus';
import type { SessionHost } from './session-host';

/** The current list of sessions. */
export interface SessionList {
  /** as listed by the bridges that run them */
  readonly sessions: readonly WelcomeSession[];
  /**
   * ids of all bridges' sessions: those missing here are gone, those not in `sessions` stay
   * unchanged
   */
  readonly known?: ReadonlySet<string>;
  /** ids of those that can't be reached now */
  readonly away?: ReadonlySet<string>;
}

/** Reports the sessions after each connection: one ConnectionManager, or all Bridges. */
export interface WelcomeSource {
  onWelcome(listener: (list: SessionList) => void): Undo;
  /** The host that runs a session; undefined if it is not connected. */
  hostOf?(sessionId: string): SessionHost | undefined;
}

/**
 * All sessions that the bridge knows. Create it before other listeners of the bus: it then gets
 * each event first, so that a listener of `session.created` finds the session here.
 */
export class Sessions {
  #sessions = new Map<string, Session>();
  readonly #changed: Listeners<readonly string[]>;
  readonly #undo: readonly Undo[];

  constructor(
    bus: SessionEventBus,
    private readonly source: WelcomeSource,
    fault?: (error: unknown) => void,
  ) {
    this.#changed = new Listeners(fault);
    this.#undo = [
      bus.onAll((event) => this.#apply(event)),
      source.onWelcome((list) => this.#refresh(list)),
    ];
  }

  /** By activity, the most recent last; ended sessions stay until the next connection. */
  all(): readonly Session[] {
    return [...this.#sessions.values()].sort((a, b) => a.lastActive - b.lastActive);
  }

  get(id: string): Session | undefined {
    return this.#sessions.get(id);
  }

  /** Called with the ids of sessions that were added, changed or removed. */
  onChange(listener: (ids: readonly string[]) => void): Undo {
    return this.#changed.add(listener);
  }

  close(): void {
    for (const undo of this.#undo) undo();
    this.#changed.clear();
  }

  #apply(event: SessionEvent): void {
    const before = this.#sessions.get(event.sessionId);
    // An event of a session that was not listed is ignored: it has no title to show.
    const created = event.type === 'session.created' ? createdSession(event) : undefined;
    const next = before === undefined ? created : reduce(before, event);
    if (next === undefined || next === before) return;
    const after = created === undefined ? next : this.#withHost(next);
    this.#sessions.set(after.id, after);
    this.#changed.call([after.id]);
  }

  #refresh({ sessions, known, away }: SessionList): void {
    const before = this.#sessions;
    const after = new Map([...before].filter(([id]) => known?.has(id) === true));
    for (const listed of sessions)
      after.set(listed.id, welcomedSession(listed, before.get(listed.id)));
    for (const [id, session] of after) {
      after.set(id, this.#withHost(withAway(session, away?.has(id) === true)));
    }
    this.#sessions = after;
    const ids = new Set([...before.keys(), ...after.keys()]);
    const changed = [...ids].filter((id) => before.get(id) !== after.get(id));
    if (changed.length > 0) this.#changed.call(changed);
  }

  #withHost(session: Session): Session {
    return withHost(session, this.source.hostOf?.(session.id));
  }
}
