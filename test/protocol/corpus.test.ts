import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { decodeFromBridge, decodeToBridge, encode } from '../../src/protocol/codec';
import { FROM_BRIDGE } from '../../src/protocol/from-bridge';
import { TO_BRIDGE } from '../../src/protocol/to-bridge';

/** A frame that was good or bad once stays so: files are added, never changed. */
interface Specimen {
  /** `to-bridge` or `from-bridge` */
  readonly direction: string;
  /** the type of the message and what is special about it */
  readonly name: string;
  readonly text: string;
}

function corpus(folder: 'good' | 'bad'): Specimen[] {
  const path = join(import.meta.dirname, '../corpus', folder);
  return readdirSync(path)
    .sort()
    .map((file) => {
      const [direction = '', ...name] = file.replace(/\.json$/, '').split('.');
      return { direction, name: name.join('.'), text: readFileSync(join(path, file), 'utf8') };
    });
}

function decode({ direction }: Specimen, frame: string) {
  return direction === 'to-bridge' ? decodeToBridge(frame) : decodeFromBridge(frame);
}

/** The types without a specimen. */
function missing(specimens: readonly Specimen[]): string[] {
  return [
    ...Object.keys(TO_BRIDGE).map((type) => ['to-bridge', type]),
    ...Object.keys(FROM_BRIDGE).map((type) => ['from-bridge', type]),
  ]
    .filter(
      ([direction, type]) =>
        !specimens.some(
          (one) => one.direction === direction && `${one.name}.`.startsWith(`${type}.`),
        ),
    )
    .map((pair) => pair.join(' '));
}

const good = corpus('good');
const bad = corpus('bad');

describe('corpus', () => {
  test('[WIRE1] has a good and a bad frame of every message', () => {
    expect([missing(good), missing(bad)]).toEqual([[], []]);
  });

  test.each(good.map((one) => [`${one.direction} ${one.name}`, one] as const))(
    '[WIRE1] good: %s',
    (_, one) => {
      const frame: unknown = JSON.parse(one.text);
      const decoded = decode(one, one.text);
      expect(decoded).toEqual({ ok: true, message: frame, removed: 0 });
      if (decoded.ok) expect(JSON.parse(encode(decoded.message))).toEqual(frame);
    },
  );

  test.each(bad.map((one) => [`${one.direction} ${one.name}`, one] as const))(
    '[WIRE2] bad: %s',
    (_, one) => {
      const { code, frame } = JSON.parse(one.text) as { code: string; frame: string };
      expect(decode(one, frame)).toMatchObject({ ok: false, error: { code } });
    },
  );
});
