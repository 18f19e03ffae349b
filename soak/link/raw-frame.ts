/** Opcodes of RFC 6455. */
export const OPCODE = { more: 0, text: 1, binary: 2, close: 8, ping: 9, pong: 10 } as const;

export interface FrameShape {
  /** 0 to 15 */
  readonly opcode?: number;
  /** true for the last fragment of a message */
  readonly last?: boolean;
  /** RSV1 to RSV3, 0 to 7 */
  readonly reserved?: number;
  /** whether the payload is masked; clients must mask */
  readonly masked?: boolean;
  /** payload length in the header, if it differs from the real one */
  readonly claims?: number;
}

/** The bytes of one client frame, well-formed or not. */
export function rawFrame(payload: string | Buffer, shape: FrameShape = {}): Buffer {
  const { opcode = OPCODE.text, last = true, reserved = 0, masked = true } = shape;
  const body = typeof payload === 'string' ? Buffer.from(payload) : payload;
  const length = shape.claims ?? body.length;
  const first = (last ? 0x80 : 0) | (reserved << 4) | opcode;
  const bit = masked ? 0x80 : 0;
  const head =
    length < 126
      ? Buffer.from([first, bit | length])
      : length < 65536
        ? Buffer.from([first, bit | 126, length >> 8, length & 0xff])
        : longHead(first, bit, length);
  // A mask of zeros is enough: masking only keeps proxies from reading requests out of a stream.
  const mask = masked ? Buffer.from([0, 0, 0, 0]) : Buffer.alloc(0);
  return Buffer.concat([head, mask, body]);
}

function longHead(first: number, bit: number, length: number): Buffer {
  const head = Buffer.alloc(10);
  head.writeUInt8(first, 0);
  head.writeUInt8(bit | 127, 1);
  head.writeBigUInt64BE(BigInt(length), 2);
  return head;
}
