/** A raw WebSocket frame, with its text if it is a whole text message. */
export interface RawFrame {
  readonly bytes: Buffer;
  readonly text: string | undefined;
}

/** Splits the bytes after a handshake into WebSocket frames, masked or not. */
export class FrameSplitter {
  #rest: Buffer = Buffer.alloc(0);

  /** Returns the frames that these bytes complete, in order; keeps the rest. */
  add(bytes: Buffer): RawFrame[] {
    this.#rest = this.#rest.length === 0 ? bytes : Buffer.concat([this.#rest, bytes]);
    const frames: RawFrame[] = [];
    for (let next = readFrame(this.#rest); next !== undefined; next = readFrame(this.#rest)) {
      frames.push(next);
      this.#rest = this.#rest.subarray(next.bytes.length);
    }
    return frames;
  }
}

const TEXT_AND_LAST = 0x81;

function readFrame(bytes: Buffer): RawFrame | undefined {
  if (bytes.length < 2) return undefined;
  const [first, second] = [bytes.readUInt8(0), bytes.readUInt8(1)];
  const short = second & 0x7f;
  const lengthBytes = short === 126 ? 2 : short === 127 ? 8 : 0;
  const maskBytes = second & 0x80 ? 4 : 0;
  const start = 2 + lengthBytes + maskBytes;
  if (bytes.length < start) return undefined;
  const length = lengthBytes === 2 ? bytes.readUInt16BE(2) : longLength(bytes, short);
  if (bytes.length < start + length) return undefined;
  const mask = bytes.subarray(start - maskBytes, start);
  const payload = bytes.subarray(start, start + length);
  const text = first === TEXT_AND_LAST ? unmasked(payload, mask).toString('utf8') : undefined;
  return { bytes: bytes.subarray(0, start + length), text };
}

function longLength(bytes: Buffer, short: number): number {
  return short === 127 ? Number(bytes.readBigUInt64BE(2)) : short;
}

function unmasked(payload: Buffer, mask: Buffer): Buffer {
  if (mask.length === 0) return payload;
  return Buffer.from(payload.map((byte, at) => byte ^ (mask[at % 4] ?? 0)));
}
