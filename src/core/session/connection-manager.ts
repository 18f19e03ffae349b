import type { Draft } from '../../protocol/draft';
import type { FromBridge, FromBridgeOf } from '../../protocol/from-bridge';
import { CLOSE, PROTOCOL_VERSION } from '../../protocol/handshake';
import type { HelloPayload, ToBridge } from '../../protocol/to-bridge';
import { WireError } from '../../protocol/wire-error';
import type { Undo } from '../ports';
import { BridgeSearch, type BridgeSearchDeps } from './bridge-search';
import { Connection, type ConnectionDeps, type ConnectionEnd, type Endpoint } from './connection';
import {
  afterEnd,
  failed,
  type ConnectionState,
  type Failed,
  type LossReason,
} from './connection-state';
import { Listeners } from './listeners';
import { PendingRequests } from './pending-requests';
import { isSessionEvent } from './session-event';
import type { SessionEventBus } from './session-event-bus';

export type { ConnectionState, Endpoint };

export interface ConnectionManagerDeps extends ConnectionDeps, BridgeSearchDeps {
  readonly hello: () => HelloPayload;
  readonly bus: SessionEventBus;
}

type Welcome = FromBridgeOf<'welcome'>['payload'];

/** A connection that lasted this long, ms, was a good one: the next try comes soon again. */
const GOOD_AFTER = 5_000;

/**
 * The only owner of the connection. Once asked to connect it keeps at it, until `disconnect`:
 * after a loss with growing pauses, at once when a bridge shows up that was not tried yet. A
 * refused token is not tried again. Events of sessions go to the bus, to nobody else.
 */
export class ConnectionManager {
  #state: ConnectionState = { kind: 'disconnected', reason: 'off' };
  #connection: Connection | undefined;
  #connectedAt: number | undefined;
  #closed = false;
  readonly #search: BridgeSearch;
  readonly #pending: PendingRequests;
  readonly #states: Listeners<ConnectionState>;
  readonly #welcomes: Listeners<Welcome>;

