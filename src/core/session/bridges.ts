import type { Draft } from '../../protocol/envelope';
import type { Feature } from '../../protocol/handshake';
import type { ToBridge } from '../../protocol/to-bridge';
import { WireError } from '../../protocol/wire-error';
import type { Undo } from '../ports';
import type { Routes } from './bridge-runtime';
import { isFeatureAvailable, type ConnectionState, type Endpoint } from './connection';
import { ConnectionManager, type ConnectionManagerDeps } from './connection-manager';
import { Listeners } from './listeners';
import type { SessionEvent, SessionEventBus } from './session-event-bus';
import { SessionOwners } from './session-owners';
import { hostOf, hostTitle, type SessionHost } from './session-host';
import type { SessionList } from './sessions';

interface BridgesDeps extends Omit<ConnectionManagerDeps, 'discover' | 'bus'> {
  readonly bus: SessionEventBus;
  /** every bridge that may be running now, newest first */
  readonly discover: () => Promise<readonly Endpoint[]>;
}

/** One bridge and the connection to it. */
interface Bridge {
  /** identifies it while the plugin runs; for `StartOptions.bridge` */
  readonly id: string;
  readonly state: ConnectionState;
}

interface Slot {
  readonly id: string;
  readonly connection: ConnectionManager;
  /** from its welcome; undefined while it is not connected */
  host: SessionHost | undefined;
}

/** Time between two searches for further bridges, ms. */
const SEARCH_EVERY = 2_000;

/**
 * Maximum bridges at once; run files beyond that are ignored until one is gone. Each agent that only
 * calls our tools has its own bridge.
 */
const MAX_BRIDGES = 16;

/**
 * The connections to all OpenCode processes of this vault. The bus gets the events of all their
 * sessions. A request about a session goes to the bridge that has it; an answer to a bridge's
 * request goes over the connection on which the request came. A connection whose bridge is gone is
 * reused for the next new bridge, so that message numbers can be compared after a restart.
 */
export class Bridges implements Routes {
  #foreign = 0;
  readonly #slots: Slot[] = [];
  readonly #owners = new SessionOwners();
  readonly #origins = new RequestOrigins();
  /** a connection without a claim waits for a bridge that no other connection has */
  readonly #claims = new EndpointClaims();
  readonly #states: Listeners<BridgesState>;
  readonly #lists: Listeners<SessionList>;
  #wanted = false;
  #undoSearch: Undo = () => undefined;

  constructor(private readonly deps: BridgesDeps) {
    const fault = (error: unknown): void =>
      deps.log.note('A listener threw.', {
        at: 'connection.listener',
        severity: 'error',
        error: String(error),
      });
    this.#states = new Listeners(fault);
    this.#lists = new Listeners(fault);
    this.#add();
  }

  /** The best state of all connections, see `bestState`. */
  get state(): BridgesState {
    return bestState(this.#slots.map(({ connection }) => connection.state));
  }

  /** The bridges that are running, in the order in which they were found. */
  get all(): readonly Bridge[] {
    return this.#slots
      .filter(({ id }) => this.#claims.of(id) !== undefined)
      .map(({ id, connection: { state } }) => ({ id, state }));
  }

  /**
   * The bridges that can start sessions, the default one first; of several with the same engine,
   * only the newest.
   */
  get starters(): readonly { readonly id: string; readonly host: SessionHost }[] {
    const titles = new Set<string>();
    return this.#newestFirst().flatMap(({ id, host }) => {
      if (host?.features.has('start') !== true || titles.has(hostTitle(host))) return [];
      titles.add(hostTitle(host));
      return [{ id, host }];
    });
  }

  /** Counts of the messages that were dropped since the start, by reason. */
  get dropped() {
    const sum = (why: 'duplicate' | 'gap' | 'refused'): number =>
      this.#slots.reduce((all, { connection }) => all + connection.counters[why], 0);
    const { endedSession, unknownSession } = this.deps.bus.counters;
    return {
      /** received twice, out of order, or not a valid message */
      ...{ duplicate: sum('duplicate'), gap: sum('gap'), refused: sum('refused') },
      /** status of a session, reported by a bridge other than its own */
      foreign: this.#foreign,
      ...{ endedSession, unknownSession },
    };
  }

