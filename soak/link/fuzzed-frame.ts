import type { SeededRandom } from '../seeded';
import { goodFrames, INVALID_SESSION, VALID_SESSION } from './good-frames';
import { OPCODE, rawFrame } from './raw-frame';

/** One frame to send to a bridge after its welcome. */
export interface FuzzedFrame {
  readonly kind: string;
  /** including the frame header */
  readonly bytes: Buffer;
}

type Json = Record<string, unknown>;

/**
 * @param sort `wrong`: certainly invalid; `damaged`: may still be valid; `breach`: violates the
 * WebSocket protocol, so that the connection must be closed
 */
export function fuzzedFrame(
  random: SeededRandom,
  number: number,
  sort: 'wrong' | 'damaged' | 'breach',
): FuzzedFrame {
  if (sort === 'breach') return breach(random);
  if (sort === 'damaged') {
    const text = damaged(
      random,
      JSON.stringify(randomFrame(random, VALID_SESSION, `open ${number}`, number)),
    );
    return { kind: 'damaged', bytes: rawFrame(text) };
  }
  const kind = random.pick(WRONG_KINDS);
  const frame = randomFrame(random, INVALID_SESSION, `NEVER ${number}`, number);
  return { kind, bytes: rawFrame(WRONG[kind](frame, random)) };
}

function randomFrame(random: SeededRandom, sessionId: string, word: string, number: number): Json {
  const frame = random.pick(goodFrames(sessionId, word));
  return { v: 1, id: `f${number}`, ts: 1, ...frame };
}

const POISON_NAMES = [
  '__proto__',
  'constructor',
  'prototype',
  '\\u005f_proto__',
  'constr\\u0075ctor',
];
const ODD_VALUES = ['null', '0', '-1', '1e400', 'true', '{}', '[[]]', '{"toString":1}'];
const ODD_SESSIONS = [
  '',
  '__proto__',
  '../../etc',
  'a/b',
  'x'.repeat(257),
  '\u202e',
  '%2e%2e',
  'é',
];

/**
 * Each makes any good frame invalid. Some build the JSON as text, for values that JavaScript cannot
 * produce.
 */
const WRONG = {
  cut: (frame, random) => {
    const text = JSON.stringify(frame);
    return text.slice(0, random.below(text.length));
  },
  'two documents': (frame) => JSON.stringify(frame) + JSON.stringify(frame),
  'other version': (frame, random) =>
    JSON.stringify({ ...frame, v: random.pick([0, 2, '1', null]) }),
  'unknown type': (frame, random) =>
    JSON.stringify({
      ...frame,
      type: random.pick(['', 'toString', '__proto__', 'welcome', 7, []]),
    }),
  'no field': (frame, random) => without(frame, random.pick(['v', 'type', 'payload', 'id', 'ts'])),
  'odd field': (frame, random) => {
    const field = random.pick(['v', 'type', 'payload', 'id', 'ts']);
    const odd =
      field === 'payload' ? '7' : field === 'ts' ? '"x"' : random.pick(ODD_VALUES.slice(1));
    return withText(frame, field, field === 'v' && odd === '1' ? '2' : odd);
  },
  'hello again': (frame) => JSON.stringify({ ...frame, type: 'hello' }),
  'odd session': (frame, random) =>
    JSON.stringify({ ...frame, type: 'session.interrupt', sessionId: random.pick(ODD_SESSIONS) }),
  'forbidden name': (frame, random) => poisoned(frame, random),
  'too deep': (frame, random) => {
    const levels = 64 + random.below(2_000);
    return withText(frame, 'more', `${'['.repeat(levels)}${']'.repeat(levels)}`);
  },
  'never closed': (frame, random) =>
    withText(frame, 'more', '{"a":'.repeat(1 + random.below(5_000))),
  'too long': (frame, random) => {
    const long = 'x'.repeat(256 * 1024 + 1 + random.below(1000));
    return JSON.stringify({
      ...frame,
      type: 'session.message',
      sessionId: INVALID_SESSION,
      payload: { text: long },
    });
  },
  'too many': (frame) => {
    const payload = { requestId: 'NEVER', answers: Array<string[]>(4097).fill(['x']) };
    return JSON.stringify({
      ...frame,
      type: 'question.response',
      sessionId: INVALID_SESSION,
      payload,
    });
  },
} satisfies Record<string, (frame: Json, random: SeededRandom) => string>;

