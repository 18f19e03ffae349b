import { decodeFromBridge } from '../../protocol/codec';
import type { Draft } from '../../protocol/envelope';
import type { ErrorCode } from '../../protocol/wire-error';
import type { FromBridge, FromBridgeOf } from '../../protocol/from-bridge';
import { clientProtocols, CLOSE, type Feature } from '../../protocol/handshake';
import type { HelloPayload, ToBridge } from '../../protocol/to-bridge';
import type { SequenceCheck } from '../link/link';
import type { Clock, Ids, Log, OpenTransport, Transport, Undo } from '../ports';
import type { ClientLink } from './client-link';
import { hostOf, type SessionHost } from './session-host';

/** The address of a bridge. */
export interface Endpoint {
  /** `ws://127.0.0.1:<port>/` */
  readonly url: string;
  readonly token: string;
  /**
   * The run file's `folder`, if it was read from this vault; without it the connection offers no
   * tools.
   */
  readonly folder?: string;
  /** The run file's protocol version; unknown if the address was entered by hand. */
  readonly protocol?: number;
  /** When it started, ms since the epoch; unknown if the address was entered by hand. */
  readonly startedAt?: number;
}

export interface ConnectionDeps {
  readonly open: OpenTransport;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
  /** outlives the connection: messages missed on one arrive on the next */
  readonly link: ClientLink;
}

/** How a connection ended. */
export interface ConnectionEnd {
  readonly code: number;
  /** whether the socket was open */
  readonly opened: boolean;
  /** code of the `error` that the bridge sent instead of a welcome, if it did */
  readonly refusal?: ErrorCode;
}

interface ConnectionEvents {
  /**
   * Called before the welcome, if the bridge restarted or forgot this client: with earlier messages
   * that it may not have received and that are not resent automatically.
   */
  bridgeRestarted(unheard: readonly ToBridge[]): void;
  /** Called once for every message, in order within each session; the first is a `welcome`. */
  message(message: FromBridge): void;
  /** Called for an answer that can't be decoded; it is otherwise dropped. */
  unreadable(replyTo: string, why: string): void;
  /** Called exactly once. */
  ended(end: ConnectionEnd): void;
}

/** Time limit from opening the socket to the welcome, ms. */
const HANDSHAKE_TIMEOUT = 10_000;

/** One connection from opening to end: hello, welcome, heartbeat. Never reopened. */
export class Connection {
  readonly #transport: Transport;
  readonly #undoHandshake: Undo;
  #heartbeat: Heartbeat | undefined;
  #opened = false;
  #welcomed = false;
  #ended = false;

  constructor(
    private readonly deps: ConnectionDeps,
    endpoint: Endpoint,
    hello: HelloPayload,
    private readonly events: ConnectionEvents,
  ) {
    this.#undoHandshake = deps.clock.after(HANDSHAKE_TIMEOUT, () =>
      this.close(CLOSE.dead, 'No welcome.'),
    );
    const target = { url: endpoint.url, protocols: clientProtocols(endpoint.token) };
    this.#transport = deps.open(target, {
      open: () => {
        this.#opened = true;
        this.send({ type: 'hello', payload: { ...hello, ...deps.link.resume() } });
      },
      message: (text) => this.#receive(text),
      close: ({ code, opened }) => this.#end({ code, opened }),
    });
  }

  /**
   * @returns the id of the message
   * @throws WireError `too_large`
   */
  send(draft: Draft<ToBridge>): string {
    const { id, text } = this.deps.link.frame(draft);
    this.#transport.send(text);
    return id;
  }

  /** Pings the bridge; ends the connection if it has been silent for too long. */
  check(): void {
    this.#heartbeat?.check();
  }

  /** Ends the connection at once, without waiting for the socket. May be called twice. */
  close(code: number, reason: string): void {
    if (this.#ended) return;
    this.#transport.close(code, reason);
    this.#end({ code, opened: this.#opened });
  }

  #receive(text: string): void {
    if (this.#ended) return;
    this.#heartbeat?.noteReceived();
    const decoded = decodeFromBridge(text);
    if (!decoded.ok) {
      this.deps.link.counters.refused++;
      const { code, message, place, answers } = decoded.error;
      this.deps.log.note('A frame of the bridge was refused.', {
        at: 'connection.receive',
        severity: 'error',
        code,
        message,
      });
      if (!this.#welcomed && code === 'version') this.#refuse('version');
      if (!this.#welcomed) return;
      if (place !== undefined) this.#checkSequence(this.deps.link.skip(place));
      // A message of an unknown type may precede the answer.
      if (answers !== undefined && code !== 'unknown_type') {
        this.events.unreadable(answers, message);
      }
      return;
    }
    const { message, removed } = decoded;
    if (removed > 0)
      this.deps.log.note('Dangerous keys were removed.', { at: 'connection.receive', removed });
    if (!this.#welcomed && !this.#acceptWelcome(message)) return;
    if (this.#checkSequence(this.deps.link.take(message)) === 'next') this.events.message(message);
  }

  #checkSequence(check: SequenceCheck): SequenceCheck {
    if (check === 'gap') this.close(CLOSE.protocol, 'A message is missing.');
    return check;
  }

  /** @returns whether it is the welcome; any earlier message is dropped */
  #acceptWelcome(message: FromBridge): boolean {
    if (message.type === 'error') this.#refuse(message.payload.code);
    if (message.type !== 'welcome') return false;
    this.#welcomed = true;
    const unacknowledged = this.deps.link.connectionWelcomed(message.payload, (text) =>
      this.#transport.send(text),
    );
    if (unacknowledged !== undefined) this.events.bridgeRestarted(unacknowledged);
    this.#undoHandshake();
    this.#heartbeat = new Heartbeat(
      this.deps.clock,
      () => void this.send({ type: 'ping', payload: {} }),
      () => this.close(CLOSE.dead, 'Nothing was heard for 25 s.'),
    );
    return true;
  }

  #refuse(refusal: ErrorCode): void {
    if (this.#ended) return;
    this.#transport.close(CLOSE.normal);
    this.#end({ code: CLOSE.normal, opened: true, refusal });
  }

  #end(end: ConnectionEnd): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#undoHandshake();
    this.#heartbeat?.stop();
    this.deps.link.connectionEnded();
    this.events.ended(end);
  }
}

