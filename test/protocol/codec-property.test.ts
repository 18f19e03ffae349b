import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { decodeFromBridge, decodeToBridge, encode, type Decoded } from '../../src/protocol/codec';
import type { FromBridge } from '../../src/protocol/from-bridge';
import type { ToBridge } from '../../src/protocol/to-bridge';
import { fc } from '../seeded';

const folder = join(import.meta.dirname, '../corpus/good');
const frames = readdirSync(folder).map((file) => ({
  toBridge: file.startsWith('to-bridge'),
  text: JSON.stringify(JSON.parse(readFileSync(join(folder, file), 'utf8'))),
}));

type Any = Decoded<ToBridge | FromBridge>;

const outcomes = new Map<string, number>();

/** Decodes, and checks what holds for every result. */
function check(decode: (text: string) => Any, text: string): void {
  const decoded = decode(text);
  const outcome = decoded.ok ? 'ok' : decoded.error.code;
  outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
  expect(Object.keys(Object.prototype)).toEqual([]);
  if (!decoded.ok) return;
  const again = encode(decoded.message);
  expect(decode(again)).toEqual({ ok: true, message: decoded.message, removed: 0 });
  expect(again).not.toMatch(/"(__proto__|constructor|prototype)":/);
}

function checkBoth(text: string): void {
  check(decodeToBridge, text);
  check(decodeFromBridge, text);
}

const key = fc.oneof(
  fc.constantFrom('__proto__', 'constructor', 'prototype', 'payload', 'type', 'v', 'a'),
  fc.string(),
);

const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'medium' },
    fc.constantFrom(null, true, 0, -1, 1.5, 1e308, '', '__proto__', 'ping'),
    fc.string({ unit: 'grapheme' }),
    fc.string({ unit: 'binary' }),
    fc.array(tie('value'), { maxLength: 4 }),
    // JSON text, since an object literal would swallow __proto__
    fc.array(fc.tuple(key, tie('value')), { maxLength: 4 }).map((entries) => new Raw(entries)),
  ),
}));

/** An object with any keys, which `write` turns into JSON. */
class Raw {
  constructor(readonly entries: readonly (readonly [string, unknown])[]) {}
}

function write(part: unknown): string {
  if (part instanceof Raw) {
    return `{${part.entries.map(([name, child]) => `${JSON.stringify(name)}:${write(child)}`).join()}}`;
  }
  if (Array.isArray(part)) return `[${part.map(write).join()}]`;
  return JSON.stringify(part);
}

test('[WIRE10] decoding never throws: any text, any JSON, any damaged message', () => {
  fc.assert(fc.property(fc.string({ unit: 'binary' }), checkBoth), { numRuns: 500 });
  fc.assert(
    fc.property(value, (json) => checkBoth(write(json))),
    { numRuns: 500 },
  );
  const cut = fc.tuple(fc.nat(), fc.nat(8), fc.string({ unit: 'binary', maxLength: 4 }));
  fc.assert(
    fc.property(fc.constantFrom(...frames), fc.array(cut, { maxLength: 3 }), (frame, cuts) => {
      const damaged = cuts.reduce((text, [at, length, put]) => {
        const start = at % text.length;
        return text.slice(0, start) + put + text.slice(start + length);
      }, frame.text);
      check(frame.toBridge ? decodeToBridge : decodeFromBridge, damaged);
    }),
    { numRuns: 1500 },
  );
  expect([...outcomes.keys()].sort()).toEqual(
    expect.arrayContaining(['bad_json', 'bad_message', 'ok', 'unknown_type']),
  );
});

test('[WIRE10] a good message with any value in any place is refused or harmless', () => {
  outcomes.clear();
  fc.assert(
    fc.property(fc.constantFrom(...frames), fc.nat(), value, (frame, pick, put) => {
      // every place where a value begins
      const places = [
        ...frame.text.matchAll(/:(?=("(?:[^"\\]|\\.)*"|-?[\d.]+|true|false|null)[,}\]])/g),
      ];
      const place = places[pick % places.length];
      const start = (place?.index ?? 0) + 1;
      const damaged =
        frame.text.slice(0, start) +
        write(put) +
        frame.text.slice(start + (place?.[1]?.length ?? 0));
      check(frame.toBridge ? decodeToBridge : decodeFromBridge, damaged);
    }),
    { numRuns: 3000 },
  );
  expect(outcomes.get('ok')).toBeGreaterThan(100);
  expect(outcomes.get('bad_message')).toBeGreaterThan(100);
});
