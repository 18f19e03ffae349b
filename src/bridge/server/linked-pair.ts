import type { OpenTransport, TransportHandlers } from '../../core/ports';
import type { LinkedBridge } from '../../core/session/linked-bridge';
import { PROTOCOL_VERSION } from '../../protocol/handshake';
import { acceptClients, type EngineServices } from './client-session';
import type { PeerSocket } from './peer';

/**
 * Lets clients in this process use an engine: without a socket, a run file and Node. It is the bridge of
 * a phone, too.
 */
export function openLinkedBridge(services: EngineServices): LinkedBridge {
  const { clients, clock, ids } = services;
  const [token, folder] = [ids.unique(), ids.unique()];
  const url = `memory:${token}`;
  const accept = acceptClients(services);
  const ends = new Set<MemorySocket>();
  const open = linkedPair((socket) => {
    ends.add(socket);
    socket.on('close', () => ends.delete(socket));
    accept(socket, clock.now(), folder);
  });
  return {
    // Without a time of start: where nobody chooses, sessions start in another program, if there is one.
    endpoint: { url, token, folder, protocol: PROTOCOL_VERSION },
    open,
    close: () => {
      for (const socket of ends) socket.terminate();
      clients.close();
      return Promise.resolve();
    },
  };
}

/** Two ends of a pipe in memory: frames arrive whole and in order, each in a turn of its own. */
export function linkedPair(accept: (socket: MemorySocket) => void): OpenTransport {
  return (_, handlers) => {
    const socket = new MemorySocket(handlers);
    queueMicrotask(() => socket.connect(accept));
    return {
      send: (text) => socket.take(text),
      close: (code = 1000, reason = '') => socket.leave(code, reason),
    };
  };
}

type Hear = (...told: never[]) => void;

/** The end of the server; the other one is the transport that was opened. */
class MemorySocket implements PeerSocket {
  #life: 'opening' | 'open' | 'closing' | 'closed' = 'opening';
  readonly #hears: { readonly event: string; readonly hear: Hear }[] = [];

  constructor(private readonly client: TransportHandlers) {}

  on(event: string, hear: Hear): void {
    this.#hears.push({ event, hear });
  }

  /** Both ends are there. */
  connect(accept: (socket: MemorySocket) => void): void {
    if (this.#life !== 'opening') return;
    this.#life = 'open';
    accept(this);
    this.client.open();
  }

  /** What the client sends. */
  take(text: string): void {
    this.#later(() => this.#tell('message', text, false));
  }

  send(text: string): void {
    this.#later(() => this.client.message(text));
  }

  /** The client takes what comes at once, so its echo is due. */
  ping(mark: string): void {
    this.#later(() => this.#tell('pong', mark));
  }

  close(code: number, reason: string): void {
    this.#end(code, reason, this.#life === 'open');
  }

  terminate(): void {
    this.close(ABNORMAL, '');
  }

  /** The client closes. */
  leave(code: number, reason: string): void {
    const opened = this.#life === 'open';
    this.#end(opened ? code : ABNORMAL, reason, opened);
  }

  #later(task: () => void): void {
    if (this.#life !== 'open') return;
    queueMicrotask(() => this.#life !== 'closed' && task());
  }

  /** What was sent before arrives before. */
  #end(code: number, reason: string, opened: boolean): void {
    if (this.#life === 'closing' || this.#life === 'closed') return;
    this.#life = 'closing';
    queueMicrotask(() => {
      this.#life = 'closed';
      this.client.close({ code, reason, opened });
      this.#tell('close', code);
    });
  }

  #tell(event: string, ...told: readonly unknown[]): void {
    for (const one of this.#hears) if (one.event === event) one.hear(...(told as never[]));
  }
}

/** The code of a connection that never opened, or was cut. */
const ABNORMAL = 1006;
