import { decodeFromBridge } from '../../protocol/codec';
import type { Draft } from '../../protocol/draft';
import type { ErrorCode } from '../../protocol/error-code';
import type { FromBridge } from '../../protocol/from-bridge';
import { CLOSE, clientProtocols } from '../../protocol/handshake';
import type { HelloPayload, ToBridge } from '../../protocol/to-bridge';
import type { Fate } from '../link/inbox';
import type { Clock, Ids, Log, OpenTransport, Transport, Undo } from '../ports';
import type { ClientLink } from './client-link';
import { Heartbeat } from './heartbeat';

/** Where a bridge listens. */
export interface Endpoint {
  /** `ws://127.0.0.1:<port>/` */
  readonly url: string;
  readonly token: string;
  /** The run file's `folder`, if it was read from this vault; without it no tool is offered. */
  readonly folder?: string;
  /** The run file's protocol version; unknown where the address was given by hand. */
  readonly protocol?: number;
  /** When it started, ms since the epoch; unknown where the address was given by hand. */
  readonly startedAt?: number;
}

export interface ConnectionDeps {
  readonly open: OpenTransport;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
  /** outlives the connection: what was missed on one comes on the next */
  readonly link: ClientLink;
}

/** How a connection ended. */
export interface ConnectionEnd {
  readonly code: number;
  readonly reason: string;
  /** the socket was open */
  readonly opened: boolean;
  /** the bridge said welcome */
  readonly welcomed: boolean;
  /** the code of the `error` that the bridge said instead of welcome, if it did */
  readonly refusal?: ErrorCode;
}

export interface ConnectionEvents {
  /**
   * Before the welcome, where the bridge began anew or forgot this client: messages of before that
   * it may not have heard, and that are not sent again by themselves.
   */
  anew(unheard: readonly ToBridge[]): void;
  /** Every message once, each session's in order, the first of them a `welcome`. */
  message(message: FromBridge): void;
  /** Exactly once. */
  ended(end: ConnectionEnd): void;
}

/** From opening the socket to the welcome, ms. */
const HANDSHAKE = 10_000;

/** One connection from its first byte to its end: hello, welcome, heartbeat. Never reopened. */
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
    this.#undoHandshake = deps.clock.after(HANDSHAKE, () => this.close(CLOSE.dead, 'No welcome.'));
    const target = { url: endpoint.url, protocols: clientProtocols(endpoint.token) };
    this.#transport = deps.open(target, {
      open: () => {
        this.#opened = true;
        this.send({ type: 'hello', payload: { ...hello, ...deps.link.resume() } });
      },
      message: (text) => this.#receive(text),
      close: ({ code, reason, opened }) => this.#end({ code, reason, opened }),
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

  /** Whether the other end still lives; ends the connection if it has been silent too long. */
  check(): void {
    this.#heartbeat?.check();
  }

  /** Ends at once, whatever the socket still does. May be called twice. */
  close(code: number, reason: string): void {
    if (this.#ended) return;
    this.#transport.close(code, reason);
    this.#end({ code, reason, opened: this.#opened });
  }

  #receive(text: string): void {
    if (this.#ended) return;
    this.#heartbeat?.heard();
    const decoded = decodeFromBridge(text);
    if (!decoded.ok) {
      this.deps.link.counters.refused++;
      const { code, message, place } = decoded.error;
      this.deps.log.note('A frame of the bridge was refused.', { code, message });
      if (!this.#welcomed && code === 'version') this.#refuse('version');
      if (this.#welcomed && place !== undefined) this.#judge(this.deps.link.skip(place));
      return;
    }
    const { message, removed } = decoded;
    if (removed > 0) this.deps.log.note('Dangerous keys were removed.', { removed });
    if (!this.#welcomed && !this.#greet(message)) return;
    if (this.#judge(this.deps.link.take(message)) === 'next') this.events.message(message);
  }

  #judge(fate: Fate): Fate {
    if (fate === 'gap') this.close(CLOSE.protocol, 'A message is missing.');
    return fate;
  }

  /** @returns whether it is the welcome; before that, nothing else is listened to */
  #greet(message: FromBridge): boolean {
    if (message.type === 'error') this.#refuse(message.payload.code);
    if (message.type !== 'welcome') return false;
    this.#welcomed = true;
    const unheard = this.deps.link.welcomed(message.payload, (text) => this.#transport.send(text));
    if (unheard !== undefined) this.events.anew(unheard);
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
    this.#end({ code: CLOSE.normal, reason: refusal, opened: true, refusal });
  }

  #end(end: Omit<ConnectionEnd, 'welcomed'>): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#undoHandshake();
    this.#heartbeat?.stop();
    this.deps.link.left();
    this.events.ended({ ...end, welcomed: this.#welcomed });
  }
}