/** Why no further try is made until something changes. */
type FailureCode = 'token' | 'version' | 'replaced';

/** Why another try follows. */
export type LossReason = 'unreachable' | 'closed' | 'dead';

/** `off`: not requested, or ended by the person. `no_bridge`: none found; the search continues. */
export type ConnectionState =
  | { readonly kind: 'disconnected'; readonly reason: 'off' | 'no_bridge' }
  | { readonly kind: 'connecting' }
  | ({
      readonly kind: 'connected';
      /** version of the bridge */
      readonly bridge: string;
      readonly directory: string;
    } & SessionHost)
  | {
      readonly kind: 'reconnecting';
      /** number of the next try, from 1 */
      readonly attempt: number;
      /** time of the next try, ms since the epoch */
      readonly at: number;
      readonly reason: LossReason;
      /** engine of the last connection; absent if there was none yet */
      readonly engine?: SessionHost['engine'];
    }
  | { readonly kind: 'failed'; readonly code: FailureCode; readonly message: string };

type Welcome = FromBridgeOf<'welcome'>['payload'];

export function connectedState(
  welcome: Pick<Welcome, 'bridge' | 'directory' | 'engine' | 'features' | 'opencode'>,
): Extract<ConnectionState, { kind: 'connected' }> {
  const { bridge, directory } = welcome;
  return { kind: 'connected', bridge, directory, ...hostOf(welcome) };
}

/** Whether the bridge is connected and supports the feature. */
export function isFeatureAvailable(state: ConnectionState, feature: Feature): boolean {
  return state.kind === 'connected' && state.features.has(feature);
}

export type FailedState = Extract<ConnectionState, { kind: 'failed' }>;

const FAILURES: Readonly<Record<FailureCode, string>> = {
  token: 'The agent’s program did not accept this vault’s key. Restart it here, then connect.',
  version:
    'The bridge and the plugin are of different versions. Update both, then restart OpenCode.',
  replaced: 'Another window of this vault took over the connection.',
};

export function failedState(code: FailureCode): FailedState {
  return { kind: 'failed', code, message: FAILURES[code] };
}

/** Decides whether to try again: some ends are failures that last until something changes. */
export function classifyEnd(end: ConnectionEnd): FailedState | LossReason {
  if (end.code === CLOSE.token || end.refusal === 'unauthorized') return failedState('token');
  if (end.refusal === 'version') return failedState('version');
  if (end.code === CLOSE.replaced) return failedState('replaced');
  if (!end.opened) return 'unreachable';
  return end.code === CLOSE.dead ? 'dead' : 'closed';
}

/** Whether it waits for a retry or for a bridge; false if it is off or has failed. */
export function awaitsRetry(state: ConnectionState): boolean {
  return (
    state.kind === 'reconnecting' || (state.kind === 'disconnected' && state.reason === 'no_bridge')
  );
}

/** Time between two pings, ms. */
const HEARTBEAT_EVERY = 10_000;

/** Silence after which the other end counts as dead, ms; the same on both ends. */
const DEAD_AFTER = 25_000;

/** Sends pings, and detects silence. Browsers can't send WebSocket ping frames. */
class Heartbeat {
  #heardAt: number;
  #undo: Undo;

  constructor(
    private readonly clock: Clock,
    private readonly ping: () => void,
    private readonly onDead: () => void,
  ) {
    this.#heardAt = clock.now();
    this.#undo = clock.after(HEARTBEAT_EVERY, () => this.check());
  }

  /** Call for any frame received. */
  noteReceived(): void {
    this.#heardAt = this.clock.now();
  }

  /**
   * Checks now rather than at the next beat: after the machine slept, or when the window gets the
   * focus.
   */
  check(): void {
    this.#undo();
    const left = DEAD_AFTER - (this.clock.now() - this.#heardAt);
    if (left <= 0) return this.onDead();
    this.#undo = this.clock.after(Math.min(HEARTBEAT_EVERY, left), () => this.check());
    this.ping();
  }

  stop(): void {
    this.#undo();
  }
}
