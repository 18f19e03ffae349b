import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { faultPipe } from './fault-pipe';
import type { LinkFaults } from './link-faults';

/**
 * A line between a client and a bridge, on loopback, that does to each connection what it is told.
 * The bridge must see its own port in `Host`: that line of the handshake is changed, and no other.
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

  /** @param next the faults of the next connection */
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

  /** Connections that are open. */
  get links(): number {
    return this.#links.size;
  }

  /** Cuts all connections now, with a reset. */
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
      // One side that is gone is the end of both; why is not asked.
      socket.on('error', () => undefined);
      socket.on('close', () => end(false));
    }
    const head = (text: string): string =>
      text.replace(/^host: 127\.0\.0\.1:\d+/im, `Host: 127.0.0.1:${this.bridgePort}`);
    const up = { from: client, to: bridge, head, cut, count };
    const down = { from: bridge, to: client, head: (text: string) => text, cut, count };
    for (const pipe of [faultPipe(up, faults.up), faultPipe(down, faults.down)]) {
      pipe.catch(() => end(false)); // the iterator rejects where its socket was cut
    }
  }
}