  /** Called whenever the state of any connection changes. */
  onState(listener: (state: BridgesState) => void): Undo {
    return this.#states.add(listener);
  }

  /**
   * Called with the sessions after each list from a bridge, and when a bridge connects or is lost.
   */
  onWelcome(listener: (list: SessionList) => void): Undo {
    return this.#lists.add(listener);
  }

  /** Keeps connecting from now on, and tries at once. Existing connections stay. */
  connect(): void {
    this.#wanted = true;
    for (const { connection } of this.#slots) connection.connect();
    this.#search();
  }

  /** Ends all connections, until the next `connect`. */
  disconnect(): void {
    this.#wanted = false;
    this.#undoSearch();
    for (const { connection } of this.#slots) connection.disconnect();
  }

  /** Disconnects for good. May be called twice. */
  close(): void {
    this.disconnect();
    for (const { connection } of this.#slots) connection.close();
    this.#states.clear();
    this.#lists.clear();
  }

  /**
   * Call when the machine woke or the window got the focus: retries now, and checks whether
   * connected bridges still respond.
   */
  retryNow(): void {
    if (!this.#wanted) return;
    for (const { connection } of this.#slots) connection.retryNow();
    this.#search();
  }

  hostOf(sessionId: string): SessionHost | undefined {
    return this.#slot(this.#owners.of(sessionId))?.host;
  }

  forSession(sessionId: string): ConnectionManager {
    return this.#slot(this.#owners.of(sessionId))?.connection ?? this.#newest().connection;
  }

  forRequest(sessionId: string, requestId: string): ConnectionManager {
    return (
      this.#slot(this.#origins.of(sessionId, requestId))?.connection ?? this.forSession(sessionId)
    );
  }

  forNewSession(bridge?: string): ConnectionManager {
    if (bridge === undefined) return this.#newest('start').connection;
    const slot = this.#slot(bridge);
    if (slot?.host !== undefined) return slot.connection;
    throw new WireError('cancelled', 'This program is no longer connected.', true);
  }

  /**
   * Sends a message about a session to its bridge, and an answer to a tool call to the bridge that
   * called.
   * @returns whether it was sent
   * @throws WireError `too_large`
   */
  send(draft: Draft<ToBridge>): boolean {
    const { sessionId } = draft;
    if (sessionId === undefined) return this.#newest().connection.send(draft);
    if (draft.type !== 'tool.result' && draft.type !== 'tool.waiting') {
      return this.forSession(sessionId).send(draft);
    }
    const { callId } = draft.payload;
    const sent = this.forRequest(sessionId, callId).send(draft);
    if (sent && draft.type === 'tool.result') this.#origins.answered(sessionId, callId);
    return sent;
  }

  #slot(id: string | undefined): Slot | undefined {
    return this.#slots.find((slot) => slot.id === id);
  }

  /**
   * The newest connected bridge, preferably one with the feature; if none is connected, the first
   * slot, whose connection then fails with the reason.
   */
  #newest(feature?: Feature): Slot {
    const up = this.#newestFirst();
    const [newest] = up;
    const able = feature && up.find(({ host }) => host?.features.has(feature));
    return able ?? newest ?? (this.#slots[0] as Slot);
  }

  /** The connected bridges, newest first. */
  #newestFirst(): readonly Slot[] {
    const started = ({ id }: Slot): number => this.#claims.of(id)?.startedAt ?? 0;
    const up = this.#slots.filter(({ host }) => host !== undefined);
    return up.sort((a, b) => started(b) - started(a));
  }

  #add(endpoint?: Endpoint): Slot {
    const id = `bridge-${this.#slots.length + 1}`;
    if (endpoint !== undefined) this.#claims.claim(id, endpoint);
    const connection: ConnectionManager = new ConnectionManager({
      ...this.deps,
      bus: { emit: (event) => this.#onEvent(slot, event), setKnown: () => undefined },
      discover: async () => {
        const before = this.#claims.of(id);
        const taken = this.#claims.take(id, await this.deps.discover());
        const isGone = before !== undefined && !(taken && isSame(taken, before));
        if (isGone) this.#cancelCalls(id);
        return taken;
      },
    });
    const slot: Slot = { id, connection, host: undefined };
    connection.onWelcome((welcome) => {
      slot.host ??= hostOf(welcome);
      const fresh = this.#owners.bridgeListed(id, welcome.sessions);
      this.deps.bus.setKnown(this.#owners.known());
      this.#publishList(fresh);
    });
    connection.onState((state) => this.#changed(slot, state));
    this.#slots.push(slot);
    return slot;
  }

  #onEvent({ id }: Slot, event: SessionEvent): void {
    const routing = this.#owners.route(id, event);
    if (routing === 'foreign') this.#foreign++;
    else this.#origins.record(id, event);
    if (routing === 'pass') this.deps.bus.emit(event);
    if (routing === 'cut') this.#endTurn(event.sessionId);
  }

  /** Cancels the pending calls of a bridge that is gone; nobody reads their answers. */
  #cancelCalls(bridge: string): void {
    for (const { sessionId, callId } of this.#origins.bridgeGone(bridge)) {
      const payload = { callId, reason: 'The program that called is gone.' };
      this.deps.bus.emit({ type: 'tool.cancel', sessionId, ts: this.deps.clock.now(), payload });
    }
  }

  /**
   * Ends the turn of a session whose process is gone; the session itself continues at another
   * bridge.
   */
  #endTurn(sessionId: string): void {
    const payload = { reason: 'interrupted' } as const;
    this.deps.bus.emit({ type: 'turn.end', sessionId, ts: this.deps.clock.now(), payload });
  }

  #changed(slot: Slot, state: ConnectionState): void {
    if (state.kind !== 'connected') {
      slot.host = undefined;
      this.#owners.bridgeLost(slot.id);
      if (state.kind === 'disconnected') {
        for (const id of this.#owners.bridgeGone(slot.id)) this.#endTurn(id);
      }
      this.#publishList([]);
    }
    this.#states.call(this.state);
  }

  #publishList(sessions: SessionList['sessions']): void {
    this.#lists.call({ sessions, known: this.#owners.known(), away: this.#owners.away() });
  }

  /** Searches for bridges now, and again every 2 s. */
  #search(): void {
    this.#undoSearch();
    this.#undoSearch = this.deps.clock.after(SEARCH_EVERY, () => this.#search());
    void this.deps.discover().then(
      (found) => this.#open(found),
      (error: unknown) =>
        this.deps.log.note('Looking for bridges failed.', {
          at: 'connection.discover',
          error: String(error),
        }),
    );
  }

