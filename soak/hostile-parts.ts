import type { SeededRandom } from './seeded';

/** Texts that people, models and attackers put where something else is expected. */
const HOSTILE: readonly string[] = [
  ...[
    '',
    ' ',
    '\t',
    '\0',
    '\u0007',
    '\u001b[31m',
    '\r',
    '\r\n',
    '\n',
    '\u2028',
    '\u0085',
    '\ufeff',
  ],
  ...[
    '\u202e',
    '\u2066',
    '\u200b',
    '\ufffd',
    '\ufe0f',
    '\u{1f468}\u200d\u{1f469}',
    'e\u0301',
    '\u{10ffff}',
  ],
  ...[
    '__proto__',
    'constructor',
    'prototype',
    'toString',
    'hasOwnProperty',
    '__proto__: {polluted: 1}',
  ],
  ...[
    '---',
    '...',
    '----',
    '```',
    '~~~~',
    '````js',
    '%%',
    '<!--',
    '-->',
    '$$',
    '> ',
    '>> [!note]-',
  ],
  ...['<<<<<<< HEAD', '=======', '>>>>>>> theirs', '||||||| base'],
  ...['- [ ] ', '- [x]', '* [/] x', '12) [ ] y', '- [', '- []', '- [  ] ', '+ [\t] ', '-[ ] '],
  ...[
    '🆔 ',
    '🆔 k3f9-2',
    '⛔ k3f9-2,k3f9-2,',
    '📅 2026-99-99',
    '✅ 0000-00-00',
    '⏫🔺⏬',
    '🔁 ',
    '^',
    '^k3f9-2',
  ],
  ...[
    '[owner:: ]',
    '[owner:: [[x]]]',
    '[::]',
    '[id:: k3f9-2]',
    '(priority:: high)',
    '[__proto__:: x]',
  ],
  ...[
    '&#0;',
    '&#x202e;',
    '&amp;',
    '\\',
    '\\\\\\',
    '\\🆔',
    '`',
    '``a',
    '[[',
    ']]',
    '![[',
    '](javascript:x)',
  ],
  ...[
    '<img src=x onerror=alert(1)>',
    '<script>',
    '{{7*7}}',
    '${process.exit()}',
    '$(rm -rf .)',
    "'; --",
  ],
  ...[
    '&a [*a]',
    '*a',
    '!!js/function x',
    '!!binary x',
    '<<: *a',
    '? [a]: b',
    '{a: [b, {c: ',
    '"',
    "'",
    '|',
    '>-',
    '@',
    '%YAML 9',
  ],
  ...[
    '../../x',
    '/etc/passwd',
    'C:\\x',
    'con',
    'nul.md',
    '%2e%2e%2f',
    'file://x',
    'k3f9-999999999999999999999',
  ],
  ...[
    'k3f9--1',
    'k3f9-1e9',
    'NaN',
    'Infinity',
    '-0',
    '1e400',
    '0x10',
    'true',
    'null',
    '~',
    '[]',
    '{}',
    '2026-11-21',
  ],
];

/** One of the hostile texts, or a long, deeply nested or combined one. */
export function hostilePart(random: SeededRandom): string {
  const one = (): string => random.pick(HOSTILE);
  switch (random.below(12)) {
    case 0:
      return one().repeat(1 + random.below(300));
    case 1:
      return '['.repeat(1 + random.below(2_000));
    case 2:
      return `${'a'.repeat(random.below(20_000))}${one()}`;
    case 3:
      return `${'\t'.repeat(random.below(40))}${one()}`;
    case 4:
    case 5:
      return `${one()}${one()}${one()}`;
    case 6:
      return `x ${one()} y`;
    default:
      return one();
  }
}

/** Now and then returns a text that has no UTF-8 form: JSON can deliver such arguments. */
export function hostileArgument(random: SeededRandom): unknown {
  switch (random.below(10)) {
    case 0:
      return random.pick<unknown>([null, 0, -1, 1e308, true, [], {}, [[]], { toString: 1 }]);
    case 1:
      return `\ud800${hostilePart(random)}`;
    case 2:
      return JSON.parse('{"__proto__": {"polluted": true}}') as unknown;
    default:
      return hostilePart(random);
  }
}
