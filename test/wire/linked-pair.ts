import type { OpenTransport, TransportHandlers, TransportTarget } from '../../src/core/ports';

/** The server's end of a pipe. */
export interface Peer {
  readonly url: string;
  readonly protocols: readonly string[];
  send(frame: string | Uint8Array): void;
  close(code: number, reason?: string): void;
  onMessage: (text: string) => void;
  onClose: (code: number) => void;
}

/** The listener at the other end: accepts a connection (true) or refuses it. */
export type Accept = (peer: Peer) => boolean;

/** Two ends joined in memory: ordered, with each delivery in its own turn, like a socket. */
export function linkedPair(accept: Accept): OpenTransport {
  return (target, handlers) => new LinkedPair(target, handlers, accept);
}

type PairState = 'opening' | 'open' | 'closing' | 'closed';

class LinkedPair {
  #state: PairState = 'opening';
  readonly #peer: Peer;

  constructor(
    target: TransportTarget,
    private readonly handlers: TransportHandlers,
    accept: Accept,
  ) {
    this.#peer = {
      url: target.url,
      protocols: target.protocols,
      send: (frame) => queueMicrotask(() => this.#arrive(frame)),
      close: (code, reason = '') => queueMicrotask(() => this.#end(code, reason)),
      onMessage: () => undefined,
      onClose: () => undefined,
    };
    queueMicrotask(() => this.#open(accept));
  }

  send(text: string): void {
    if (this.#state !== 'open') return;
    queueMicrotask(() => {
      if (this.#state === 'open') this.#peer.onMessage(text);
    });
  }

  close(code = 1000, reason = ''): void {
    if (this.#state !== 'opening' && this.#state !== 'open') return;
    const early = this.#state === 'opening';
    this.#state = 'closing';
    queueMicrotask(() => this.#end(early ? 1006 : code, reason, early));
  }

  #open(accept: Accept): void {
    if (this.#state !== 'opening') return;
    this.#state = 'open';
    // What the server sends while it accepts is queued after the client's `open`.
    if (accept(this.#peer)) this.handlers.open();
    else this.#end(1006, 'refused', true);
  }

  #arrive(frame: string | Uint8Array): void {
    if (this.#state !== 'open') return;
    if (typeof frame === 'string') this.handlers.message(frame);
    else this.close(4400, 'Text frames only.');
  }

  #end(code: number, reason: string, refused = false): void {
    if (this.#state === 'closed') return;
    this.#state = 'closed';
    this.handlers.close({ code, reason, opened: !refused });
    this.#peer.onClose(code);
  }
}
