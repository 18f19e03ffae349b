import type { Draft } from '../../protocol/envelope';
import type { FromBridge, FromBridgeOf } from '../../protocol/from-bridge';
import { CLOSE, PROTOCOL_VERSION } from '../../protocol/handshake';
import type { HelloPayload, ToBridge, ToBridgeOf } from '../../protocol/to-bridge';
import { WireError } from '../../protocol/wire-error';
import type { Undo } from '../ports';
import { ClientLink } from './client-link';
import {
  classifyEnd,
  connectedState,
  Connection,
  failedState,
  awaitsRetry,
  type ConnectionDeps,
  type ConnectionEnd,
  type ConnectionState,
  type Endpoint,
  type FailedState,
  type LossReason,
} from './connection';
import { Listeners } from './listeners';
import { PendingRequests } from './requests';
import type { EngineInfo } from '../../protocol/fields';
import { isSessionEvent, type SessionEventBus } from './session-event-bus';

export type { ConnectionState, Endpoint };

export interface ConnectionManagerDeps extends Omit<ConnectionDeps, 'link'> {
  /** Finds the endpoint of a bridge that may be running now. */
  readonly discover: () => Promise<Endpoint | undefined>;
  readonly hello: () => HelloPayload;
  readonly bus: Pick<SessionEventBus, 'emit' | 'setKnown'>;
}

type Welcome = FromBridgeOf<'welcome'>['payload'];

/** After a connection that lasted this long, ms, the pauses between tries start short again. */
const STABLE_AFTER = 5_000;

/**
 * Owns the connection to one bridge. After `connect` it keeps connecting until `disconnect`: after
 * a loss with growing pauses, and at once when a bridge appears that was not tried yet. A refused
 * token is not tried again. Events of sessions go only to the bus.
 */
export class ConnectionManager {
  /** Messages dropped since the start, by reason. */
  readonly counters = { duplicate: 0, gap: 0, refused: 0 };
  #state: ConnectionState = { kind: 'disconnected', reason: 'off' };
  /** engine of the last connection */
  #engine: EngineInfo | undefined;
  #connection: Connection | undefined;
  #connectedAt: number | undefined;
  #closed = false;
  /** Shared by all connections: a bridge of the same epoch continues where the last one broke. */
  readonly #link: ClientLink;
  /**
   * A person's answers that a bridge may not have received before it restarted, by their requests.
   * Each is sent again only after the bridge shows that its request still waits; anything else the
   * person has to repeat.
   */
  readonly #unconfirmedAnswers = new Map<string, PersonAnswer>();
  readonly #search: BridgeSearch;
  readonly #pending: PendingRequests;
  readonly #states: Listeners<ConnectionState>;
  readonly #welcomes: Listeners<Welcome>;

  constructor(private readonly deps: ConnectionManagerDeps) {
    const fault = (error: unknown): void =>
      deps.log.note('A listener threw.', {
        at: 'connection.listener',
        severity: 'error',
        error: String(error),
      });
    this.#search = new BridgeSearch(
      deps,
      (endpoint) => this.#open(endpoint),
      () => this.#set({ kind: 'disconnected', reason: 'no_bridge' }),
    );
    this.#link = new ClientLink(deps, this.counters);
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

  /** Called with the list of sessions, after each connection and each `session.list`. */
  onWelcome(listener: (welcome: Welcome) => void): Undo {
    return this.#welcomes.add(listener);
  }

