import type {
  OpenTransport,
  Transport,
  TransportHandlers,
  TransportTarget,
} from '../../core/ports';

/**
 * Connects the first way, and where that fails before it opens, the second; once the second got
 * through where the first did not, it is the only one while the app runs. Its code is loaded when
 * it is first needed.
 */
export function withSecondTransport(
  first: OpenTransport,
  load: () => Promise<OpenTransport>,
): OpenTransport {
  let proved: OpenTransport | undefined;
  const loadAgain = async (): Promise<OpenTransport> => {
    const second = await load();
    return (target, handlers) =>
      second(target, {
        ...delegate(handlers),
        open: () => {
          proved = second;
          handlers.open();
        },
      });
  };
  return (target, handlers) =>
    proved?.(target, handlers) ?? new EitherTransport(first, loadAgain, target, handlers);
}

type CloseEvent = Parameters<TransportHandlers['close']>[0];

class EitherTransport implements Transport {
  private now: Transport | undefined;
  private closing = false;

  constructor(
    first: OpenTransport,
    private readonly load: () => Promise<OpenTransport>,
    private readonly target: TransportTarget,
    private readonly handlers: TransportHandlers,
  ) {
    this.now = first(target, {
      ...delegate(handlers),
      close: (event) => {
        if (event.opened || this.closing) handlers.close(event);
        else void this.trySecond(event);
      },
    });
  }

  send(text: string): void {
    this.now?.send(text);
  }

  close(code?: number, reason?: string): void {
    this.closing = true;
    this.now?.close(code, reason);
  }

  private async trySecond(event: CloseEvent): Promise<void> {
    this.now = undefined;
    const second = await this.load().catch((error: unknown) => String(error));
    if (typeof second !== 'string' && !this.closing) {
      this.now = second(this.target, delegate(this.handlers));
      return;
    }
    const reason = typeof second === 'string' ? `${event.reason} ${second}`.trim() : event.reason;
    this.handlers.close({ ...event, reason });
  }
}

function delegate(handlers: TransportHandlers): TransportHandlers {
  return {
    open: () => handlers.open(),
    message: (text) => handlers.message(text),
    close: (event) => handlers.close(event),
  };
}
