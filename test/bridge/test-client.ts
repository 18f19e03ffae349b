import WebSocket from 'ws';
import type { Draft } from '../../src/protocol/envelope';
import type { FromBridge, FromBridgeOf, FromBridgeType } from '../../src/protocol/from-bridge';
import { decodeFromBridge } from '../../src/protocol/codec';
import { clientProtocols } from '../../src/protocol/handshake';
import type { ToBridge, ToBridgeOf } from '../../src/protocol/to-bridge';

export interface Ending {
  readonly code: number;
  readonly reason: string;
  /** HTTP status of a refused upgrade */
  readonly status?: number;
}

export interface ClientOptions {
  readonly origin?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly protocols?: readonly string[];
}

/** Below the time limit of a test, and far above what a machine under load needs. */
export const HANG_MS = 240_000;

type Waiter = { readonly check: () => boolean; readonly fail: (error: Error) => void };

/** A client that keeps all received messages and checks each against the protocol. */
export class TestClient {
  readonly received: FromBridge[] = [];
  readonly ended: Promise<Ending>;
  private ending: Ending | undefined;
  private waiters: Waiter[] = [];
  private lastId = 0;

  private constructor(readonly socket: WebSocket) {
    this.ended = new Promise((resolve) => {
      const end = (ending: Ending): void => {
        this.ending ??= ending;
        resolve(this.ending);
        this.checkWaiters();
      };
      socket.on('unexpected-response', (request, { statusCode: status = 0 }) => {
        request.destroy();
        end({ code: 1006, reason: '', status });
      });
      socket.on('error', () => undefined);
      socket.on('close', (code, reason) => end({ code, reason: reason.toString() }));
    });
    socket.on('message', (data: Buffer) => {
      const decoded = decodeFromBridge(data.toString());
      if (!decoded.ok) throw new Error(`Not of the protocol: ${decoded.error.message}`);
      this.received.push(decoded.message);
      this.checkWaiters();
    });
  }

  /** Opens a socket. Resolves when it is open or refused. */
  static async open(port: number, token: string, options: ClientOptions = {}): Promise<TestClient> {
    const { origin, headers } = options;
    const protocols = options.protocols ?? clientProtocols(token);
    const socket = new WebSocket(`ws://127.0.0.1:${port}/`, [...protocols], {
      perMessageDeflate: false,
      headers: { ...headers, ...(origin !== undefined && { origin }) },
    });
    const client = new TestClient(socket);
    await Promise.race([new Promise((resolve) => socket.on('open', resolve)), client.ended]);
    return client;
  }

  /** Opens a socket, sends `hello` and waits for `welcome`. */
  static async connect(
    { port, token, folder }: { port: number; token: string; folder?: string },
    capabilities: readonly string[] = ['tools', 'permissions', 'questions'],
  ): Promise<TestClient> {
    const client = await TestClient.open(port, token);
    const known = folder === undefined ? {} : { folder };
    const hello = { client: 'test', version: '1', vault: 'test', capabilities: [...capabilities] };
    client.send({ type: 'hello', payload: { ...hello, ...known } });
    await client.next('welcome');
    return client;
  }

  send(draft: Draft<ToBridge>): string {
    const id = `c${++this.lastId}`;
    this.socket.send(JSON.stringify({ v: 1, id, ts: 1, ...draft }));
    return id;
  }

  /** The first matching message, received already or to come. Rejects if none comes (a hang). */
  next<T extends FromBridgeType>(
    type: T,
    fits: (message: FromBridgeOf<T>) => boolean = () => true,
  ): Promise<FromBridgeOf<T>> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(this.timeoutError(type)), HANG_MS);
      const found = (): FromBridgeOf<T> | undefined =>
        this.received.find(
          (message): message is FromBridgeOf<T> =>
            message.type === type && fits(message as FromBridgeOf<T>),
        );
      const check = (): boolean => {
        const message = found();
        if (message) resolve(message);
        if (message) clearTimeout(timer);
        return message !== undefined;
      };
      if (!check()) this.waiters.push({ check, fail: reject });
    });
  }

  /** Starts a session and waits for it. */
  async start(title: string, more: Partial<ToBridgeOf<'session.start'>['payload']> = {}) {
    const requestId = `start ${title}`;
    this.send({ type: 'session.start', payload: { requestId, title, ...more } });
    const created = await this.next(
      'session.created',
      ({ payload }) => payload.requestId === requestId,
    );
    return created.sessionId;
  }

  /** Sends a prompt and waits for the end of its turn in the session. */
  async prompt(sessionId: string, text: string, more: { agent?: string } = {}) {
    const before = this.turnEnds(sessionId).length;
    this.send({ type: 'session.message', sessionId, payload: { text, ...more } });
    return this.next('turn.end', (end) => this.turnEnds(sessionId).indexOf(end) === before);
  }

  turnEnds(sessionId: string): FromBridgeOf<'turn.end'>[] {
    return this.ofType('turn.end').filter((end) => end.sessionId === sessionId);
  }

  ofType<T extends FromBridgeType>(type: T): FromBridgeOf<T>[] {
    return this.received.filter((message): message is FromBridgeOf<T> => message.type === type);
  }

  async close(): Promise<void> {
    this.socket.close();
    await this.ended;
  }

  private checkWaiters(): void {
    this.waiters = this.waiters.filter(({ check, fail }) => {
      if (check()) return false;
      if (this.ending) fail(new Error(`Closed: ${this.ending.code} ${this.ending.reason}`));
      return true;
    });
  }

  private timeoutError(type: string): Error {
    const last = this.received.slice(-8).map((message) => JSON.stringify(message).slice(0, 200));
    return new Error(`No ${type} came. Heard last:\n${last.join('\n')}`);
  }
}