  /**
   * Opens a connection for each new bridge, except the first ones, which the waiting connections
   * take.
   */
  #open(found: readonly Endpoint[]): void {
    if (!this.#wanted) return;
    const waiting = this.#slots.filter(({ id }) => this.#claims.of(id) === undefined).length;
    const room = MAX_BRIDGES - this.#slots.length;
    for (const endpoint of this.#claims.free(found).slice(waiting).slice(0, room)) {
      this.#add(endpoint).connection.connect();
    }
  }
}

/** The state of all connections; `among` if there are several bridges. */
export type BridgesState = ConnectionState & {
  readonly among?: {
    /** connected ones */
    readonly up: number;
    /** all of them */
    readonly of: number;
    /** the connected ones have different engines */
    readonly mixed?: true;
  };
};

/**
 * The state to show for several connections: preferably one that can start sessions, then one that is
 * connected, then the one that connects next, then one that failed.
 */
function bestState(states: readonly ConnectionState[]): BridgesState {
  const [best = OFF_STATE] = [...states].sort(
    (a, b) => rank(a) - rank(b) || retryTime(a) - retryTime(b),
  );
  const of = states.filter(({ kind }) => kind !== 'disconnected').length;
  const up = states.filter(({ kind }) => kind === 'connected').length;
  const engines = states.flatMap((one) => (one.kind === 'connected' ? hostTitle(one) : []));
  const mixed = new Set(engines).size > 1 && ({ mixed: true } as const);
  return of > 1 ? { ...best, among: { up, of, ...mixed } } : best;
}

