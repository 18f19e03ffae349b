import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { decodeFromBridge, decodeToBridge } from '../../src/protocol/codec';

const folder = join(import.meta.dirname, '../corpus/good');
const frames = readdirSync(folder).map((file) => ({
  file,
  decode: file.startsWith('to-bridge') ? decodeToBridge : decodeFromBridge,
  text: JSON.stringify(JSON.parse(readFileSync(join(folder, file), 'utf8'))),
}));

/** The names in plain form and with an escape. */
const NAMES = ['__proto__', 'constructor', 'prototype', '\\u005f_proto__', 'prot\\u006ftype'];
const VALUES = ['{"polluted":true}', 'null', '[1]', '"x"'];

/** Offsets after each brace that opens an object, ignoring strings. */
function objectStarts(text: string): number[] {
  const strings = [...text.matchAll(/"(?:[^"\\]|\\.)*"/g)].map(({ index, 0: { length } }) => ({
    from: index,
    to: index + length,
  }));
  return [...text.matchAll(/\{/g)]
    .map(({ index }) => index + 1)
    .filter((at) => strings.every(({ from, to }) => at <= from || at > to));
}

function put(text: string, at: number, json: string): string {
  return `${text.slice(0, at)}${json}${text[at] === '}' ? '' : ','}${text.slice(at)}`;
}

describe('dangerous names in every object of every message', () => {
  test('[FAULT4] refuse the frame, or are removed where nobody reads them; no prototype changes', () => {
    const found = { refused: 0, removed: 0 };
    for (const { file, decode, text } of frames) {
      for (const at of objectStarts(text)) {
        for (const name of NAMES) {
          for (const value of VALUES) {
            const where = `${file} at ${at}: ${name}`;
            const decoded = decode(put(text, at, `"${name}":${value}`));
            if (decoded.ok) {
              expect(decoded.removed, where).toBe(1);
              expect(JSON.stringify(decoded.message), where).not.toMatch(
                /"(__proto__|constructor|prototype)":/,
              );
              found.removed += 1;
            } else {
              expect(decoded.error.code, where).toBe('bad_message');
              found.refused += 1;
            }
          }
        }
      }
    }
    expect('polluted' in {}).toBe(false);
    expect(Object.keys(Object.prototype)).toEqual([]);
    expect(found.refused).toBeGreaterThan(1_000);
    expect(found.removed).toBeGreaterThan(100);
  });

  test('[FAULT4] every depth and every size of a hostile document ends in an answer', () => {
    for (const { decode, text } of frames) {
      for (const levels of [63, 64, 65, 1_000, 100_000]) {
        for (const [open, close] of [
          ['[', ']'],
          ['{"a":', '}'],
        ] as const) {
          const deep = `"deep":${open.repeat(levels)}1${close.repeat(levels)}`;
          const decoded = decode(put(text, 1, deep));
          expect(decoded.ok ? 'read' : decoded.error.code).toBe(levels < 64 ? 'read' : 'bad_json');
        }
      }
    }
  });
});