  /** Keeps connecting from now on, and tries at once. Does nothing if there is a connection. */
  connect(): void {
    if (this.#closed || this.#connection !== undefined) return;
    this.#search.reset();
    this.#search.searchNow();
  }

  /** Ends the connection, until the next `connect`. Rejects all pending requests. */
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

  /**
   * Call when the machine woke or the window got the focus: retries now, or checks whether the
   * bridge still responds.
   */
  retryNow(): void {
    const { kind } = this.#state;
    if (kind === 'connected') this.#connection?.check();
    else if (awaitsRetry(this.#state)) this.#search.searchNow();
  }

  /**
   * @returns whether it was sent; false without a connection
   * @throws WireError `too_large`
   */
  send(draft: Draft<ToBridge>): boolean {
    if (this.#state.kind !== 'connected' || this.#connection === undefined) return false;
    this.#connection.send(draft);
    return true;
  }

  /**
   * Sends a message and resolves with its answer: the one whose `replyTo` names it, or the first
   * for which `answers` returns true. A request about a session outlives its connection; after the
   * timeout it is not sent again.
   * @throws WireError the bridge's `error`, `timeout`, `cancelled` (no connection, or lost before
   * the answer), `too_large`
   */
  async request(
    draft: Draft<ToBridge>,
    timeoutMs: number,
    answers: (message: FromBridge) => boolean = () => false,
  ): Promise<FromBridge> {
    const id = this.#ask(draft);
    const { sessionId } = draft;
    return this.#pending.wait(id, {
      timeoutMs,
      answers: (message) => message.replyTo === id || answers(message),
      outlives: sessionId !== undefined,
      onTimeout: () => {
        if (sessionId !== undefined) this.#link.withdraw(sessionId, id);
      },
    });
  }

  /**
   * Like `request`, but resolves with all messages that reply to it, in order, up to the one that
   * `isLast`.
   */
  async collect(
    draft: Draft<ToBridge>,
    timeoutMs: number,
    isLast: (message: FromBridge) => boolean,
  ): Promise<readonly FromBridge[]> {
    const id = this.#ask(draft);
    const replies: FromBridge[] = [];
    const answers = (message: FromBridge): boolean => {
      if (message.replyTo !== id) return false;
      replies.push(message);
      return isLast(message);
    };
    await this.#pending.wait(id, { timeoutMs, answers, outlives: false });
    return replies;
  }

  /** @returns the id of the message that was sent */
  #ask(draft: Draft<ToBridge>): string {
    if (this.#state.kind !== 'connected' || this.#connection === undefined) {
      throw new WireError('cancelled', 'Its program is not connected.', true);
    }
    return this.#connection.send(draft);
  }

  #open(endpoint: Endpoint): void {
    if (endpoint.protocol !== undefined && endpoint.protocol !== PROTOCOL_VERSION) {
      return this.#fail(failedState('version'));
    }
    const { folder } = endpoint;
    const hello = { ...this.deps.hello(), ...(folder !== undefined && { folder }) };
    const deps = { ...this.deps, link: this.#link };
    const connection: Connection = new Connection(deps, endpoint, hello, {
      bridgeRestarted: (unheard) => this.#onRestart(unheard),
      message: (message) => this.#receive(connection, message),
      unreadable: (id, why) => {
        if (connection !== this.#connection) return;
        const told = `The answer of the program can’t be read: ${why}`;
        this.#pending.reject(id, new WireError('bad_message', told));
      },
      ended: (end) => this.#lost(connection, end),
    });
    this.#connection = connection;
    this.#set({ kind: 'connecting' });
  }

  #receive(connection: Connection, message: FromBridge): void {
    if (connection !== this.#connection) return;
    const answered = this.#pending.offer(message);
    if (message.type === 'welcome') this.#welcome(message.payload);
    else if (isSessionEvent(message)) this.deps.bus.emit(message);
    if (message.type === 'session.created') this.#attach(message.sessionId);
    if (message.type === 'permission.request' || message.type === 'question.request') {
      const { requestId } = message.payload;
      const answer = this.#unconfirmedAnswers.get(requestId);
      if (answer?.sessionId === message.sessionId) {
        this.#unconfirmedAnswers.delete(requestId);
        const { type, sessionId, payload } = answer;
        this.send({ type, sessionId, payload } as Draft<PersonAnswer>);
      }
    }
    if (message.type === 'error' && !answered) {
      this.deps.log.note('The bridge reported an error.', {
        at: 'connection.error',
        severity: 'error',
        code: message.payload.code,
      });
    }
  }

  /**
   * Order matters: first the bus and the registry get the list of sessions, then listeners of the
   * state run, then the sessions are attached, so that their messages can arrive.
   */
  #welcome(welcome: Welcome): void {
    const ids = welcome.sessions.map(({ id }) => id);
    this.deps.bus.setKnown(ids);
    this.#welcomes.call(welcome);
    if (this.#state.kind === 'connecting') {
      this.#connectedAt = this.deps.clock.now();
      const connected = connectedState(welcome);
      this.#engine = connected.engine;
      this.#set(connected);
    }
    for (const id of ids) this.#attach(id);
  }

  /**
   * The bridge restarted: no pending request will be answered, and no prompt is resent without the
   * person's knowledge.
   */
  #onRestart(unheard: readonly ToBridge[]): void {
    this.#unconfirmedAnswers.clear();
    for (const one of unheard) {
      if (one.type !== 'permission.response' && one.type !== 'question.response') continue;
      this.#unconfirmedAnswers.set(one.payload.requestId, one);
    }
    const message =
      'The connection to the program was lost before it answered. Check whether it was done before you repeat it.';
    this.#pending.rejectAll(new WireError('cancelled', message, true));
  }