const OFF_STATE: ConnectionState = { kind: 'disconnected', reason: 'off' };

const STATE_ORDER: readonly ConnectionState['kind'][] = [
  'connected',
  'connecting',
  'reconnecting',
  'failed',
  'disconnected',
];

function rank(state: ConnectionState): number {
  return isFeatureAvailable(state, 'start') ? -1 : STATE_ORDER.indexOf(state.kind);
}

function retryTime(state: ConnectionState): number {
  return state.kind === 'reconnecting' ? state.at : 0;
}

interface RequestOrigin {
  readonly bridge: string;
  /** whether it is a tool call, rather than a request to the person */
  readonly calls: boolean;
}

/**
 * Which bridge made a call or a request. The answer goes there, even if another bridge has the
 * session by now.
 */
class RequestOrigins {
  /**
   * by session, then by id of call or request: the ids of calls are unique only within a session
   */
  readonly #origins = new Map<string, Map<string, RequestOrigin>>();

  record(bridge: string, event: SessionEvent): void {
    const { sessionId, type } = event;
    if (type === 'tool.call' || type === 'permission.request' || type === 'question.request') {
      const calls = type === 'tool.call';
      const id = calls ? event.payload.callId : event.payload.requestId;
      const origins = this.#origins.get(sessionId) ?? new Map<string, RequestOrigin>();
      this.#origins.set(sessionId, origins.set(id, { bridge, calls }));
    } else if (type === 'permission.resolved' || type === 'question.resolved') {
      this.answered(sessionId, event.payload.requestId);
    } else if (type === 'session.end') this.#origins.delete(sessionId);
  }

  /** @param id of a call or a request */
  of(sessionId: string, id: string): string | undefined {
    return this.#origins.get(sessionId)?.get(id)?.bridge;
  }

  /** Call when a bridge is gone. @returns its unanswered calls */
  bridgeGone(bridge: string): readonly { readonly sessionId: string; readonly callId: string }[] {
    return [...this.#origins].flatMap(([sessionId, asked]) =>
      [...asked].flatMap(([callId, asker]) =>
        asker.calls && asker.bridge === bridge ? [{ sessionId, callId }] : [],
      ),
    );
  }

  /** A call is answered once; a bridge that wants the answer again sends the call again. */
  answered(sessionId: string, id: string): void {
    const origins = this.#origins.get(sessionId);
    origins?.delete(id);
    if (origins?.size === 0) this.#origins.delete(sessionId);
  }
}

/** Assigns each bridge to at most one connection. */
class EndpointClaims {
  readonly #claimed = new Map<string, Endpoint>();

  of(connection: string): Endpoint | undefined {
    return this.#claimed.get(connection);
  }

  claim(connection: string, endpoint: Endpoint): void {
    this.#claimed.set(connection, endpoint);
  }

  /** The connection's own bridge if it is among those found, else the first free one. */
  take(connection: string, found: readonly Endpoint[]): Endpoint | undefined {
    const held = this.#claimed.get(connection);
    const taken = found.find((one) => held && isSame(one, held)) ?? this.free(found)[0];
    if (taken === undefined) this.#claimed.delete(connection);
    else this.#claimed.set(connection, taken);
    return taken;
  }

  /** The bridges found that no connection has. */
  free(found: readonly Endpoint[]): readonly Endpoint[] {
    const held = [...this.#claimed.values()];
    return found.filter((one) => !held.some((other) => isSame(one, other)));
  }
}

function isSame(one: Endpoint, other: Endpoint): boolean {
  return one.url === other.url && one.token === other.token;
}
