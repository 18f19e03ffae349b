import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decodeFromBridge } from '../../src/protocol/codec';
import { isDeltaFrame } from '../../src/protocol/delta-frame';
import { FROM_BRIDGE } from '../../src/protocol/from-bridge';

const TYPES = ['stream.token', 'stream.thinking'] as const;

const odd = fc.constantFrom<unknown[]>(
  ...['', 'x'.repeat(256), 'x'.repeat(257), 'd'.repeat(262_144), 'd'.repeat(262_145)],
  ...[0, -0, 1, -1, 1.5, 2 ** 53 - 1, 2 ** 53, 1e308, null, true, [], {}, ['m'], { length: 1 }],
);
const id = fc.oneof({ weight: 12, arbitrary: fc.string({ minLength: 1, maxLength: 30 }) }, odd);
const text = fc.oneof({ weight: 12, arbitrary: fc.string({ unit: 'binary' }) }, odd);
const whole = fc.oneof({ weight: 12, arbitrary: fc.nat() }, odd);
const optional = (value: fc.Arbitrary<unknown>) => fc.option(value, { nil: undefined, freq: 3 });

const extra = fc.oneof(
  { weight: 4, arbitrary: fc.constant('') },
  fc.constantFrom('__proto__', 'constructor', 'prototype', 'toString', 'more', 'replyTo', 'v'),
);

const payload = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.record({ messageId: id, partId: id, delta: text, truncated: optional(whole) }),
  },
  odd,
);

const frame = fc.record({
  v: fc.constant(1),
  type: fc.constantFrom(...TYPES),
  id,
  ts: fc.oneof({ weight: 12, arbitrary: fc.double({ min: 0, max: 1e15, noNaN: true }) }, odd),
  sessionId: id,
  seq: optional(whole),
  ack: optional(whole),
  replyTo: optional(id),
  payload,
});

/** JSON of an object with one field more, whose name may be one that a literal would swallow. */
function withField(value: object, name: string): string {
  const json = JSON.stringify(value);
  if (name === '') return json;
  return `${json.slice(0, -1)}${json === '{}' ? '' : ','}${JSON.stringify(name)}:"extra"}`;
}

test('[WIRE14] the quick check of tokens takes nothing that the declaration refuses or changes', () => {
  const seen = { quick: 0, declared: 0, refused: 0, odd: 0 };
  fc.assert(
    fc.property(frame, extra, extra, (made, outer, inner) => {
      const { payload: body, ...rest } = made;
      const json =
        typeof body === 'object' && body !== null && !Array.isArray(body)
          ? withField(body, inner)
          : JSON.stringify(body);
      const line = withField(rest, outer).replace(/^\{/, () => `{"payload":${json},`);
      const parsed = JSON.parse(line) as Record<string, unknown>;
      const declared = FROM_BRIDGE[made.type].safeParse(JSON.parse(line));
      if (isDeltaFrame(parsed)) {
        seen.quick++;
        expect(declared).toEqual({ success: true, data: parsed });
        expect(Object.keys(declared.data ?? {}).sort()).toEqual(Object.keys(parsed).sort());
      } else if (declared.success) seen.declared++;
      else seen.refused++;
      const decoded = decodeFromBridge(line);
      const forbidden = [outer, inner].some((name) =>
        /^(__proto__|constructor|prototype)$/.test(name),
      );
      if (forbidden && line.includes(`:"extra"`)) seen.odd++;
      if (decoded.ok) expect(decoded.message).toEqual(declared.data);
      else expect(declared.success && !forbidden).toBe(false);
    }),
    { numRuns: 5_000 },
  );
  expect(Math.min(...Object.values(seen))).toBeGreaterThan(100);
});

test('[WIRE14] a plain token is taken by the quick check', () => {
  const body = { messageId: 'm', partId: 'p', delta: 'word ' };
  for (const type of TYPES) {
    const plain = { v: 1, type, id: 'b1', ts: 1, sessionId: 's', seq: 1, payload: body };
    expect(isDeltaFrame(plain)).toBe(true);
    expect(isDeltaFrame({ ...plain, type: 'message.final' })).toBe(false);
    expect(isDeltaFrame({ ...plain, more: 1 })).toBe(false);
  }
});
