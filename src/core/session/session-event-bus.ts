import type { FromBridge, FromBridgeOf } from '../../protocol/from-bridge';
import mitt from 'mitt';
import type { Emitter } from 'mitt';
import type { Undo } from '../ports';
import { Listeners } from './listeners';

/** For whom asked, or for the connection; nothing that happened in a session. */
type AnswerType = 'ack' | 'prompt.taken' | 'session.stands';

type PlainType = 'welcome' | 'catalog' | 'pong';

type AboutSession =
  | Exclude<Extract<FromBridge, { sessionId: string }>, { type: AnswerType }>
  | (FromBridgeOf<'error'> & { readonly sessionId: string });

/** A fact about one session: a message that names one, without what only the connection needs. */
export type SessionEvent = AboutSession extends infer M
  ? M extends AboutSession
    ? Readonly<Pick<M, 'type' | 'sessionId' | 'ts' | 'payload'>>
    : never
  : never;

export type SessionEventType = SessionEvent['type'];

export type SessionEventOf<T extends SessionEventType> = Extract<SessionEvent, { type: T }>;

/**
 * Whether a message from the bridge goes to the sessions' bus. Pages of history don't, they are for
 * whom asked for them: told to all, they would stand for what is now.
 */
export function isSessionEvent(message: FromBridge): message is AboutSession {
  const { type } = message;
  if (type === 'error') return message.sessionId !== undefined;
  if (type === 'snapshot') return message.replyTo === undefined;
  return !ANSWERS.has(type);
}

const ANSWERS: ReadonlySet<FromBridge['type']> = new Set<AnswerType | PlainType>([
  'welcome',
  'catalog',
  'pong',
  'ack',
  'prompt.taken',
  'session.stands',
]);

type Handler = (event: SessionEvent) => void;

/** Under this name stand the listeners of every type. */
const EVERY = 'every';

type Name = SessionEventType | typeof EVERY;

/** One session on the bus; it is there while it is known or listened to. */
interface Lane {
  known: boolean;
  readonly emitter: Emitter<Record<Name, SessionEvent>>;
  /** listeners in it */
  count: number;
  /** those of them under EVERY */
  every: number;
  /** the list asked for last: a session's events come in runs of one type */
  name: Name | undefined;
  list: readonly Handler[];
}

/** Ended sessions that are remembered as such, for the counters alone. */
const MOST_ENDED = 1_000;

const NONE: readonly Handler[] = [];

/** Takes the place of a listener that was removed during an event. */
const REMOVED: Handler = () => undefined;

/**
 * Brings each event to the listeners of its own session, one event at a time: what a listener
 * emits waits until the running event has reached everybody. Order per event: `onAll`, then
 * `on`, then `onSession`, each in the order of registration. A session is known from its
 * `session.created`, or from `setKnown`, until after its `session.end`; events of others are dropped.
 *
 * mitt keeps the listeners, the bus calls them: mitt would copy the list for each event, let a
 * throw through, and call what was removed meanwhile. During an event lists only grow, so their
 * lengths before it say who is meant.
 */
export class SessionEventBus {
  /** Events delivered, dropped as their session was never known or has ended, listeners that threw. */
  readonly counters = { delivered: 0, unknownSession: 0, endedSession: 0, faults: 0 };

  readonly #lanes = new Map<string, Lane>();
  readonly #all: Lane = newLane();
  /** the sessions that ended last: what comes of them is late, not lost */
  readonly #ended = new Set<string>();
  readonly #dropped = new Listeners<SessionEvent>();
  readonly #fault = new Listeners<unknown>();
  readonly #waiting: SessionEvent[] = [];
  /** taking a listener out while its list is walked would skip another: done after the event */
  readonly #removals: (() => void)[] = [];
  #running = false;

