import type { WelcomeSession } from './session';
import type { SessionEvent, SessionEventType } from './session-event-bus';

/**
 * How to treat an event: pass it on; drop it because another bridge owns the session; or only end
 * the turn, because the session continues at another bridge.
 */
export type EventRouting = 'pass' | 'foreign' | 'cut';

interface Ownership {
  bridge: string;
  /** whether a turn runs there, according to the events */
  busy: boolean;
}

/**
 * Decides which bridge reports a session's state. OpenCode processes on one vault list the same
 * sessions, but each knows only the turns that run in itself. The process that last showed work in
 * a session owns it. Events that show work pass from every process, events about the state from the
 * owner only. Each event happens in one process, so nothing is reported twice.
 */
export class SessionOwners {
  readonly #owned = new Map<string, Ownership>();
  /** by bridge that is or was connected: its sessions */
  readonly #bridges = new Map<string, { up: boolean; readonly sessions: Set<string> }>();

  /**
   * A connected bridge listed its sessions; it has no others.
   * @returns the sessions that it owns now
   */
  bridgeListed(bridge: string, sessions: readonly WelcomeSession[]): readonly WelcomeSession[] {
    this.#bridges.delete(bridge); // re-inserted, so that the bridge that listed last is last in the map
    this.#bridges.set(bridge, { up: true, sessions: new Set(sessions.map(({ id }) => id)) });
    const own = sessions.filter(({ id, status }) => {
      const busy = status !== 'idle';
      const before = this.#owned.get(id);
      const other = before !== undefined && before.bridge !== bridge;
      if (!busy && other && (before.busy || this.#isUp(before.bridge))) return false;
      this.#owned.set(id, { bridge, busy });
      return true;
    });
    this.#reassignOrphans();
    return own;
  }

  /** A bridge lost its connection; its sessions are kept. */
  bridgeLost(bridge: string): void {
    const there = this.#bridges.get(bridge);
    if (there !== undefined) there.up = false;
  }

  /**
   * A bridge is gone, so no turn runs in it any more.
   * @returns the sessions whose turn it cut and that another bridge has now
   */
  bridgeGone(bridge: string): readonly string[] {
    this.bridgeLost(bridge);
    const cut: string[] = [];
    for (const [id, owned] of this.#owned) {
      if (owned.bridge === bridge && this.#moveToOther(id, owned) === 'cut') cut.push(id);
    }
    return cut;
  }

  route(bridge: string, event: SessionEvent): EventRouting {
    const { sessionId, type } = event;
    const owned = this.#owned.get(sessionId);
    const begins = type === 'session.created';
    if (owned === undefined && !begins) return 'pass'; // an unknown session is left to the bus
    if (type === 'session.end') return this.#ended(bridge, event);
    if (begins || showsWork(event)) {
      this.#setOwner(sessionId, bridge, !begins);
    } else if (owned?.bridge !== bridge) {
      // The snapshot of an idle session is the same from every process that reads it from disk.
      if (type === 'snapshot' && owned?.busy === false) return 'pass';
      return reportsState(event) ? 'foreign' : 'pass';
    } else if (endsTurn(event)) owned.busy = false;
    return 'pass';
  }

  /**
   * The bridge for requests about a session: its owner; or another that has the session, if the
   * owner is not connected and no turn was running there.
   */
  of(sessionId: string): string | undefined {
    const owned = this.#owned.get(sessionId);
    if (owned === undefined || owned.busy || this.#isUp(owned.bridge)) return owned?.bridge;
    return this.#other(sessionId, owned.bridge) ?? owned.bridge;
  }

  /** The sessions of all bridges. */
  known(): ReadonlySet<string> {
    return new Set(this.#owned.keys());
  }

  /** Those of them that no connected bridge has. */
  away(): ReadonlySet<string> {
    const ids = [...this.#owned.keys()];
    return new Set(ids.filter((id) => !this.#isUp(this.of(id) ?? '')));
  }

  /** Called for every token: does no lookup and allocates nothing if the owner stays the same. */
  #setOwner(sessionId: string, bridge: string, busy: boolean): void {
    const owned = this.#owned.get(sessionId);
    if (owned?.bridge === bridge) {
      owned.busy = busy;
      return;
    }
    this.#bridges.get(bridge)?.sessions.add(sessionId);
    this.#owned.set(sessionId, { bridge, busy });
  }

  #isUp(bridge: string): boolean {
    return this.#bridges.get(bridge)?.up === true;
  }

  /** The newest connected bridge that has the session, except `but`. */
  #other(sessionId: string, but: string): string | undefined {
    return [...this.#bridges]
      .filter(([bridge, { up, sessions }]) => bridge !== but && up && sessions.has(sessionId))
      .at(-1)?.[0];
  }

  /**
   * A deleted session is gone for all bridges; one that was closed at its owner continues at
   * another bridge that has it.
   */
  #ended(bridge: string, event: SessionEvent & { type: 'session.end' }): EventRouting {
    const { sessionId, payload } = event;
    const owned = this.#owned.get(sessionId);
    this.#bridges.get(bridge)?.sessions.delete(sessionId);
    if (payload.reason === 'deleted') {
      for (const { sessions } of this.#bridges.values()) sessions.delete(sessionId);
    } else {
      const moved = owned?.bridge === bridge ? this.#moveToOther(sessionId, owned) : 'foreign';
      if (moved !== 'pass') return moved;
    }
    this.#owned.delete(sessionId);
    return 'pass';
  }

  /**
   * After a list: sessions that their owner no longer has move to another bridge that has them, or
   * are removed.
   */
  #reassignOrphans(): void {
    for (const [id, owned] of this.#owned) {
      if (this.#bridges.get(owned.bridge)?.sessions.has(id) === true) continue;
      if (this.#moveToOther(id, owned) === 'pass') this.#owned.delete(id);
    }
  }

  /** Moves a session to another bridge that has it. @returns `pass` if there is none */
  #moveToOther(sessionId: string, owned: Ownership): EventRouting {
    const { bridge, busy } = owned;
    owned.busy = false;
    const other = this.#other(sessionId, bridge);
    if (other === undefined) return 'pass';
    owned.bridge = other;
    return busy ? 'cut' : 'foreign';
  }
}

/** Whether an event comes only from the process that runs the session. */
function showsWork(event: SessionEvent): boolean {
  if (event.type !== 'progress.update') return WORK.has(event.type);
  return event.payload.kind === 'busy' || event.payload.kind === 'retry';
}

const WORK: ReadonlySet<string> = new Set<SessionEventType>([
  'stream.token',
  'stream.thinking',
  'message.final',
  'tool.call',
  'tool.update',
  'permission.request',
  'question.request',
]);

/**
 * Whether an event reports a state that only the process running the session knows; a title is the
 * same in all.
 */
function reportsState(event: SessionEvent): boolean {
  if (event.type === 'progress.update') return event.payload.kind !== 'title';
  return event.type === 'turn.end' || event.type === 'snapshot';
}

function endsTurn(event: SessionEvent): boolean {
  if (event.type === 'progress.update') return event.payload.kind === 'idle';
  return event.type === 'turn.end';
}
