import type { Undo } from '../ports';
import { Listeners } from './listeners';
import {
  createdSession,
  hosted,
  reachable,
  reduce,
  welcomedSession,
  type Session,
  type WelcomeSession,
} from './session';
import type { SessionEvent, SessionEventBus } from './session-event-bus';
import type { SessionHost } from './session-host';

/** Sessions as they are now. */
export interface SessionList {
  /** as the bridge that they run in lists them */
  readonly sessions: readonly WelcomeSession[];
  /** those of all bridges: what is not among them is gone, what is not listed stays as it is */
  readonly known?: ReadonlySet<string>;
  /** those of them that can't be reached now */
  readonly away?: ReadonlySet<string>;
}

/** Where the sessions come from after each connection: one ConnectionManager, or all Bridges. */
export interface WelcomeSource {
  onWelcome(listener: (list: SessionList) => void): Undo;
  /** What a session runs in; undefined where that is not connected. */
  hostOf?(sessionId: string): SessionHost | undefined;
}

/**
 * All sessions the bridge knows. Make it before other listeners of the bus: it then hears each
 * event first, so that a listener of `session.created` finds the session here.
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
    // Of a known session that no list named, messages tell nothing without a title.
    const created = event.type === 'session.created' ? createdSession(event) : undefined;
    const next = before === undefined ? created : reduce(before, event);
    if (next === undefined || next === before) return;
    const after = created === undefined ? next : this.#hosted(next);
    this.#sessions.set(after.id, after);
    this.#changed.call([after.id]);
  }

  #refresh({ sessions, known, away }: SessionList): void {
    const before = this.#sessions;
    const after = new Map([...before].filter(([id]) => known?.has(id) === true));
    for (const listed of sessions)
      after.set(listed.id, welcomedSession(listed, before.get(listed.id)));
    for (const [id, session] of after) {
      after.set(id, this.#hosted(reachable(session, away?.has(id) === true)));
    }
    this.#sessions = after;
    const ids = new Set([...before.keys(), ...after.keys()]);
    const changed = [...ids].filter((id) => before.get(id) !== after.get(id));
    if (changed.length > 0) this.#changed.call(changed);
  }

  #hosted(session: Session): Session {
    return hosted(session, this.source.hostOf?.(session.id));
  }
}
