import { MAX_FRAME_BYTES } from '../protocol/frame-limits';

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
