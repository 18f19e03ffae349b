import { expect, test } from 'vitest';
import { clientFrame, FrameFault, FrameReader, OPCODE } from '../../src/node/http-transport';
import { fc } from '../seeded';

const KINDS = [OPCODE.text, OPCODE.binary, OPCODE.ping, OPCODE.pong, OPCODE.close];

/** A server's frame, written by hand: not masked, perhaps not the last of its message. */
function frame(opcode: number, payload: Uint8Array, final = true): Buffer {
  const { length } = payload;
  const head =
    length < 126
      ? [length]
      : length < 65_536
        ? [126, length >> 8, length & 255]
        : [127, 0, 0, 0, 0, 0, (length >> 16) & 255, (length >> 8) & 255, length & 255];
  return Buffer.concat([Buffer.from([(final ? 0x80 : 0) | opcode, ...head]), payload]);
}

function read(chunks: readonly Buffer[]): [number, string][] {
  const reader = new FrameReader();
  return chunks.flatMap((chunk) =>
    [...reader.add(chunk)].map(({ opcode, payload }): [number, string] => [
      opcode,
      payload.toString('hex'),
    ]),
  );
}

/** Cuts bytes at the given places. */
function cut(bytes: Buffer, places: readonly number[]): Buffer[] {
  const at = [0, ...places.map((place) => place % (bytes.length + 1)), bytes.length];
  at.sort((a, b) => a - b);
  return at.slice(1).map((end, n) => bytes.subarray(at[n], end));
}

test('[CONN41] messages are read whole, however they are cut into pieces and fragments', () => {
  let fragments = 0;
  const message = fc.record({
    opcode: fc.constantFrom(...KINDS),
    payload: fc.oneof(
      fc.uint8Array({ maxLength: 125 }),
      fc.constantFrom(126, 65_535, 65_536, 200_000).map((size) => new Uint8Array(size).fill(7)),
    ),
    fragments: fc.nat(3),
  });
  fc.assert(
    fc.property(
      fc.array(message, { maxLength: 8 }),
      fc.array(fc.nat(), { maxLength: 40 }),
      (all, places) => {
        const sent = all.map(({ opcode, payload, ...rest }) => ({
          opcode,
          payload: opcode >= OPCODE.close ? payload.subarray(0, 125) : payload,
          fragments: opcode >= OPCODE.close ? 0 : rest.fragments,
        }));
        const bytes = sent.flatMap(({ opcode, payload, fragments: more }) => {
          const size = Math.ceil(payload.length / (more + 1));
          fragments += more;
          return Array.from({ length: more + 1 }, (_, n) =>
            frame(n === 0 ? opcode : 0, payload.subarray(n * size, (n + 1) * size), n === more),
          );
        });
        expect(read(cut(Buffer.concat(bytes), places))).toEqual(
          sent.map(({ opcode, payload }) => [opcode, Buffer.from(payload).toString('hex')]),
        );
      },
    ),
    { numRuns: 200 },
  );
  expect(fragments).toBeGreaterThan(100);
});

/** Often such as begin like a frame, so that lengths and fragments are reached too. */
const bytesOfFrames = fc
  .tuple(
    fc.constantFrom([], [0x81], [0x01], [0x80], [0x81, 127], [0x82, 126]),
    fc.uint8Array({ minLength: 2, maxLength: 300 }),
  )
  .map(([head, rest]) => Buffer.concat([Buffer.from(head), rest]));

test('[CONN41] any bytes are read as frames or refused with a code, nothing else', () => {
  const codes = new Map<number, number>();
  fc.assert(
    fc.property(bytesOfFrames, (bytes) => {
      try {
        read([bytes]);
      } catch (error) {
        if (!(error instanceof FrameFault)) throw error;
        codes.set(error.code, (codes.get(error.code) ?? 0) + 1);
      }
    }),
    { numRuns: 5_000 },
  );
  expect([...codes.keys()].sort()).toEqual([1002, 1009]);
});

test('[CONN41] a message of more than 1 MiB is refused by its length, also in fragments', () => {
  const half = Buffer.alloc(600_000);
  const refused = (chunks: readonly Buffer[]): unknown => {
    try {
      return read(chunks);
    } catch (error) {
      return error instanceof FrameFault ? error.code : error;
    }
  };
  const endless = Buffer.from([0x81, 127, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff]);
  expect(refused([endless])).toBe(1009);
  expect(refused([frame(OPCODE.text, half, false), frame(0, half)])).toBe(1009);
});

test('[CONN41] a client’s frame is masked, and unmasked it is what was given', () => {
  for (const length of [0, 1, 125, 126, 65_535, 65_536]) {
    const payload = Buffer.alloc(length, 'abc');
    const mask = Buffer.from([1, 2, 3, 250]);
    const sent = clientFrame(OPCODE.text, payload, mask);
    const at = sent.length - length;
    expect([sent[0], (sent[1] ?? 0) & 0x80]).toEqual([0x81, 0x80]);
    expect(sent.subarray(at - 4, at)).toEqual(mask);
    const plain = sent.subarray(at).map((byte, n) => byte ^ (mask[n % 4] ?? 0));
    expect(Buffer.from(plain).equals(payload)).toBe(true);
  }
});