  emit(event: SessionEvent): void {
    if (this.#running) {
      this.#waiting.push(event);
      return;
    }
    this.#running = true;
    this.#deliver(event);
    if (this.#waiting.length > 0) this.#drain();
    this.#running = false;
    if (this.#removals.length > 0) for (const remove of this.#removals.splice(0)) remove();
  }

  /** Events of one type in one session. The session need not be known yet. */
  on<T extends SessionEventType>(
    sessionId: string,
    type: T,
    listener: (event: SessionEventOf<T>) => void,
  ): Undo {
    // stands under its type, so it is called for no other
    return this.#listen(this.#lane(sessionId), type, listener as Handler, sessionId);
  }

  /** Every event of one session. */
  onSession(sessionId: string, listener: Handler): Undo {
    return this.#listen(this.#lane(sessionId), EVERY, listener, sessionId);
  }

  /** Every event of every known session, before the session's own listeners. */
  onAll(listener: Handler): Undo {
    return this.#listen(this.#all, EVERY, listener);
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
    for (const id of known) this.#begin(id);
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
    const { type, sessionId } = event;
    let lane = this.#lanes.get(sessionId);
    if (lane?.known !== true) {
      if (type !== 'session.created') {
        this.#drop(event);
        return;
      }
      lane = this.#begin(sessionId);
    }
    this.counters.delivered++;
    const all = listOf(this.#all, EVERY);
    const typed = listOf(lane, type);
    // One lookup more for those who listen to a whole session; most are listened to by type.
    const every = lane.every > 0 ? handlersOf(lane, EVERY) : NONE;
    const [typedCount, everyCount] = [typed.length, every.length];
    if (all.length > 0) this.#call(all, all.length, event);
    if (typedCount > 0) this.#call(typed, typedCount, event);
    if (everyCount > 0) this.#call(every, everyCount, event);
    if (type === 'session.end') this.#end(sessionId);
  }

  #drop(event: SessionEvent): void {
    if (this.#ended.has(event.sessionId)) this.counters.endedSession++;
    else this.counters.unknownSession++;
    this.#dropped.call(event);
  }

  #call(handlers: readonly Handler[], count: number, event: SessionEvent): void {
    for (let next = 0; next < count; next++) {
      try {
        handlers[next]?.(event);
      } catch (error) {
        this.counters.faults++;
        this.#fault.call(error);
      }
    }
  }

  #listen(lane: Lane, name: Name, listener: Handler, sessionId?: string): Undo {
    // Twice the same function is two listeners, told apart by their undo.
    const twice = handlersOf(lane, name).includes(listener);
    const handler: Handler = twice ? (event) => listener(event) : listener;
    lane.emitter.on(name, handler);
    count(lane, name, 1);
    const remove = (handlerNow: Handler): void => {
      lane.emitter.off(name, handlerNow);
      count(lane, name, -1);
      if (sessionId !== undefined) this.#sweep(sessionId, lane);
    };
    let undone = false;
    return () => {
      if (undone) return;
      undone = true;
      if (!this.#running) {
        remove(handler);
        return;
      }
      const handlers = handlersOf(lane, name);
      handlers[handlers.indexOf(handler)] = REMOVED;
      this.#removals.push(() => remove(REMOVED));
    };
  }

  #lane(sessionId: string): Lane {
    let lane = this.#lanes.get(sessionId);
    if (lane === undefined) {
      lane = newLane();
      this.#lanes.set(sessionId, lane);
    }
    return lane;
  }

  #begin(sessionId: string): Lane {
    const lane = this.#lane(sessionId);
    lane.known = true;
    this.#ended.delete(sessionId);
    return lane;
  }

  #end(sessionId: string): void {
    this.#ended.add(sessionId);
    for (const oldest of this.#ended) {
      if (this.#ended.size <= MOST_ENDED) break;
      this.#ended.delete(oldest);
    }
    this.#forget(sessionId);
  }

  /** Asks for the lane anew: listeners may have forgotten the session and come back to it. */
  #forget(sessionId: string): void {
    const lane = this.#lanes.get(sessionId);
    if (lane === undefined) return;
    lane.known = false;
    this.#sweep(sessionId, lane);
  }

  #sweep(sessionId: string, lane: Lane): void {
    if (!lane.known && lane.count === 0) this.#lanes.delete(sessionId);
  }
}

function newLane(): Lane {
  return { known: false, emitter: mitt(), count: 0, every: 0, name: undefined, list: NONE };
}

function count(lane: Lane, name: Name, by: 1 | -1): void {
  lane.count += by;
  if (name === EVERY) lane.every += by;
  lane.name = undefined; // mitt may have made the list only now
}

/** mitt's own list, without asking its map again for the name that was asked for last. */
function listOf(lane: Lane, name: Name): readonly Handler[] {
  if (lane.name !== name) {
    lane.list = lane.count > 0 ? handlersOf(lane, name) : NONE;
    lane.name = name;
  }
  return lane.list;
}

/** mitt's own list; its type allows for listeners of `*`, which the bus never adds. */
function handlersOf(lane: Lane, name: Name): Handler[] {
  return (lane.emitter.all.get(name) as Handler[] | undefined) ?? [];
}
