import { createHash, randomBytes } from 'node:crypto';
import { request, type ClientRequest, type IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { OpenTransport, Transport, TransportHandlers, TransportTarget } from '../core/ports';
import { CLOSE } from '../protocol/handshake';
import { MAX_FRAME_BYTES } from '../protocol/frame-limits';

/**
 * OpenTransport over Node's own HTTP client, for the desktop app where the window's WebSocket is
 * refused. It sends no Origin. The package `ws` does the same and would make the plugin 41 kB
 * larger (docs/adr/0011).
 */
export const openHttpSocket: OpenTransport = (target, handlers) =>
  new HttpTransport(target, handlers);

/** The code of a connection that never opened, or broke off. */
const ABNORMAL = 1006;

/** How long the handshake may take, and an answer to a close, ms. */
const HANDSHAKE = 5_000;

const CLOSE_GRACE = 2_000;

/** Of RFC 6455: what a server proves with that it speaks this protocol. */
const PROOF = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';

const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

type Life =
  | { readonly kind: 'opening'; readonly request: ClientRequest }
  | { readonly kind: 'open' | 'closing'; readonly socket: Socket }
  | { readonly kind: 'failed' | 'closed' };

class HttpTransport implements Transport {
  #life: Life = { kind: 'failed' };
  #opened = false;
  /** why it ended, as far as is known */
  #end = { code: ABNORMAL, reason: '' };
  readonly #reader = new FrameReader();

  constructor(
    target: TransportTarget,
    private readonly handlers: TransportHandlers,
  ) {
    const key = randomBytes(16).toString('base64');
    try {
      this.#life = { kind: 'opening', request: this.#request(target, key) };
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      setImmediate(() => this.#fail(why)); // never before the owner has the transport
    }
  }

  send(text: string): void {
    if (this.#life.kind === 'open') this.#write(OPCODE.text, Buffer.from(text, 'utf8'));
  }

  close(code: number = CLOSE.normal, reason = ''): void {
    const life = this.#life;
    if (life.kind === 'opening') life.request.destroy(new Error('Closed before it opened.'));
    if (life.kind !== 'open') return;
    const words = Buffer.from(reason, 'utf8').subarray(0, 123);
    const payload = Buffer.concat([Buffer.from([code >> 8, code & 0xff]), words]);
    this.#write(OPCODE.close, payload);
    this.#life = { kind: 'closing', socket: life.socket };
    setTimeout(() => life.socket.destroy(), CLOSE_GRACE).unref();
  }

  #request({ url, protocols }: TransportTarget, key: string): ClientRequest {
    const { protocol, hostname, port, pathname } = new URL(url);
    if (protocol !== 'ws:') throw new Error('An address of this machine begins with ws://.');
    const headers = {
      Connection: 'Upgrade',
      Upgrade: 'websocket',
      'Sec-WebSocket-Version': '13',
      'Sec-WebSocket-Key': key,
      'Sec-WebSocket-Protocol': protocols.join(', '),
    };
    const host = hostname.replace(/^\[|\]$/g, '');
    const sent = request({ host, port, path: pathname, headers, timeout: HANDSHAKE });
    sent.on('upgrade', (answer, socket: Socket, head) => {
      this.#upgraded(answer, { socket, head, key, protocols });
    });
    sent.on('response', ({ statusCode }) => {
      this.#end.reason = `The server answered ${statusCode}.`;
      sent.destroy();
    });
    sent.on('timeout', () => sent.destroy(new Error('The server did not answer in 5 s.')));
    sent.on('error', ({ message }) => (this.#end.reason ||= message));
    sent.on('close', () => this.#life.kind === 'opening' && this.#fail(this.#end.reason));
    sent.end();
    return sent;
  }

  #upgraded(
    { headers }: IncomingMessage,
    {
      socket,
      head,
      key,
      protocols,
    }: { socket: Socket; head: Buffer; key: string; protocols: readonly string[] },
  ): void {
    const proof = createHash('sha1').update(`${key}${PROOF}`).digest('base64');
    const chosen = headers['sec-websocket-protocol'];
    const agreed = protocols.length === 0 ? chosen === undefined : protocols.includes(chosen ?? '');
    if (headers['sec-websocket-accept'] !== proof || !agreed) {
      socket.destroy();
      this.#fail('What answered is no bridge.');
      return;
    }
    socket.setTimeout(0);
    socket.setNoDelay(true);
    this.#life = { kind: 'open', socket };
    this.#opened = true;
    socket.on('data', (bytes: Buffer) => this.#read(bytes));
    socket.on('error', ({ message }) => (this.#end.reason ||= message)); // a close follows
    socket.on('end', () => socket.end());
    socket.on('close', () => this.#closed());
    this.handlers.open();
    if (head.length > 0) this.#read(head);
  }

  #read(bytes: Buffer): void {
    try {
      for (const frame of this.#reader.add(bytes)) this.#take(frame);
    } catch (error) {
      if (!(error instanceof FrameFault)) throw error;
      this.close(error.code, error.message);
    }
  }

  #take({ opcode, payload }: SocketFrame): void {
    if (this.#life.kind !== 'open' && opcode !== OPCODE.close) return;
    if (opcode === OPCODE.close) this.#closeSent(payload);
    else if (opcode === OPCODE.ping) this.#write(OPCODE.pong, payload);
    else if (opcode === OPCODE.binary) this.close(CLOSE.protocol, 'Text frames only.');
    else if (opcode === OPCODE.text) this.handlers.message(text(payload));
    else if (opcode !== OPCODE.pong) throw new FrameFault(1002, 'A frame of an unknown kind.');
  }

  #closeSent(payload: Buffer): void {
    const life = this.#life;
    if (life.kind !== 'open' && life.kind !== 'closing') return;
    const code = payload.length < 2 ? 1005 : payload.readUInt16BE(0);
    this.#end = { code, reason: payload.subarray(2).toString('utf8') };
    if (life.kind === 'open') this.#write(OPCODE.close, payload);
    this.#life = { kind: 'closing', socket: life.socket };
    life.socket.end();
  }

  #write(opcode: number, payload: Buffer): void {
    const life = this.#life;
    if (life.kind === 'open') life.socket.write(clientFrame(opcode, payload, randomBytes(4)));
  }

  #fail(reason: string): void {
    if (this.#life.kind === 'closed') return;
    this.#end = { code: ABNORMAL, reason };
    this.#closed();
  }

  #closed(): void {
    if (this.#life.kind === 'closed') return;
    this.#life = { kind: 'closed' };
    this.handlers.close({ ...this.#end, opened: this.#opened });
  }
}

/** @throws FrameFault where it is no UTF-8 */
function text(payload: Buffer): string {
  try {
    return UTF8.decode(payload);
  } catch {
    throw new FrameFault(1007, 'The text is no UTF-8.');
  }
}

/** Frames of RFC 6455, as far as one end of a text conversation needs them. */

export const OPCODE = { continued: 0, text: 1, binary: 2, close: 8, ping: 9, pong: 10 } as const;

/** A whole message, or a control frame. */
export interface SocketFrame {
  readonly opcode: number;
  readonly payload: Buffer;
}

/** What the other end may not send; `code` is the one to close with. */
export class FrameFault extends Error {
  constructor(
    readonly code: number,
    message: string,
  ) {
    super(message);
    this.name = 'FrameFault';
  }
}

/** A client's frame: whole, and masked, as the standard wants it from clients. */
export function clientFrame(opcode: number, payload: Buffer, mask: Buffer): Buffer {
  const { length } = payload;
  const extended = length < 126 ? 0 : length < 65_536 ? 2 : 8;
  const head = Buffer.alloc(6 + extended);
  head[0] = 0x80 | opcode;
  head[1] = 0x80 | (extended === 0 ? length : extended === 2 ? 126 : 127);
  if (extended === 2) head.writeUInt16BE(length, 2);
  if (extended === 8) head.writeBigUInt64BE(BigInt(length), 2);
  mask.copy(head, 2 + extended);
  const body = Buffer.from(payload);
  for (let at = 0; at < length; at++) body[at] = (body[at] ?? 0) ^ (mask[at & 3] ?? 0);
  return Buffer.concat([head, body]);
}

interface Head {
  readonly final: boolean;
  readonly opcode: number;
  /** where the payload begins, and how long it is */
  readonly at: number;
  readonly length: number;
}

/** Reads a server's bytes, in whatever pieces they come. */
export class FrameReader {
  #rest: Buffer = Buffer.alloc(0);
  /** the message that is under way, in pieces */
  #pieces: Buffer[] = [];
  #opcode: number | undefined;
  #size = 0;

  /** @throws FrameFault; nothing is to be read any more then */
  *add(bytes: Buffer): Generator<SocketFrame> {
    this.#rest = this.#rest.length === 0 ? bytes : Buffer.concat([this.#rest, bytes]);
    for (let head = this.#head(); head !== undefined; head = this.#head()) {
      const { at, length } = head;
      if (this.#rest.length < at + length) return;
      const payload = this.#rest.subarray(at, at + length);
      this.#rest = this.#rest.subarray(at + length);
      const frame = this.#frame(head, payload);
      if (frame !== undefined) yield frame;
    }
  }

  #head(): Head | undefined {
    const [first, second] = this.#rest;
    if (first === undefined || second === undefined) return undefined;
    if ((first & 0x70) !== 0) throw new FrameFault(1002, 'An extension that was not agreed on.');
    if ((second & 0x80) !== 0) throw new FrameFault(1002, 'A server does not mask.');
    const final = (first & 0x80) !== 0;
    const opcode = first & 0x0f;
    const short = second & 0x7f;
    if (opcode >= OPCODE.close && (!final || short > 125)) {
      throw new FrameFault(1002, 'A control frame in pieces, or too long.');
    }
    const at = short < 126 ? 2 : short === 126 ? 4 : 10;
    if (this.#rest.length < at) return undefined;
    const long = (): number => Number(this.#rest.readBigUInt64BE(2));
    const length = short < 126 ? short : short === 126 ? this.#rest.readUInt16BE(2) : long();
    if (length + this.#size > MAX_FRAME_BYTES) throw new FrameFault(1009, 'More than 1 MiB.');
    return { final, opcode, at, length };
  }

  #frame({ final, opcode }: Head, payload: Buffer): SocketFrame | undefined {
    if (opcode >= OPCODE.close) return { opcode, payload };
    if ((opcode === OPCODE.continued) !== (this.#opcode !== undefined)) {
      throw new FrameFault(1002, 'A piece of no message.');
    }
    this.#opcode ??= opcode;
    this.#pieces.push(payload);
    this.#size += payload.length;
    if (!final) return undefined;
    const whole = { opcode: this.#opcode, payload: Buffer.concat(this.#pieces) };
    this.#pieces = [];
    this.#opcode = undefined;
    this.#size = 0;
    return whole;
  }
}