  #attach(sessionId: string): void {
    this.send({ type: 'session.attach', sessionId, payload: {} });
  }

  #lost(connection: Connection, end: ConnectionEnd): void {
    if (connection !== this.#connection) return;
    this.#connection = undefined;
    this.deps.log.note('The connection ended.', { at: 'connection.end', severity: 'info', ...end });
    const outcome = classifyEnd(end);
    const lost = new WireError('cancelled', 'The connection to the program was lost.', true);
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
    if (lasted >= STABLE_AFTER) this.#search.reset();
    this.#connectedAt = undefined;
    const engine = this.#engine;
    this.#set({
      ...{ kind: 'reconnecting', ...this.#search.retryLater(), reason },
      ...(engine !== undefined && { engine }),
    });
  }

  #fail(state: FailedState): void {
    this.#search.waitForNew();
    this.#set(state);
  }

  #set(state: ConnectionState): void {
    const off = this.#state.kind === 'disconnected' && this.#state.reason;
    if (state.kind === 'disconnected' && state.reason === off) return;
    this.#state = state;
    this.#states.call(state);
  }
}

/** Time between two searches for a bridge that was not tried yet, ms. */
const SEARCH_EVERY = 2_000;

/**
 * Decides which bridge to try, and when. Searches every 2 s for one that was not tried yet, even
 * during a pause: a restarted OpenCode has another port and another token.
 */
class BridgeSearch {
  /** tries since the last `reset` */
  #attempt = 0;
  /** tokens tried since the last `reset` */
  readonly #tried = new Set<string>();
  /** raised by `stop`; results of searches begun before are ignored */
  #epoch = 0;
  #undoRetry: Undo | undefined;
  #undoPoll: Undo | undefined;

  /**
   * @param onFound called with the bridge to try; the search has stopped
   * @param onNone called if there is none; the search continues
   */
  constructor(
    private readonly deps: Pick<ConnectionManagerDeps, 'discover' | 'clock' | 'ids' | 'log'>,
    private readonly onFound: (endpoint: Endpoint) => void,
    private readonly onNone: () => void,
  ) {}

  /** Forgets what was tried: pauses are short again, and every bridge counts as new. */
  reset(): void {
    this.#attempt = 0;
    this.#tried.clear();
  }

  /** Searches at once, and accepts any bridge, tried or not. */
  searchNow(): void {
    this.stop();
    const epoch = this.#epoch;
    void this.#discover().then((endpoint) => {
      if (epoch !== this.#epoch) return;
      if (endpoint !== undefined) return this.#take(endpoint);
      this.reset();
      this.#poll();
      this.onNone();
    });
  }

  /** Searches after a pause that grows with each call, or earlier if a new bridge appears. */
  retryLater(): { readonly attempt: number; readonly at: number } {
    this.stop();
    const attempt = ++this.#attempt;
    const delay = retryDelay(attempt, this.deps.ids.random());
    this.#undoRetry = this.deps.clock.after(delay, () => this.searchNow());
    this.#poll();
    return { attempt, at: this.deps.clock.now() + delay };
  }

  /** Waits for a new bridge. */
  waitForNew(): void {
    this.stop();
    this.#poll();
  }

  stop(): void {
    this.#epoch++;
    this.#undoRetry?.();
    this.#undoPoll?.();
  }

  #poll(): void {
    const epoch = this.#epoch;
    this.#undoPoll = this.deps.clock.after(SEARCH_EVERY, () => {
      void this.#discover().then((endpoint) => {
        if (epoch !== this.#epoch) return;
        if (endpoint === undefined || this.#tried.has(endpoint.token)) this.#poll();
        else this.#take(endpoint);
      });
    });
  }

  #take(endpoint: Endpoint): void {
    this.stop();
    this.#tried.add(endpoint.token);
    this.onFound(endpoint);
  }

  async #discover(): Promise<Endpoint | undefined> {
    try {
      return await this.deps.discover();
    } catch (error) {
      this.deps.log.note('Looking for a bridge failed.', {
        at: 'connection.discover',
        error: String(error),
      });
      return undefined; // treated as no bridge: the next search may succeed
    }
  }
}

const MIN_DELAY = 250;

const MAX_DELAY = 15_000;

/**
 * How long to wait before try number `attempt` (from 1), in ms: uniform between 250 ms and a bound
 * that doubles from 500 ms to 15 s. Full jitter, so that clients of one bridge don't return at once.
 * @param random uniform in [0, 1)
 */
export function retryDelay(attempt: number, random: number): number {
  const bound = Math.min(MAX_DELAY, MIN_DELAY * 2 ** attempt);
  return Math.round(MIN_DELAY + random * (bound - MIN_DELAY));
}

type PersonAnswer = ToBridgeOf<'permission.response' | 'question.response'>;
