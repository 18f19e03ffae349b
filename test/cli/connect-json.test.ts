import { parse, type ParseError } from 'jsonc-parser';
import { describe, expect, test } from 'vitest';
import { JsonText } from '../../src/cli/connect/json-edit';
import { fc } from '../seeded';

const KEYS = ['mcpServers', 'ours'];
const ENTRY = { command: '/n', args: ['a b', '"'] };

/** Gaps between tokens as people and programs write them: blanks, comments, JSONC's commas. */
const gap = fc.constantFrom(
  '',
  ' ',
  '\n',
  '\n  ',
  '\r\n\t',
  ' // c, {"\n',
  '/* }, */',
  ' /* a */ ',
);

function object(key: fc.Arbitrary<string>, value: fc.Arbitrary<string>): fc.Arbitrary<string> {
  const property = fc
    .tuple(gap, key, gap, gap, value, gap)
    .map(([a, name, b, c, inner, d]) => `${a}"${name}"${b}:${c}${inner}${d}`);
  return fc
    .tuple(fc.uniqueArray(property, { maxLength: 3, selector: nameOf }), fc.boolean(), gap)
    .map(([all, comma, end]) => `{${all.join(',')}${comma && all.length > 0 ? ',' : ''}${end}}`);
}

const nameOf = (property: string): string =>
  /"(\w+)"/.exec(property.replace(/\/\/.*|\/\*[^]*?\*\//g, ''))?.[1] ?? '';
const scalar = fc.constantFrom('1', 'null', '"x, }"', '[1, 2,]');
const other = object(fc.constantFrom('a', 'b', 'c'), scalar);
const servers = object(fc.constantFrom('a', 'b', 'c'), fc.oneof(scalar, other));
const file = fc
  .tuple(
    gap,
    object(fc.constantFrom('x', 'y', 'mcpServers'), servers),
    fc.constantFrom('', '\n', ' // end'),
  )
  .map((parts) => parts.join(''));

function read(text: string): Record<string, Record<string, unknown>> {
  const errors: ParseError[] = [];
  const value = parse(text, errors, { allowTrailingComma: true }) as Record<
    string,
    Record<string, unknown>
  >;
  expect(errors).toEqual([]);
  return value;
}

describe('an entry in a file of JSON with comments', () => {
  test('[CLIENT3] is added without a change of anything else, and taken away to the same bytes', () => {
    let [made, filled] = [0, 0];
    fc.assert(
      fc.property(file, (text) => {
        const before = read(text);
        if (before['mcpServers'] === undefined) made += 1;
        else filled += 1;
        const added = new JsonText('f', text).withValue(KEYS, ENTRY);
        expect(read(added.text)).toEqual({
          ...before,
          mcpServers: { ...before['mcpServers'], ours: ENTRY },
        });
        expect(added.withValue(KEYS, ENTRY).text).toBe(added.text);
        expect(added.withoutValue(KEYS).text).toBe(text);
      }),
      { numRuns: 500 },
    );
    expect(Math.min(made, filled)).toBeGreaterThan(50);
  });

  test('[CLIENT3] taken away from a file that was edited since, takes nothing else with it', () => {
    const text =
      '{\n  "mcpServers": {\n    "ours": { "command": "/n" } /* why */, // mine\n    "a": 1\n  }\n}\n';
    expect(new JsonText('f', text).withoutValue(KEYS).text).toBe(
      '{\n  "mcpServers": { /* why */ // mine\n    "a": 1\n  }\n}\n',
    );
  });

  test('[CLIENT3] a byte order mark stays', () => {
    const added = new JsonText('f', '\ufeff{}').withValue(KEYS, ENTRY);
    expect(added.text.startsWith('\ufeff{"mcpServers"')).toBe(true);
    expect(added.withoutValue(KEYS).text).toBe('\ufeff{}');
  });
});
