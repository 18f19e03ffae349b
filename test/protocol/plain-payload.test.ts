import { expect, test } from 'vitest';
import { decodeFromBridge, decodeToBridge } from '../../src/protocol/codec';
import { FROM_BRIDGE } from '../../src/protocol/from-bridge';
import { isPlainToken } from '../../src/protocol/plain-frames';
import { TO_BRIDGE } from '../../src/protocol/to-bridge';
import { caseCount } from '../in-full';
import { fc } from '../seeded';

const odd = fc.constantFrom<unknown[]>(
  ...['', 'x'.repeat(256), 'x'.repeat(257), 'n'.repeat(1024), 'n'.repeat(1025)],
  ...['d'.repeat(262_144), 'd'.repeat(262_145)],
  ...[0, -0, 1, -1, 1.5, 2 ** 53 - 1, 2 ** 53, 1e308, null, true, [], {}, ['m'], { length: 1 }],
);
const mostly = (arbitrary: fc.Arbitrary<unknown>) => fc.oneof({ weight: 15, arbitrary }, odd);
const optional = (arbitrary: fc.Arbitrary<unknown>) =>
  fc.option(arbitrary, { nil: undefined, freq: 4 });
const seldom = (arbitrary: fc.Arbitrary<unknown>) =>
  fc.oneof({ weight: 9, arbitrary: fc.constant(undefined) }, arbitrary);

const id = mostly(fc.string({ minLength: 1, maxLength: 30 }));
const word = mostly(fc.string());
const text = mostly(fc.string({ unit: 'binary' }));
const whole = mostly(fc.nat());
const amount = mostly(fc.double({ min: 0, max: 1e15, noNaN: true }));
const flag = mostly(fc.boolean());

/** An extra field, mostly none; its name may be one that an object literal would swallow. */
const extra = fc.oneof(
  { weight: 6, arbitrary: fc.constant('') },
  fc.constantFrom('__proto__', 'constructor', 'prototype', 'toString', 'more', 'replyTo', 'v'),
);

/** An object that is written as JSON with an extra field. */
function object(fields: Record<string, fc.Arbitrary<unknown>>): fc.Arbitrary<Raw> {
  return fc.tuple(fc.record(fields), extra).map(([value, name]) => new Raw(value, name));
}

class Raw {
  constructor(
    readonly value: object,
    readonly extra: string,
  ) {}

  get json(): string {
    const fields = Object.entries(this.value)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => `${JSON.stringify(name)}:${written(value)}`);
    if (this.extra !== '') fields.push(`${JSON.stringify(this.extra)}:"extra"`);
    return `{${fields.join(',')}}`;
  }
}

function written(value: unknown): string {
  return value instanceof Raw ? value.json : JSON.stringify(value);
}

const delta = { messageId: id, partId: id, delta: text, truncated: optional(whole) };
const opaque = object({ path: word, list: fc.array(object({ deep: word }), { maxLength: 2 }) });
const call = {
  ...{ callId: id, tool: word, args: optional(mostly(opaque)), agent: word },
  ...{ messageId: id, originSessionId: id, sessionTitle: optional(text) },
  board: seldom(object({ session: id, agent: word })),
  truncated: seldom(whole),
};
const result = {
  ...{ callId: id, ok: flag, output: optional(text), title: optional(text) },
  metadata: optional(mostly(opaque)),
  error: optional(mostly(object({ code: word, message: text }))),
  audit: mostly(object({ approved: flag, dryRun: flag, ms: amount })),
};
const update = {
  ...{ callId: id, tool: word, title: optional(text), input: optional(mostly(opaque)) },
  status: mostly(fc.constantFrom('pending', 'running', 'completed', 'error')),
};

const PAYLOADS = {
  'stream.token': object(delta),
  'stream.thinking': object(delta),
  'tool.call': object(call),
  'tool.result': object(result),
  'tool.update': object(update),
};
type Type = keyof typeof PAYLOADS;
/** Types with a hand-written payload check; for the others only the envelope has one. */
const CHECKED: ReadonlySet<Type> = new Set(['stream.token', 'stream.thinking']);

const message = fc.constantFrom<Type[]>(...(Object.keys(PAYLOADS) as Type[])).chain((type) => {
  const envelope = { id, ts: amount, sessionId: id };
  const numbers = { seq: optional(whole), ack: optional(whole), replyTo: optional(id) };
  const payload = mostly(PAYLOADS[type]);
  const fixed = { v: fc.constant(1), type: fc.constant(type) };
  const frame = object({ ...fixed, ...envelope, ...numbers, payload });
  return fc.record({ type: fc.constant(type), frame });
});