const WRONG_KINDS = weighted({ 'too long': 1, 'too many': 1, 'never closed': 2, 'too deep': 3 });

/** The names, each repeated by its weight, 10 by default: large frames are rare. */
function weighted(rare: Partial<Record<keyof typeof WRONG, number>>): (keyof typeof WRONG)[] {
  const names = Object.keys(WRONG) as (keyof typeof WRONG)[];
  return names.flatMap((name) => Array<keyof typeof WRONG>(rare[name] ?? 10).fill(name));
}

function without(frame: Json, field: string): string {
  return JSON.stringify(Object.fromEntries(Object.entries(frame).filter(([key]) => key !== field)));
}

/** Replaces a field of the frame by raw JSON text. */
function withText(frame: Json, field: string, json: string): string {
  const text = without(frame, field);
  return `${text.slice(0, -1)},"${field}":${json}}`;
}

/** Puts the property into the envelope or the payload, never into JSON that nobody reads. */
function poisoned(frame: Json, random: SeededRandom): string {
  const name = random.pick(POISON_NAMES);
  const value = random.pick(['{"polluted":true}', '1', 'null']);
  if (random.next() < 0.5) return `{"${name}":${value},${JSON.stringify(frame).slice(1)}`;
  const payload = JSON.stringify(frame.payload).slice(1);
  const rest = payload === '}' ? payload : `,${payload}`;
  return withText(frame, 'payload', `{"${name}":${value}${rest}`);
}

/** Removes, doubles or replaces a few characters; the frame may still be valid. */
function damaged(random: SeededRandom, text: string): string {
  let now = text;
  for (let left = 1 + random.below(4); left > 0; left -= 1) {
    const at = random.below(now.length);
    const put = random.pick([
      '',
      '',
      '"',
      '{',
      '}',
      '[',
      ',',
      ':',
      '\\',
      '\u0000',
      '0',
      'e',
      '😀',
      '\ud800',
    ]);
    now = now.slice(0, at) + put + now.slice(at + random.below(4));
  }
  return now;
}

/** Violations of the WebSocket protocol, or of our limits on frames. */
function breach(random: SeededRandom): FuzzedFrame {
  const text = JSON.stringify({ v: 1, id: 'f', ts: 1, ...goodFrames(INVALID_SESSION, 'NEVER')[3] });
  const kinds: Record<string, () => Buffer> = {
    'binary frame': () => rawFrame(text, { opcode: OPCODE.binary }),
    'frame without mask': () => rawFrame(text, { masked: false }),
    'reserved bits': () => rawFrame(text, { reserved: 1 + random.below(7) }),
    'unknown opcode': () => rawFrame(text, { opcode: random.pick([3, 7, 11, 15]) }),
    'long control frame': () => rawFrame('x'.repeat(200), { opcode: OPCODE.ping }),
    'control frame in parts': () => rawFrame('x', { opcode: OPCODE.ping, last: false }),
    'end of nothing': () => rawFrame(text, { opcode: OPCODE.more }),
    'no UTF-8': () => rawFrame(Buffer.from([0x7b, 0xff, 0xfe, 0x7d])),
    'frame of 2 MiB': () => rawFrame(Buffer.alloc(2 * 1024 * 1024, 0x20)),
    'claim of 2^40 bytes': () => rawFrame('x', { claims: 2 ** 40 }),
    noise: () => Buffer.from(Array.from({ length: 64 }, () => 0x40 + random.below(0x40))),
  };
  const kind = random.pick(Object.keys(kinds));
  return { kind, bytes: kinds[kind]?.() ?? Buffer.alloc(0) };
}
