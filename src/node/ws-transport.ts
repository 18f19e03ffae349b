import WebSocket from 'ws';
import { MAX_FRAME_BYTES } from '../protocol/frame-limits';
import { CLOSE } from '../protocol/handshake';
import type { OpenTransport, Transport, TransportHandlers, TransportTarget } from '../core/ports';

/**
 * OpenTransport with the package `ws`: for Node, and for desktops where the native socket fails.
 */
export const openWebSocket: OpenTransport = (target, handlers) => {
  try {
    return new WsTransport(target, handlers);
  } catch (error) {
    // invalid address; handlers must not be called before the caller has the transport
    const reason = error instanceof Error ? error.message : String(error);
    setImmediate(() => handlers.close({ code: ABNORMAL, reason, opened: false }));
    return { send: () => undefined, close: () => undefined };
  }
};

/** Close code of a connection that never opened. */
const ABNORMAL = 1006;

/** ms for the other end to answer a close; then the socket is cut. */
const CLOSE_GRACE = 2_000;

class WsTransport implements Transport {
  readonly #socket: WebSocket;
  #opened = false;
  #reason = '';

  constructor({ url, protocols }: TransportTarget, handlers: TransportHandlers) {
    this.#socket = new WebSocket(url, [...protocols], {
      maxPayload: MAX_FRAME_BYTES,
      perMessageDeflate: false,
      handshakeTimeout: 5_000,
    });
    this.#socket.on('open', () => {
      this.#opened = true;
      handlers.open();
    });
    this.#socket.on('message', (data: Buffer, isBinary) => {
      if (isBinary) this.close(CLOSE.protocol, 'Text frames only.');
      else handlers.message(data.toString('utf8'));
    });
    // A close event always follows; the error only gives the reason.
    this.#socket.on('error', (error) => (this.#reason = error.message));
    this.#socket.on('close', (code, reason) => {
      handlers.close({ code, reason: reason.toString() || this.#reason, opened: this.#opened });
    });
  }

  send(text: string): void {
    if (this.#socket.readyState === WebSocket.OPEN) this.#socket.send(text, () => undefined);
  }

  close(code: number = CLOSE.normal, reason = ''): void {
    if (this.#socket.readyState >= WebSocket.CLOSING) return;
    this.#socket.close(code, reason);
    setTimeout(() => this.#socket.terminate(), CLOSE_GRACE).unref();
  }
}
