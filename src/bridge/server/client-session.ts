import type { Clock, Ids, Log } from '../../core/ports';
import { decodeToBridge, encode } from '../../protocol/codec';
import { stamp } from '../../protocol/envelope';
import { CLOSE } from '../../protocol/handshake';
import type { HelloPayload, ToBridge, ToBridgeOf } from '../../protocol/to-bridge';
import { WireError } from '../../protocol/wire-error';
import { LinkedClient, type LinkedClientDeps } from './linked-client';
import { Peer, type PeerSocket } from './peer';
import { handleClientRequest, readWelcome, type FaultLog } from './serve';
import type { Clients } from './clients';
import type { RemoteCalls } from './remote-calls';
import type { Engine, FromDraft } from '../../core/engine/engine';

interface ClientSessionServices extends LinkedClientDeps {
  readonly calls: RemoteCalls;
  readonly clients: Clients;
  readonly engine: Pick<Engine, 'self' | 'sessions' | 'snapshot'>;
  /** Handles a client's message. @throws WireError with the answer */
  readonly serve: (client: LinkedClient, message: ToBridge) => Promise<void>;
  readonly log: Log;
  /** random value in the run file; a client that repeats it can read this vault */
  readonly folder: string;
  /** creates the epoch of a new client, which no other bridge ever uses */
  readonly newEpoch: () => string;
  /** returns increasing numbers */
  readonly nextNumber: () => number;
}

/**
 * One socket of a client, from its first frame to its last: a hello first, then requests to the
 * engine.
 */
export class ClientSession {
  private readonly peer: Peer;
  private client: LinkedClient | undefined;

  constructor(
    private readonly services: ClientSessionServices,
    socket: PeerSocket,
    since: number,
  ) {
    const handlers = {
      frame: (text: string) => this.frame(text),
      received: () => this.client?.flushIfRead(this.peer),
      held: () => this.client?.heldBytes ?? 0,
      closed: () => this.handleClosed(),
    };
    this.peer = new Peer(socket, services.clock, handlers, since);
  }

  private frame(text: string): void {
    const decoded = decodeToBridge(text);
    if (!decoded.ok) {
      const { code, message, replyTo, place } = decoded.error;
      const sequence = place === undefined ? 'next' : this.client?.skip(place);
      if (sequence !== 'duplicate') this.refuse(new WireError(code, message), replyTo);
      if (!this.client) this.peer.close(CLOSE.protocol, 'The first frame must be a hello.');
      else if (sequence === 'gap') this.closeForGap();
      return;
    }
    const { message, removed } = decoded;
    if (removed > 0)
      this.services.log.note('Dangerous keys were removed.', { at: 'bridge.receive', removed });
    if (this.client) this.handleMessage(this.client, message);
    else if (message.type === 'hello') void this.greet(message);
    else this.peer.close(CLOSE.protocol, 'The first frame must be a hello.');
  }

  /** Handles each message once, in the order of their numbers. */
  private handleMessage(client: LinkedClient, message: ToBridge): void {
    const sequence = client.checkSequence(message);
    if (sequence === 'gap') this.closeForGap();
    else if (sequence === 'next') {
      void this.runRequest(message, () => this.services.serve(client, message));
    }
  }

  private closeForGap(): void {
    this.peer.close(CLOSE.protocol, 'A message is missing. Connect again and resume.');
  }

  private greet(hello: ToBridgeOf<'hello'>): Promise<void> {
    const { calls, clients, engine } = this.services;
    const { resume = [] } = hello.payload;
    const known = clients.find(resume[0]?.epoch ?? '');
    const client = known ?? this.newClient(hello.payload);
    if (!this.attach(client, hello.payload)) {
      this.peer.close(CLOSE.replaced, 'A later connection of this client was here already.');
      return Promise.resolve();
    }
    this.peer.startPings();
    return this.runRequest(hello, async () => {
      const { epoch } = client;
      const payload = { ...(await readWelcome(engine)), epoch, resumed: known !== undefined };
      const ownPositions = resume.filter((one) => one.epoch === epoch);
      const from = ownPositions.map(({ sessionId, lastSeq: seq }) => ({ sessionId, seq }));
      const welcome: FromDraft = { type: 'welcome', replyTo: hello.id, payload };
      if (!client.welcome(this.peer, welcome, from)) return;
      calls.handleReconnect(client);
      if (known !== undefined) return;
      // What it had received before is unknown here, so it gets the current state of its sessions.
      const there = new Set(payload.sessions.map(({ id }) => id));
      for (const { sessionId } of resume) {
        if (!there.has(sessionId)) continue;
        client.sessions.add(sessionId);
        void client.resync(sessionId);
      }
    });
  }

  private newClient(hello: HelloPayload): LinkedClient {
    const client = new LinkedClient(
      this.services,
      this.services.newEpoch(),
      this.services.nextNumber(),
      hello,
    );
    this.services.clients.add(client);
    return client;
  }

  /**
   * Attaches this socket to the client, replacing an older one.
   * @returns false if the client has a newer socket
   */
  private attach(client: LinkedClient, hello: HelloPayload): boolean {
    if (!client.attach(this.peer, hello, hello.folder === this.services.folder)) return false;
    this.client = client;
    this.services.clients.handleReconnect(client);
    return true;
  }

  /**
   * Runs a request and reports its failure. Whatever a client sends, the result is at most an
   * error.
   */
  private async runRequest(message: ToBridge, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (!(error instanceof WireError)) {
        this.services.log.note('A request failed.', {
          at: 'bridge.request',
          severity: 'error',
          type: message.type,
          error: String(error),
        });
      }
      const wireError =
        error instanceof WireError ? error : new WireError('internal', 'It failed.', true);
      this.refuse(wireError, message.id, message.sessionId);
    }
  }

  private refuse(error: WireError, replyTo?: string, sessionId?: string): void {
    const { code, message, retryable } = error;
    const draft: FromDraft = {
      type: 'error',
      payload: { code, message, retryable },
      ...(replyTo !== undefined && { replyTo }),
      ...(sessionId !== undefined && { sessionId }),
    };
    if (this.client?.isConnected === true) this.client.send(draft);
    else this.peer.send(encode(stamp(draft, this.services.nextId(), this.services.clock.now())));
  }

  private handleClosed(): void {
    if (this.client?.detach(this.peer) !== true) return;
    this.services.clients.handleDisconnect(this.client);
    this.services.calls.handleDisconnect(this.client);
  }
}

/** An engine and what its clients need. */
export interface EngineServices {
  readonly engine: Engine;
  readonly calls: RemoteCalls;
  readonly clients: Clients;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: FaultLog;
}

/** Returns a function that accepts the sockets of clients of an engine. */
export function acceptClients({ engine, calls, clients, clock, ids, log }: EngineServices) {
  const sessionServices = {
    ...{ calls, clients, clock, engine, log, nextId: counter('b'), nextNumber: counter() },
    serve: (client: LinkedClient, message: ToBridge) =>
      handleClientRequest({ calls, clients, engine, log }, client, message),
    newEpoch: () => ids.unique(),
  };
  return (socket: PeerSocket, since: number, folder: string): void =>
    void new ClientSession({ ...sessionServices, folder }, socket, since);
}

/**
 * Returns a function that gives a new number (1, 2, 3…) with each call, or with a prefix, `b1`,
 * `b2`…
 */
export function counter(): () => number;

export function counter(prefix: string): () => string;

export function counter(prefix?: string): () => string | number {
  let last = 0;
  return () => (prefix === undefined ? ++last : `${prefix}${++last}`);
}
