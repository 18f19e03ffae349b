import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { faultPipe } from './fault-pipe';
import type { LinkFaults } from './link-faults';

/**
 * A TCP proxy on loopback between a client and a bridge that applies the given faults to each
 * connection. It rewrites only the handshake's `Host` line, since the bridge must see its own port
 * there.
 */
export class FaultProxy {
  readonly counts: Record<string, number> = {};
  readonly #links = new Set<() => void>();

  private constructor(
    private readonly server: Server,
    private readonly bridgePort: number,
    private readonly next: () => LinkFaults,
  ) {
    server.on('connection', (client) => this.#connect(client));
  }

  /** @param next returns the faults of the next connection */
  static async start(bridgePort: number, next: () => LinkFaults): Promise<FaultProxy> {
    const server = createServer({ noDelay: true });
    const proxy = new FaultProxy(server, bridgePort, next);
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(0, '127.0.0.1', resolve);
    });
    return proxy;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  /** Number of open connections. */
  get links(): number {
    return this.#links.size;
  }

  /** Resets all connections now. */
  cutAll(): void {
    for (const cut of [...this.#links]) cut();
  }

  async close(): Promise<void> {
    this.cutAll();
    await new Promise((resolve) => this.server.close(resolve));
  }

  #connect(client: Socket): void {
    const faults = this.next();
    const bridge = connect({ port: this.bridgePort, host: '127.0.0.1', noDelay: true });
    const count = (what: string): void => void (this.counts[what] = (this.counts[what] ?? 0) + 1);
    count('connections');
    const end = (reset: boolean): void => {
      this.#links.delete(cutNow);
      for (const socket of [client, bridge]) {
        if (reset) socket.resetAndDestroy();
        else socket.destroy();
      }
    };
    const cutNow = (): void => end(true);
    const cut = (): void => {
      if (!this.#links.has(cutNow)) return;
      count(faults.reset ? 'cuts by reset' : 'cuts by end');
      end(faults.reset);
    };
    this.#links.add(cutNow);
    for (const socket of [client, bridge]) {
      // Either side's end closes both, whatever the reason.
      socket.on('error', () => undefined);
      socket.on('close', () => end(false));
    }
    const head = (text: string): string =>
      text.replace(/^host: 127\.0\.0\.1:\d+/im, `Host: 127.0.0.1:${this.bridgePort}`);
    const up = { from: client, to: bridge, head, cut, count };
    const down = { from: bridge, to: client, head: (text: string) => text, cut, count };
    for (const pipe of [faultPipe(up, faults.up), faultPipe(down, faults.down)]) {
      pipe.catch(() => end(false)); // the iterator rejects if its socket was reset
    }
  }
}
