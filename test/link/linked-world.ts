import { expect } from 'vitest';
import { Clients } from '../../src/bridge/server/clients';
import { ClientSession, counter } from '../../src/bridge/server/client-session';
import type { FromDraft, SnapshotState } from '../../src/core/engine/engine';
import { LiveParts } from '../../src/bridge/server/token-buffer';
import { RemoteCalls } from '../../src/bridge/server/remote-calls';
import type { OpenTransport } from '../../src/core/ports';
import { ConnectionManager } from '../../src/core/session/connection-manager';
import { SessionEventBus, type SessionEvent } from '../../src/core/session/session-event-bus';
import type { ToBridge } from '../../src/protocol/to-bridge';
import type { WireError } from '../../src/protocol/wire-error';
import { ManualClock, flushPromises } from '../wire/manual-clock';
import { SocketPair } from './socket-pair';

/** A session's state as the bridge reads it from the engine. */
export const STATE = {
  ...{ title: 'One', status: 'busy' as const },
  ...{ permissions: [], questions: [], todos: [], messages: [] },
};

/** The bridge's end and the client's, joined by sockets in memory that a test cuts. */
export class LinkedWorld {
  readonly clock = new ManualClock();
  readonly bus = new SessionEventBus();
  /** what the client's listeners received */
  readonly events: SessionEvent[] = [];
  /** what reached the bridge's engine, in order */
  readonly served: ToBridge[] = [];
  readonly notes: string[] = [];
  sessions = ['ses_1'];
  pages: readonly SnapshotState[] = [];
  /** runs while a session's state is read again */
  reading: () => Promise<void> = () => Promise.resolve();
  /** how often a session's state was read again */
  reads = 0;
  /** The current socket; the next may behave differently. */
  pair = new SocketPair();
  refuse: WireError | undefined;
  readonly calls: RemoteCalls;
  readonly connection: ConnectionManager;
  clients: Clients;
  #epoch = 0;

  constructor() {
    const log = { note: (message: string): void => void this.notes.push(message) };
    this.calls = new RemoteCalls(this.clock);
    this.clients = new Clients(log, this.clock, new LiveParts());
    const unique = counter('c');
    this.connection = new ConnectionManager({
      open: (target, handlers) => this.#open(target, handlers),
      clock: this.clock,
      ids: { unique, random: () => 0 },
      bus: this.bus,
      log,
      discover: async () => ({ url: 'ws://x/', token: 't', folder: 'folder' }),
      hello: () => ({ client: 'test', version: '1', vault: 'v', capabilities: ['tools'] }),
    });
    this.bus.onAll((event) => this.events.push(event));
  }

  async connect(): Promise<void> {
    this.connection.connect();
    await flushPromises();
    expect(this.connection.state.kind).toBe('connected');
  }

  /** Cuts the connection and lets the client reconnect. */
  async reconnect(meanwhile: () => void = () => undefined): Promise<void> {
    this.pair.cut();
    await flushPromises();
    meanwhile();
    await this.clock.advance(250);
    await flushPromises();
    expect(this.connection.state.kind).toBe('connected');
  }

  /** Starts a new bridge that knows no client. */
  restart(): void {
    this.clients.close();
    this.clients = new Clients({ note: () => undefined }, this.clock, new LiveParts());
    this.pair.cut();
  }

  token(delta: string, sessionId = 'ses_1', partId = 'p1'): void {
    const payload = { messageId: 'm1', partId, delta };
    this.clients.publish({ type: 'stream.token', sessionId, payload });
  }

  publish(draft: FromDraft): void {
    this.clients.publish(draft);
  }

  /** The text of the received tokens, per session. */
  text(sessionId = 'ses_1'): string {
    return this.events
      .flatMap((one) =>
        one.type === 'stream.token' && one.sessionId === sessionId ? [one.payload.delta] : [],
      )
      .join('');
  }

  /** Opens another socket with this first frame. */
  async connectWith(hello: string): Promise<SocketPair> {
    const pair = new SocketPair();
    this.#serve(pair);
    pair.client.send(hello);
    await flushPromises();
    return pair;
  }

  readonly #open: OpenTransport = (_target, handlers) => {
    this.pair = new SocketPair(handlers);
    this.#serve(this.pair);
    return this.pair.client;
  };

  #serve(pair: SocketPair): void {
    const { clients, calls, clock } = this;
    const nextNumber = counter();
    new ClientSession(
      {
        ...{ calls, clients, clock, nextNumber, folder: 'folder' },
        log: { note: (message) => void this.notes.push(message) },
        nextId: counter(`b${++this.#epoch}-`),
        newEpoch: () => `epoch-${this.#epoch}`,
        engine: {
          self: { bridge: '1', engine: { name: 'opencode', version: '1' }, directory: '/v' },
          sessions: async () =>
            this.sessions.map((id) => ({ id, title: id, status: 'idle' as const })),
          snapshot: async () => {
            this.reads++;
            await this.reading();
            return () => this.pages;
          },
        },
        serve: async (client, message) => {
          if (message.type === 'session.attach') client.sessions.add(message.sessionId);
          else if (message.type === 'tool.result') {
            calls.answer(client, message.sessionId, message.payload);
          }
          this.served.push(message);
          if (this.refuse) throw this.refuse;
        },
      },
      pair.server,
      clock.now(),
    );
  }
}
