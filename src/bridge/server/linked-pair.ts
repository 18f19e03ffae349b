import type { OpenTransport, TransportHandlers } from '../../core/ports';
import type { LinkedBridge } from '../../core/session/linked-bridge';
import { PROTOCOL_VERSION } from '../../protocol/handshake';
import { acceptClients, type EngineServices } from './client-session';
import type { PeerSocket } from './peer';

/**
 * Connects clients in this process to an engine, without sockets, run file or Node. Also used on
 * phones.
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
    // Has no start time: unless the person chooses, other programs are preferred for new sessions.
    endpoint: { url, token, folder, protocol: PROTOCOL_VERSION },
    open,
    close: () => {
      for (const socket of ends) socket.terminate();
      clients.close();
      return Promise.resolve();
    },
  };
}

/** Creates a transport in memory. Frames arrive whole and in order, each in its own microtask. */
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

/** The server's end. The client's end is the returned transport. */
class MemorySocket implements PeerSocket {
  #life: 'opening' | 'open' | 'closing' | 'closed' = 'opening';
  readonly #hears: { readonly event: string; readonly hear: Hear }[] = [];

  constructor(private readonly client: TransportHandlers) {}

  on(event: string, hear: Hear): void {
    this.#hears.push({ event, hear });
  }

  /** Opens the connection, once both ends exist. */
  connect(accept: (socket: MemorySocket) => void): void {
    if (this.#life !== 'opening') return;
    this.#life = 'open';
    accept(this);
    this.client.open();
  }

  /** Receives a frame of the client. */
  take(text: string): void {
    this.#later(() => this.#tell('message', text, false));
  }

  send(text: string): void {
    this.#later(() => this.client.message(text));
  }

  /** Answers with a pong, since the client receives everything immediately. */
  ping(mark: string): void {
    this.#later(() => this.#tell('pong', mark));
  }

  close(code: number, reason: string): void {
    this.#end(code, reason, this.#life === 'open');
  }

  terminate(): void {
    this.close(ABNORMAL, '');
  }

  /** Closes the connection on behalf of the client. */
  leave(code: number, reason: string): void {
    const opened = this.#life === 'open';
    this.#end(opened ? code : ABNORMAL, reason, opened);
  }

  #later(task: () => void): void {
    if (this.#life !== 'open') return;
    queueMicrotask(() => this.#life !== 'closed' && task());
  }

  /** Closes both ends, after everything sent before has arrived. */
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

/** Close code of a connection that never opened or was cut. */
const ABNORMAL = 1006;
