import type { SeededRandom } from '../seeded';
import { cellBytes, handshakeMatrix, type MatrixCell, type MatrixKeys } from './handshake-matrix';

/** The bytes of a handshake that must be refused. */
export interface FuzzedHandshake {
  readonly kind: string;
  readonly bytes: Buffer;
}

/**
 * Generates handshakes for one bridge. Damaged ones never contain its token, so that no damage can
 * make them valid.
 */
export class HandshakeFuzz {
  readonly #refusedCells: readonly MatrixCell[];
  readonly #tokenlessCells: readonly MatrixCell[];

  constructor(keys: MatrixKeys) {
    const cells = handshakeMatrix(keys);
    this.#refusedCells = cells.filter(({ verdict }) => verdict !== 'in');
    this.#tokenlessCells = cells.filter((cell) => !cellBytes(cell).toString().includes(keys.token));
  }

  next(random: SeededRandom): FuzzedHandshake {
    if (random.next() < 0.25)
      return { kind: 'wrong values', bytes: cellBytes(random.pick(this.#refusedCells)) };
    const text = cellBytes(random.pick(this.#tokenlessCells)).toString('latin1');
    const kind = random.pick(KINDS);
    return { kind, bytes: Buffer.from(DAMAGE[kind](text, random), 'latin1') };
  }
}

type Damage = (text: string, random: SeededRandom) => string;

const DAMAGE = {
  'changed bytes': (text, random) => {
    let now = text;
    for (let left = 1 + random.below(8); left > 0; left -= 1) {
      const at = random.below(now.length);
      now = now.slice(0, at) + noise(random, random.below(3)) + now.slice(at + random.below(3));
    }
    return now;
  },
  'cut head': (text, random) => text.slice(0, random.below(text.length)),
  'large head': (text, random) =>
    insert(text, `X-Large: ${'x'.repeat(7_000 + random.below(20_000))}`),
  'many headers': (text, random) =>
    insert(
      text,
      Array.from({ length: 1 + random.below(3_000) }, (_, at) => `X-${at}: y`).join('\r\n'),
    ),
  'a header twice': (text, random) => insert(text, random.pick(lines(text).slice(1))),
  'a header less': (text, random) => {
    const all = lines(text);
    all.splice(1 + random.below(all.length - 1), 1);
    return `${all.join('\r\n')}\r\n\r\n`;
  },
  'other request': (text, random) =>
    text.replace(
      'GET / HTTP/1.1',
      random.pick([
        'POST / HTTP/1.1',
        'GET / HTTP/1.0',
        'GET /',
        'GET / HTTP/9.9',
        'CONNECT 127.0.0.1:80 HTTP/1.1',
        'GET /../../etc/passwd HTTP/1.1',
        `GET /${'a'.repeat(9_000)} HTTP/1.1`,
        'OPTIONS * HTTP/1.1',
        'PRI * HTTP/2.0',
      ]),
    ),
  'two in one': (text, random) =>
    insert(text, random.pick(['Content-Length: 10', 'Transfer-Encoding: chunked'])) + text,
  'bare line feeds': (text) => text.replaceAll('\r\n', '\n'),
  'TLS instead': (_, random) => `\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03${noise(random, 200)}`,
  noise: (_, random) => noise(random, 1 + random.below(2_000)),
} satisfies Record<string, Damage>;

const KINDS = Object.keys(DAMAGE) as (keyof typeof DAMAGE)[];

function lines(text: string): string[] {
  return text.split('\r\n').slice(0, -2);
}

/** Inserts a header line at the end of the head. */
function insert(text: string, line: string): string {
  return `${text.slice(0, -2)}${line}\r\n\r\n`;
}

function noise(random: SeededRandom, length: number): string {
  return Array.from({ length }, () => String.fromCharCode(random.below(256))).join('');
}
