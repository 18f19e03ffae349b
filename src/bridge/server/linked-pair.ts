import type { OpenTransport, TransportHandlers } from '../../core/ports';
import type { InProcessBridge } from '../../core/session/in-process-bridge';
import { PROTOCOL_VERSION } from '../../protocol/handshake';
import { acceptClients, type EngineServices } from './client-session';
import type { PeerSocket } from './peer';

/**
 * Connects clients in this process to an engine, without sockets, run file or Node. Also used on
 * phones.
 */
export function openLinkedBridge(services: EngineServices): InProcessBridge {
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
      send: (text) => socket.receive(text),
      close: (code = 1000, reason = '') => socket.closeFromClient(code, reason),
    };
  };
}

type SocketListener = (...told: never[]) => void;

/** The server's end. The client's end is the returned transport. */
class MemorySocket implements PeerSocket {
  #state: 'opening' | 'open' | 'closing' | 'closed' = 'opening';
  readonly #listeners: { readonly event: string; readonly listener: SocketListener }[] = [];

  constructor(private readonly client: TransportHandlers) {}

  on(event: string, listener: SocketListener): void {
    this.#listeners.push({ event, listener });
  }

  /** Opens the connection, once both ends exist. */
  connect(accept: (socket: MemorySocket) => void): void {
    if (this.#state !== 'opening') return;
    this.#state = 'open';
    accept(this);
    this.client.open();
  }

  /** Receives a frame of the client. */
  receive(text: string): void {
    this.#enqueue(() => this.#emit('message', text, false));
  }

  send(text: string): void {
    this.#enqueue(() => this.client.message(text));
  }

  /** Answers with a pong, since the client receives everything immediately. */
  ping(mark: string): void {
    this.#enqueue(() => this.#emit('pong', mark));
  }

  close(code: number, reason: string): void {
    this.#end(code, reason, this.#state === 'open');
  }

  terminate(): void {
    this.close(ABNORMAL, '');
  }

  /** Closes the connection on behalf of the client. */
  closeFromClient(code: number, reason: string): void {
    const opened = this.#state === 'open';
    this.#end(opened ? code : ABNORMAL, reason, opened);
  }

  #enqueue(task: () => void): void {
    if (this.#state !== 'open') return;
    queueMicrotask(() => this.#state !== 'closed' && task());
  }

  /** Closes both ends, after everything sent before has arrived. */
  #end(code: number, reason: string, opened: boolean): void {
    if (this.#state === 'closing' || this.#state === 'closed') return;
    this.#state = 'closing';
    queueMicrotask(() => {
      this.#state = 'closed';
      this.client.close({ code, reason, opened });
      this.#emit('close', code);
    });
  }

  #emit(event: string, ...args: readonly unknown[]): void {
    for (const one of this.#listeners) if (one.event === event) one.listener(...(args as never[]));
  }
}

/** Close code of a connection that never opened or was cut. */
const ABNORMAL = 1006;