  constructor(private readonly deps: ConnectionManagerDeps) {
    const fault = (error: unknown): void =>
      deps.log.note('A listener threw.', { error: String(error) });
    this.#search = new BridgeSearch(deps, {
      found: (endpoint) => this.#open(endpoint),
      none: () => this.#set({ kind: 'disconnected', reason: 'no_bridge' }),
    });
    this.#pending = new PendingRequests(deps.clock);
    this.#states = new Listeners(fault);
    this.#welcomes = new Listeners(fault);
  }

  get state(): ConnectionState {
    return this.#state;
  }

  onState(listener: (state: ConnectionState) => void): Undo {
    return this.#states.add(listener);
  }

  /** The list of sessions, after each connection and each `session.list`. */
  onWelcome(listener: (welcome: Welcome) => void): Undo {
    return this.#welcomes.add(listener);
  }

  /** Wants a connection from now on, and tries at once. Where there is one, nothing happens. */
  connect(): void {
    if (this.#closed || this.#connection !== undefined) return;
    this.#search.reset();
    this.#search.now();
  }

  /** Ends it, and stays without until `connect`. What waits for an answer is rejected. */
  disconnect(): void {
    this.#search.stop();
    const connection = this.#connection;
    this.#connection = undefined;
    connection?.close(CLOSE.normal, '');
    this.#pending.rejectAll(new WireError('cancelled', 'The connection was ended.'));
    this.#set({ kind: 'disconnected', reason: 'off' });
  }

  /** Disconnects for good. May be called twice. */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.disconnect();
    this.#states.clear();
    this.#welcomes.clear();
  }

  /** The machine woke or the window got the focus: no more waiting, and is the other end alive? */
  retryNow(): void {
    const { kind } = this.#state;
    if (kind === 'connected') this.#connection?.check();
    else if (this.#waits()) this.#search.now();
  }

  /**
   * @returns whether it was sent; not without a connection
   * @throws WireError `too_large`
   */
  send(draft: Draft<ToBridge>): boolean {
    if (this.#state.kind !== 'connected' || this.#connection === undefined) return false;
    this.#connection.send(draft);
    return true;
  }

  /**
   * Sends, and resolves with the message that answers: the one whose `replyTo` names it, or the
   * first for which `answers` holds.
   * @throws WireError what the bridge's `error` said, `timeout`, `cancelled` (no connection, or
   * lost before the answer), `too_large`
   */
  async request(
    draft: Draft<ToBridge>,
    timeoutMs: number,
    answers?: (message: FromBridge) => boolean,
  ): Promise<FromBridge> {
    if (this.#state.kind !== 'connected' || this.#connection === undefined) {
      throw new WireError('cancelled', 'OpenCode is not connected.', true);
    }
    const id = this.#connection.send(draft);
    return this.#pending.wait(
      id,
      timeoutMs,
      (message) => message.replyTo === id || answers?.(message) === true,
    );
  }

  /** Waits for a retry or for a bridge; not where nobody wants a connection or one is refused. */
  #waits(): boolean {
    const state = this.#state;
    return (
      state.kind === 'reconnecting' ||
      (state.kind === 'disconnected' && state.reason === 'no_bridge')
    );
  }

  #open(endpoint: Endpoint): void {
    if (endpoint.protocol !== undefined && endpoint.protocol !== PROTOCOL_VERSION) {
      this.#fail(failed('version'));
      return;
    }
    const hello = this.deps.hello();
    const folder = endpoint.folder === undefined ? {} : { folder: endpoint.folder };
    const connection: Connection = new Connection(
      this.deps,
      endpoint,
      { ...hello, ...folder },
      {
        message: (message) => this.#receive(connection, message),
        ended: (end) => this.#lost(connection, end),
      },
    );
    this.#connection = connection;
    this.#set({ kind: 'connecting' });
  }

  #receive(connection: Connection, message: FromBridge): void {
    if (connection !== this.#connection) return;
    const answered = this.#pending.offer(message);
    if (message.type === 'welcome') this.#welcome(message.payload);
    else if (isSessionEvent(message)) this.deps.bus.emit(message);
    if (message.type === 'session.created') this.#attach(message.sessionId);
    if (message.type === 'error' && !answered) {
      this.deps.log.note('The bridge reported an error.', { code: message.payload.code });
    }
  }

  /** The registry hears of the sessions first, then views of the state, then messages may come. */
  #welcome(welcome: Welcome): void {
    const ids = welcome.sessions.map(({ id }) => id);
    this.deps.bus.setKnown(ids);
    this.#welcomes.call(welcome);
    if (this.#state.kind === 'connecting') {
      this.#connectedAt = this.deps.clock.now();
      const { bridge, opencode, directory } = welcome;
      this.#set({ kind: 'connected', bridge, opencode, directory });
    }
    for (const id of ids) this.#attach(id);
  }

  #attach(sessionId: string): void {
    this.send({ type: 'session.attach', sessionId, payload: {} });
  }

  #lost(connection: Connection, end: ConnectionEnd): void {
    if (connection !== this.#connection) return;
    this.#connection = undefined;
    this.deps.log.note('The connection ended.', { ...end });
    this.#pending.rejectAll(
      new WireError('cancelled', 'The connection to OpenCode was lost.', true),
    );
    const outcome = afterEnd(end);
    if (typeof outcome === 'string') this.#retry(outcome);
    else this.#fail(outcome);
  }

  #retry(reason: LossReason): void {
    const lasted = this.deps.clock.now() - (this.#connectedAt ?? Infinity);
    if (lasted >= GOOD_AFTER) this.#search.reset();
    this.#connectedAt = undefined;
    this.#set({ kind: 'reconnecting', ...this.#search.later(), reason });
  }

  #fail(state: Failed): void {
    this.#search.forNew();
    this.#set(state);
  }

  #set(state: ConnectionState): void {
    const before = this.#state;
    const off = before.kind === 'disconnected' ? before.reason : undefined;
    if (state.kind === 'disconnected' && state.reason === off) return;
    this.#state = state;
    this.#states.call(state);
  }
}
