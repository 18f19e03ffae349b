import { CHAT, MESSAGES, type GoodStream } from '../test/model/good-streams';
import { frames } from '../test/model/model-server';
import { SeededRandom } from './seeded';

type Dialect = 'openai' | 'anthropic';

/** A malformed answer of a provider. */
export interface BadStream {
  readonly name: string;
  readonly kind: 'cut' | 'broken' | 'wrong JSON' | 'wrong order' | 'huge' | 'endless' | 'silent';
  readonly dialect: Dialect;
  readonly bytes: Uint8Array;
  /** what happens to the connection after the bytes; `again`: the same bytes are repeated forever */
  readonly then: 'end' | 'break' | 'wait' | 'again';
}

const GOOD: readonly (readonly [Dialect, GoodStream])[] = [
  ['openai', CHAT],
  ['anthropic', MESSAGES],
];

/** The full text; a cut answer holds a prefix of it. */
export const WHOLE_TEXT = 'Grüße 👋 日本';

/** Returns at least 200 streams; a share of 1 cuts and breaks the answers after every byte. */
export function badStreams(share: number, seed: number): readonly BadStream[] {
  return GOOD.flatMap(([dialect, good]) => [
    ...cuts(dialect, good, share, seed),
    ...wrongFrames(dialect, good),
    ...withoutEnd(dialect, share),
  ]);
}

function cuts(
  dialect: Dialect,
  { completePrefix: enough }: GoodStream,
  share: number,
  seed: number,
): readonly BadStream[] {
  const all = new TextEncoder().encode(enough);
  const step = Math.max(1, Math.floor(Math.min(1 / share, all.length / 40)));
  const first = new SeededRandom(seed).below(step);
  const places = Array.from(
    { length: Math.ceil((all.length - first) / step) },
    (_, n) => first + n * step,
  );
  return places.flatMap((at) => {
    const bytes = all.subarray(0, at);
    const name = `${dialect} at byte ${at}`;
    return [
      { name: `${name}, ended`, kind: 'cut', dialect, bytes, then: 'end' },
      { name: `${name}, broken`, kind: 'broken', dialect, bytes, then: 'break' },
    ] as const;
  });
}

/** Each frame of a good answer truncated, duplicated, dropped, or swapped with the next. */
function wrongFrames(dialect: Dialect, { text }: GoodStream): readonly BadStream[] {
  const parts = text.split('\n\n').filter((part) => part !== '');
  const bad = (kind: BadStream['kind'], name: string, changed: readonly string[]): BadStream => ({
    ...{ name: `${dialect}: ${name}`, kind, dialect, then: 'end' },
    bytes: new TextEncoder().encode(changed.map((part) => `${part}\n\n`).join('')),
  });
  return parts.flatMap((part, at) => {
    const [before, after] = [parts.slice(0, at), parts.slice(at + 1)];
    const [next, ...rest] = after;
    const half = part.slice(0, part.length - Math.ceil(part.length / 3));
    return [
      bad('wrong JSON', `frame ${at} cut short`, [...before, half, ...after]),
      bad('wrong order', `frame ${at} missing`, [...before, ...after]),
      bad('wrong order', `frame ${at} twice`, [...before, part, part, ...after]),
      ...(next === undefined
        ? []
        : [bad('wrong order', `frame ${at} behind the next`, [...before, next, part, ...rest])]),
    ];
  });
}

/** Endless words take 50 MB in memory, on disk and in the next request, so a small share skips them. */
function withoutEnd(dialect: Dialect, share: number): readonly BadStream[] {
  const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);
  const huge = bytesOf(`data: {"x":"${'x'.repeat(10_000_000)}"}\n\n`);
  const comment = bytesOf(': still here\n\n');
  const words = frames({ choices: [{ delta: { content: 'word '.repeat(20_000) } }] });
  const silent = { kind: 'silent', dialect } as const;
  return [
    { name: `${dialect}: a line of 10 MB`, kind: 'huge', dialect, bytes: huge, then: 'end' },
    { name: `${dialect}: nothing`, ...silent, bytes: bytesOf(''), then: 'wait' },
    ...(dialect === 'openai' || share >= 0.1
      ? [
          {
            ...{ name: `${dialect}: comments for ever`, ...silent },
            ...({ bytes: comment, then: 'again' } as const),
          },
        ]
      : []),
    ...(dialect === 'openai' && share >= 0.1
      ? [
          {
            ...({ name: 'openai: words for ever', kind: 'endless', dialect } as const),
            ...({ bytes: bytesOf(words), then: 'again' } as const),
          },
        ]
      : []),
  ];
}
