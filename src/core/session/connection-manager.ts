import type { Draft } from '../../protocol/draft';
import type { FromBridge, FromBridgeOf } from '../../protocol/from-bridge';
import { CLOSE, PROTOCOL_VERSION } from '../../protocol/handshake';
import type { HelloPayload, ToBridge } from '../../protocol/to-bridge';
import { WireError } from '../../protocol/wire-error';
import type { Undo } from '../ports';
import { BridgeSearch, type BridgeSearchDeps } from './bridge-search';
import { ClientLink } from './client-link';
import { Connection, type ConnectionDeps, type ConnectionEnd, type Endpoint } from './connection';
import {
  afterEnd,
  connectedBy,
  failed,
  waits,
  type ConnectionState,
  type Failed,
  type LossReason,
} from './connection-state';
import { Listeners } from './listeners';
import { PendingRequests } from './pending-requests';
import { Requests } from './requests';
import { isSessionEvent } from './session-event';
import type { SessionEventBus } from './session-event-bus';
import { UnheardAnswers } from './unheard-answers';

export type { ConnectionState, Endpoint };

export interface ConnectionManagerDeps extends Omit<ConnectionDeps, 'link'>, BridgeSearchDeps {
  readonly hello: () => HelloPayload;
  readonly bus: Pick<SessionEventBus, 'emit' | 'setKnown'>;
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
  /** What was dropped since the start, and why. */
  readonly counters = { duplicate: 0, gap: 0, refused: 0 };
  #state: ConnectionState = { kind: 'disconnected', reason: 'off' };
  #connection: Connection | undefined;
  #connectedAt: number | undefined;
  #closed = false;
  /** Over all connections: a bridge that knows its epoch goes on where the last one broke. */
  readonly #link: ClientLink;
  readonly #unheard = new UnheardAnswers();
  readonly #search: BridgeSearch;
  readonly #pending: PendingRequests;
  readonly #requests: Requests;
  readonly #states: Listeners<ConnectionState>;
  readonly #welcomes: Listeners<Welcome>;

  constructor(private readonly deps: ConnectionManagerDeps) {
    const fault = (error: unknown): void =>
      deps.log.note('A listener threw.', { error: String(error) });
    this.#search = new BridgeSearch(deps, {
      found: (endpoint) => this.#open(endpoint),
      none: () => this.#set({ kind: 'disconnected', reason: 'no_bridge' }),
    });
    this.#link = new ClientLink(deps, this.counters);
    this.#pending = new PendingRequests(deps.clock);
    this.#requests = new Requests(this.#pending, this.#link);
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
    this.#closed = true;
    this.disconnect();
    this.#states.clear();
    this.#welcomes.clear();
  }

  /** The machine woke or the window got the focus: no more waiting, and is the other end alive? */
  retryNow(): void {
    const { kind } = this.#state;
    if (kind === 'connected') this.#connection?.check();
    else if (waits(this.#state)) this.#search.now();
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
    return this.#requests.request({ id: this.#ask(draft), draft, timeoutMs }, answers);
  }

  /** As `request`, for all messages that reply to it, in order, up to the one that `isLast`. */
  async collect(
    draft: Draft<ToBridge>,
    timeoutMs: number,
    isLast: (message: FromBridge) => boolean,
  ): Promise<readonly FromBridge[]> {
    return this.#requests.collect({ id: this.#ask(draft), draft, timeoutMs }, isLast);
  }

  /** @returns the id of the message that was sent */
  #ask(draft: Draft<ToBridge>): string {
    if (this.#state.kind !== 'connected' || this.#connection === undefined) {
      throw new WireError('cancelled', 'OpenCode is not connected.', true);
    }
    return this.#connection.send(draft);
  }

  #open(endpoint: Endpoint): void {
    if (endpoint.protocol !== undefined && endpoint.protocol !== PROTOCOL_VERSION) {
      this.#fail(failed('version'));
      return;
    }
    const { folder } = endpoint;
    const hello = { ...this.deps.hello(), ...(folder !== undefined && { folder }) };
    const connection: Connection = new Connection(
      { ...this.deps, link: this.#link },
      endpoint,
      hello,
      {
        anew: (unheard) => this.#anew(unheard),
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
    const answer = this.#unheard.draftFor(message);
    if (answer !== undefined) this.send(answer);
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
      this.#set(connectedBy(welcome));
    }
    for (const id of ids) this.#attach(id);
  }

  /** Nothing of before will be answered, and no prompt is sent twice in silence. */
  #anew(unheard: readonly ToBridge[]): void {
    this.#unheard.keep(unheard);
    const message =
      'The connection to OpenCode was lost before it answered. Look whether it was done before you repeat it.';
    this.#pending.rejectAll(new WireError('cancelled', message, true));
  }

  #attach(sessionId: string): void {
    this.send({ type: 'session.attach', sessionId, payload: {} });
  }

  #lost(connection: Connection, end: ConnectionEnd): void {
    if (connection !== this.#connection) return;
    this.#connection = undefined;
    this.deps.log.note('The connection ended.', { ...end });
    const outcome = afterEnd(end);
    const lost = new WireError('cancelled', 'The connection to OpenCode was lost.', true);
    if (typeof outcome === 'string') {
      this.#pending.rejectLost(lost);
      this.#retry(outcome);
    } else {
      this.#pending.rejectAll(lost);
      this.#fail(outcome);
    }
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
    const off = this.#state.kind === 'disconnected' && this.#state.reason;
    if (state.kind === 'disconnected' && state.reason === off) return;
    this.#state = state;
    this.#states.call(state);
  }
}
