import type {
  OpenTransport,
  Transport,
  TransportHandlers,
  TransportTarget,
} from '../../core/ports';

/** The close code that browsers report for a connection that never opened. */
const ABNORMAL = 1006;

/** OpenTransport over the window's WebSocket. */
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
    // Browsers let a page close only with 1000 or 3000 to 4999.
    const allowed = code === 1000 || code >= 3000;
    this.socket.close(allowed ? code : 1000, reason);
  }

  private end(code: number, reason: string): void {
    if (this.ended) return;
    this.ended = true;
    this.handlers.close({ code, reason, opened: this.opened });
  }
}

/**
 * Tries the first transport; if it fails before it opens, loads and tries the second. Once the
 * second has opened where the first failed, only the second is used while the app runs.
 */
export function withFallbackTransport(
  first: OpenTransport,
  load: () => Promise<OpenTransport>,
): OpenTransport {
  let proved: OpenTransport | undefined;
  const loadFallback = async (): Promise<OpenTransport> => {
    const second = await load();
    return (target, handlers) =>
      second(target, {
        ...handlers,
        open: () => {
          proved = second;
          handlers.open();
        },
      });
  };
  return (target, handlers) =>
    proved?.(target, handlers) ?? new FallbackTransport(first, loadFallback, target, handlers);
}

type CloseEvent = Parameters<TransportHandlers['close']>[0];

class FallbackTransport implements Transport {
  private active: Transport | undefined;
  private closing = false;

  constructor(
    first: OpenTransport,
    private readonly load: () => Promise<OpenTransport>,
    private readonly target: TransportTarget,
    private readonly handlers: TransportHandlers,
  ) {
    this.active = first(target, {
      ...handlers,
      close: (event) => {
        if (event.opened || this.closing) handlers.close(event);
        else void this.tryFallback(event);
      },
    });
  }

  send(text: string): void {
    this.active?.send(text);
  }

  close(code?: number, reason?: string): void {
    this.closing = true;
    this.active?.close(code, reason);
  }

  private async tryFallback(event: CloseEvent): Promise<void> {
    this.active = undefined;
    const second = await this.load().catch((error: unknown) => String(error));
    if (typeof second !== 'string' && !this.closing) {
      this.active = second(this.target, this.handlers);
      return;
    }
    const reason = typeof second === 'string' ? `${event.reason} ${second}`.trim() : event.reason;
    this.handlers.close({ ...event, reason });
  }
}
