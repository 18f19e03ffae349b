import mitt, { type Emitter } from 'mitt';
import type { Undo } from '../ports';
import { Listeners } from './listeners';
import type { SessionEvent, SessionEventOf, SessionEventType } from './session-event';

type Handler = (event: SessionEvent) => void;

/** One session on the bus; it is there while it is known or listened to. */
interface Lane {
  known: boolean;
  listeners: number;
  readonly emitter: SessionEmitter;
}

type SessionEmitter = Emitter<Record<SessionEventType, SessionEvent>>;

/**
 * Brings each event to the listeners of its own session, one event at a time: what a listener
 * emits waits until the running event has reached everybody. Order per event: `onAll`, then
 * `on`, then `onSession`, each in the order of registration. A session is known from its
 * `session.created`, or from `setKnown`, until after its `session.end`; events of others are dropped.
 */
export class SessionEventBus {
  /** Events delivered, events dropped because their session is unknown, listeners that threw. */
  readonly counters = { delivered: 0, unknownSession: 0, faults: 0 };

  readonly #lanes = new Map<string, Lane>();
  readonly #all = new Set<Handler>();
  readonly #dropped = new Listeners<SessionEvent>();
  readonly #fault = new Listeners<unknown>();
  readonly #waiting: SessionEvent[] = [];
  #running = false;
  /** number of the running event */
  #turn = 0;

  emit(event: SessionEvent): void {
    if (this.#running) {
      this.#waiting.push(event);
      return;
    }
    this.#running = true;
    this.#deliver(event);
    if (this.#waiting.length > 0) this.#drain();
    this.#running = false;
  }

  /** Events of one type in one session. The session need not be known yet. */
  on<T extends SessionEventType>(
    sessionId: string,
    type: T,
    listener: (event: SessionEventOf<T>) => void,
  ): Undo {
    // mitt calls it for this type only
    return this.#listen(sessionId, type, listener as Handler);
  }

  /** Every event of one session. */
  onSession(sessionId: string, listener: Handler): Undo {
    return this.#listen(sessionId, '*', listener);
  }

  /** Every event of every known session, before the session's own listeners. */
  onAll(listener: Handler): Undo {
    const { guarded, retire } = this.#guard(listener);
    this.#all.add(guarded);
    return () => {
      retire();
      this.#all.delete(guarded);
    };
  }

  /** Events of unknown sessions, which reach no other listener. */
  onDrop(listener: Handler): Undo {
    return this.#dropped.add(listener);
  }

  /** What a listener threw. */
  onFault(listener: (error: unknown) => void): Undo {
    return this.#fault.add(listener);
  }

  /** These sessions exist, and no others. Listeners stay. */
  setKnown(sessionIds: Iterable<string>): void {
    const known = new Set(sessionIds);
    for (const id of this.#lanes.keys()) if (!known.has(id)) this.#forget(id);
    for (const id of known) this.#lane(id).known = true;
  }

  /** Sessions that are known or listened to; for tests and for finding leaks. */
  get size(): number {
    return this.#lanes.size;
  }

  #drain(): void {
    for (let next = 0; next < this.#waiting.length; next++) {
      this.#deliver(this.#waiting[next] as SessionEvent);
    }
    this.#waiting.length = 0;
  }

  #deliver(event: SessionEvent): void {
    this.#turn++;
    let lane = this.#lanes.get(event.sessionId);
    if (event.type === 'session.created') {
      lane ??= this.#lane(event.sessionId);
      lane.known = true;
    }
    if (lane?.known !== true) {
      this.counters.unknownSession++;
      this.#dropped.call(event);
      return;
    }
    this.counters.delivered++;
    if (this.#all.size > 0) for (const handler of this.#all) handler(event);
    if (lane.listeners > 0) lane.emitter.emit(event.type, event);
    if (event.type === 'session.end') this.#forget(event.sessionId);
  }

  #listen(sessionId: string, type: SessionEventType | '*', listener: Handler): Undo {
    const lane = this.#lane(sessionId);
    const { guarded, retire } = this.#guard(listener);
    const unsubscribe = subscribe(lane.emitter, type, guarded);
    lane.listeners++;
    let undone = false;
    return () => {
      if (undone) return;
      undone = true;
      retire();
      unsubscribe();
      lane.listeners--;
      this.#sweep(sessionId, lane);
    };
  }

  /**
   * mitt lets a throw through and calls listeners that were removed meanwhile; neither happens
   * to a guarded one, nor is one called for the event during which it was added.
   */
  #guard(listener: Handler): { guarded: Handler; retire: Undo } {
    const born = this.#running ? this.#turn : 0;
    let retired = false;
    const guarded = (event: SessionEvent): void => {
      if (retired || this.#turn === born) return;
      try {
        listener(event);
      } catch (error) {
        this.counters.faults++;
        this.#fault.call(error);
      }
    };
    return { guarded, retire: () => void (retired = true) };
  }

  #lane(sessionId: string): Lane {
    let lane = this.#lanes.get(sessionId);
    if (lane === undefined) {
      lane = { known: false, listeners: 0, emitter: mitt() };
      this.#lanes.set(sessionId, lane);
    }
    return lane;
  }

  #forget(sessionId: string): void {
    const lane = this.#lanes.get(sessionId);
    if (lane === undefined) return;
    lane.known = false;
    this.#sweep(sessionId, lane);
  }

  #sweep(sessionId: string, lane: Lane): void {
    if (!lane.known && lane.listeners === 0) this.#lanes.delete(sessionId);
  }
}

function subscribe(emitter: SessionEmitter, type: SessionEventType | '*', handler: Handler): Undo {
  if (type === '*') {
    const every = (_: SessionEventType, event: SessionEvent): void => handler(event);
    emitter.on('*', every);
    return () => emitter.off('*', every);
  }
  emitter.on(type, handler);
  return () => emitter.off(type, handler);
}