function declared(type: Type, value: unknown) {
  const schema = type === 'tool.result' ? TO_BRIDGE[type]() : FROM_BRIDGE[type]();
  return schema.safeParse(value);
}

function forbidden(line: string): boolean {
  return /"(__proto__|constructor|prototype)":"extra"/.test(line);
}

test('[WIRE14] the quick checks take nothing that the declarations refuse or change', () => {
  const seen = new Map<string, number>();
  const see = (what: string): void => void seen.set(what, (seen.get(what) ?? 0) + 1);
  fc.assert(
    fc.property(message, ({ type, frame }) => {
      const line = frame.json;
      const parsed = JSON.parse(line) as Record<string, unknown>;
      const asked = declared(type, JSON.parse(line));
      const body = asked.data?.payload as Record<string, unknown> | undefined;
      const decoded = (type === 'tool.result' ? decodeToBridge : decodeFromBridge)(line);
      const quick = isPlainToken(parsed);
      if (quick && asked.success) {
        see(`${type} quick`);
        expect(body).toEqual(parsed.payload);
      } else see(`${type} ${asked.success ? 'declared' : 'refused'}`);
      if (quick && !asked.success) {
        // In that case the envelope is refused.
        const { payload } = parsed;
        const good = { v: 1, type, id: 'm', ts: 1, sessionId: 's', payload };
        expect(declared(type, good).data?.payload).toEqual(payload);
      }
      if (forbidden(line)) return see('forbidden names');
      expect(decoded.ok).toBe(asked.success);
      if (decoded.ok) expect(decoded.message).toEqual(asked.data);
    }),
    { numRuns: caseCount(12_000) },
  );
  for (const type of Object.keys(PAYLOADS) as Type[]) {
    for (const fate of ['quick', 'declared', 'refused']) {
      if (fate === 'quick' && !CHECKED.has(type)) continue;
      expect([type, fate, (seen.get(`${type} ${fate}`) ?? 0) > caseCount(50)]).toEqual([
        type,
        fate,
        true,
      ]);
    }
  }
  expect(seen.get('forbidden names')).toBeGreaterThan(caseCount(100));
});

const PLAIN = [
  ['stream.token', { messageId: 'm', partId: 'p', delta: 'word ' }],
  ['stream.thinking', { messageId: 'm', partId: 'p', delta: 'word ', truncated: 1 }],
] as const;

test.each(PLAIN)('[WIRE14] a plain %s is taken by the quick check', (type, payload) => {
  const frame = { v: 1, type, id: 'b1', ts: 1, sessionId: 's', payload };
  expect(isPlainToken(frame)).toBe(true);
  expect(isPlainToken({ ...frame, type: 'message.final' })).toBe(false);
  expect(isPlainToken({ ...frame, payload: { ...payload, more: 1 } })).toBe(false);
  expect(isPlainToken({ ...frame, payload: [] })).toBe(false);
});

test('[WIRE14] a forbidden name in a tool’s JSON is removed', () => {
  const payload = {
    ...{ callId: 'c', tool: 'tasks', agent: 'build', messageId: 'm', originSessionId: 's' },
    args: { a: 1 },
  };
  const frame = { v: 1, type: 'tool.call', id: 'b1', ts: 1, sessionId: 's', payload };
  const line = JSON.stringify(frame).replace('"a":1', '"__proto__":{"b":2},"a":1');
  const decoded = decodeFromBridge(line);
  expect(decoded).toEqual({ ok: true, message: frame, removed: 1 });
});

test('[WIRE14] a number that is none is refused', () => {
  const audit = { approved: true, dryRun: false, ms: 1 };
  const payload = { callId: 'c', ok: true, audit };
  const frame = { v: 1, type: 'tool.result', id: 'c1', ts: 2, sessionId: 's', payload };
  const line = JSON.stringify(frame);
  expect(decodeToBridge(line).ok).toBe(true);
  expect(decodeToBridge(line.replace('"ms":1', '"ms":1e999')).ok).toBe(false);
  expect(decodeToBridge(line.replace('"ts":2', '"ts":1e999')).ok).toBe(false);
});
