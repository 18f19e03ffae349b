import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { FrameSplitter } from './frame-splitter';
import { rawFrame } from './raw-frame';
import { upgradeBytes } from './raw-upgrade';

const HELLO = { client: 'raw', version: '1', vault: 'v', capabilities: [] };

interface ReceivedMessage {
  readonly type: string;
  readonly replyTo?: string;
  readonly payload: { readonly code?: string };
}

/** A client that can send any bytes after a good handshake, and counts the messages it receives. */
export class RawClient {
  /** number of messages received, by type */
  readonly receivedCounts = new Map<string, number>();
  /** codes of the errors received */
  readonly errors: string[] = [];
  /** status of the HTTP answer */
  status: number | undefined;
  /** code of the bridge's close frame */
  code: number | undefined;
  ended = false;
  readonly #frames = new FrameSplitter();
  #upgraded = false;
  #head = '';
  #wake: () => void = () => undefined;
  #lastReply = '';

  private constructor(private readonly socket: Socket) {
    socket.on('error', () => undefined); // a reset counts as an end, too
    socket.on('close', () => {
      this.ended = true;
      this.#wake();
    });
    socket.on('data', (data: Buffer) => this.#receive(data));
  }

  /** Resolves when the handshake has succeeded. */
  static async open(port: number, token: string): Promise<RawClient> {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true });
    await once(socket, 'connect');
    const client = new RawClient(socket);
    socket.write(
      upgradeBytes({
        hosts: [`127.0.0.1:${port}`],
        origins: [],
        protocols: [`agent-task-boards.v1, token.${token}`],
      }),
    );
    await client.waitUntil(() => client.#upgraded);
    return client;
  }

  send(bytes: Buffer): void {
    if (!this.ended) this.socket.write(bytes);
  }

  /** Sends a valid message. */
  sendMessage(message: { id: string; type: string; payload: object; sessionId?: string }): void {
    this.send(rawFrame(JSON.stringify({ v: 1, ts: 1, ...message })));
  }

  /** Sends hello and waits for the welcome. */
  async sayHello(): Promise<void> {
    this.sendMessage({ id: 'hello', type: 'hello', payload: HELLO });
    await this.waitUntil(() => this.receivedCounts.has('welcome'));
  }

  /** Resolves when the socket has taken all that was sent. */
  async drained(): Promise<void> {
    if (!this.socket.writableNeedDrain) return;
    this.socket.once('drain', () => this.#wake());
    await this.waitUntil(() => !this.socket.writableNeedDrain);
  }

  /** Sends a ping and waits for its answer. @returns false if the connection ended before */
  async isServed(id: string): Promise<boolean> {
    this.sendMessage({ id, type: 'ping', payload: {} });
    await this.waitUntil(() => this.#lastReply === id);
    return this.#lastReply === id;
  }

  /** Resolves when the condition holds, or when the connection has ended. */
  async waitUntil(holds: () => boolean): Promise<void> {
    while (!holds() && !this.ended) await new Promise<void>((resolve) => (this.#wake = resolve));
  }

  /** Resets the connection, which leaves no port in TIME_WAIT. */
  reset(): void {
    this.socket.resetAndDestroy();
  }

  #receive(data: Buffer): void {
    let bytes = data;
    if (!this.#upgraded) {
      this.#head += data.toString('latin1');
      const end = this.#head.indexOf('\r\n\r\n');
      if (end < 0) return;
      this.#upgraded = true;
      this.status = Number(/^HTTP\/1\.1 (\d{3})/.exec(this.#head)?.[1]);
      bytes = Buffer.from(this.#head.slice(end + 4), 'latin1');
    }
    for (const frame of this.#frames.add(bytes)) {
      if (frame.text !== undefined) this.#handleMessage(frame.text);
      if (frame.bytes[0] === 0x88) this.code = frame.bytes.readUInt16BE(2);
    }
    this.#wake();
  }

  #handleMessage(text: string): void {
    const { type, replyTo, payload } = JSON.parse(text) as ReceivedMessage;
    this.receivedCounts.set(type, (this.receivedCounts.get(type) ?? 0) + 1);
    if (type === 'error') this.errors.push(payload.code ?? '');
    if (type === 'pong') this.#lastReply = replyTo ?? '';
  }
}
