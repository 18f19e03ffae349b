import type { FromBridge, FromBridgeOf } from '../../protocol/from-bridge';
import mitt from 'mitt';
import type { Emitter } from 'mitt';
import type { Undo } from '../ports';
import { Listeners } from './listeners';

/** Messages for the caller or for the connection, rather than events of a session. */
type AnswerType = 'ack' | 'prompt.taken' | 'session.stands';

type PlainType = 'welcome' | 'catalog' | 'pong';

type AboutSession =
  | Exclude<Extract<FromBridge, { sessionId: string }>, { type: AnswerType }>
  | (FromBridgeOf<'error'> & { readonly sessionId: string });

/**
 * An event of one session: a message that names it, without the fields that only the connection
 * needs.
 */
export type SessionEvent = AboutSession extends infer M
  ? M extends AboutSession
    ? Readonly<Pick<M, 'type' | 'sessionId' | 'ts' | 'payload'>>
    : never
  : never;

export type SessionEventType = SessionEvent['type'];

export type SessionEventOf<T extends SessionEventType> = Extract<SessionEvent, { type: T }>;

/**
 * Whether a message from the bridge goes to the bus. Pages of history don't: they are for their
 * requester only, and listeners would take them for the current state.
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

/** The mitt event name of listeners for all types. */
const EVERY = 'every';

type Name = SessionEventType | typeof EVERY;

/** One session on the bus; exists while the session is known or has listeners. */
interface Lane {
  known: boolean;
  readonly emitter: Emitter<Record<Name, SessionEvent>>;
  /** number of listeners */
  count: number;
  /** number of listeners under EVERY */
  every: number;
  /** cache of the last lookup: a session's events come in runs of one type */
  name: Name | undefined;
  list: readonly Handler[];
}

/** How many ended sessions are remembered; used only for the counters. */
const MAX_ENDED = 1_000;

const NONE: readonly Handler[] = [];

/** Replaces a listener that is removed during an event. */
const REMOVED: Handler = () => undefined;

/**
 * Delivers each event to the listeners of its session, one event at a time: an event emitted by a
 * listener waits until the current one has reached all. Order per event: `onAll`, then `on`, then
 * `onSession`, each in the order of registration. A session is known from its `session.created`, or
 * from `setKnown`, until after its `session.end`; events of other sessions are dropped.
 *
 * mitt stores the listeners, but the bus calls them: mitt would copy the list for each event, let
 * errors through, and call listeners that were removed meanwhile. Lists only grow during an event,
 * so their lengths before it tell which listeners to call.
 */
export class SessionEventBus {
  /**
   * Counts of events delivered, events dropped because their session was never known or has ended,
   * and listeners that threw.
   */
  readonly counters = { delivered: 0, unknownSession: 0, endedSession: 0, faults: 0 };

  readonly #lanes = new Map<string, Lane>();
  readonly #all: Lane = newLane();
  /** the sessions that ended last; their further events are late, not lost */
  readonly #ended = new Set<string>();
  readonly #dropped = new Listeners<SessionEvent>();
  readonly #fault = new Listeners<unknown>();
  readonly #waiting: SessionEvent[] = [];
  /**
   * removals run after the event: removing a listener while its list is iterated would skip another
   */
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

  /** Listens to events of one type in one session, which need not be known yet. */
  on<T extends SessionEventType>(
    sessionId: string,
    type: T,
    listener: (event: SessionEventOf<T>) => void,
  ): Undo {
    // registered by type, so it is called only for that type
    return this.#listen(this.#lane(sessionId), type, listener as Handler, sessionId);
  }

  /** Listens to every event of one session. */
  onSession(sessionId: string, listener: Handler): Undo {
    return this.#listen(this.#lane(sessionId), EVERY, listener, sessionId);
  }

  /** Listens to every event of every known session, before the session's own listeners. */
  onAll(listener: Handler): Undo {
    return this.#listen(this.#all, EVERY, listener);
  }

  /** Listens to events of unknown sessions, which reach no other listener. */
  onDrop(listener: Handler): Undo {
    return this.#dropped.add(listener);
  }

  /** Called with the error that a listener threw. */
  onFault(listener: (error: unknown) => void): Undo {
    return this.#fault.add(listener);
  }

  /** Sets the known sessions; all others become unknown. Their listeners stay. */
  setKnown(sessionIds: Iterable<string>): void {
    const known = new Set(sessionIds);
    for (const id of this.#lanes.keys()) if (!known.has(id)) this.#forget(id);
    for (const id of known) this.#begin(id);
  }

  /** Number of sessions that are known or have listeners; for tests and for finding leaks. */
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
    // Listeners of a whole session cost a second lookup; most listeners are registered by type.
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
    // The same function added twice is two listeners, each with its own undo.
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
      if (this.#ended.size <= MAX_ENDED) break;
      this.#ended.delete(oldest);
    }
    this.#forget(sessionId);
  }

  /** Looks the lane up again: listeners of `session.end` may have removed it and made a new one. */
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
  lane.name = undefined; // mitt may have created the list only now
}

/** mitt's own list; skips the lookup if the name is the same as last time. */
function listOf(lane: Lane, name: Name): readonly Handler[] {
  if (lane.name !== name) {
    lane.list = lane.count > 0 ? handlersOf(lane, name) : NONE;
    lane.name = name;
  }
  return lane.list;
}

/** mitt's own list; its type also allows listeners of `*`, which the bus never adds. */
function handlersOf(lane: Lane, name: Name): Handler[] {
  return (lane.emitter.all.get(name) as Handler[] | undefined) ?? [];
}
