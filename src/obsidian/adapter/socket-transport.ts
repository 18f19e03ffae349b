import type {
  OpenTransport,
  Transport,
  TransportHandlers,
  TransportTarget,
} from '../../core/ports';

/** The close code of a connection that never opened, as browsers report it. */
const ABNORMAL = 1006;

/** OpenTransport over the window's own WebSocket. */
export const openSocket: OpenTransport = (target, handlers) => {
  try {
    return new SocketTransport(target, handlers);
  } catch (error) {
    const reason = error instanceof Error ? error.message : 'The socket could not be made.';
    window.setTimeout(() => handlers.close({ code: ABNORMAL, reason, opened: false }), 0);
    return { send: () => undefined, close: () => undefined };
  }
};

class SocketTransport implements Transport {
  private readonly socket: WebSocket;
  private opened = false;
  private ended = false;

  constructor(
    target: TransportTarget,
    private readonly handlers: TransportHandlers,
  ) {
    this.socket = new WebSocket(target.url, [...target.protocols]);
    this.socket.onopen = () => {
      this.opened = true;
      handlers.open();
    };
    this.socket.onmessage = (event: MessageEvent<unknown>) => {
      if (typeof event.data === 'string') handlers.message(event.data);
      else this.close(4400, 'Text frames only.');
    };
    this.socket.onclose = (event) => this.end(event.code, event.reason);
  }

  send(text: string): void {
    if (this.socket.readyState === WebSocket.OPEN) this.socket.send(text);
  }

  close(code = 1000, reason = ''): void {
    if (this.socket.readyState >= WebSocket.CLOSING) return;
    // Browsers let a page close with 1000 and 3000 to 4999 only.
    const allowed = code === 1000 || code >= 3000;
    this.socket.close(allowed ? code : 1000, reason);
  }

  private end(code: number, reason: string): void {
    if (this.ended) return;
    this.ended = true;
    this.handlers.close({ code, reason, opened: this.opened });
  }
}
