import { describe, expect, test } from 'vitest';
import { literalPattern, readPattern } from '../../src/core/permission/path-pattern';
import { PathMatcher } from '../../src/core/permission/vault-target';
import { fc } from '../seeded';
import { naiveMatch } from './naive-match';

function fits(pattern: string, path: string): boolean {
  const read = readPattern(pattern);
  if ('ok' in read) throw new Error(read.message);
  return new PathMatcher(path).matches(read);
}

function asRegExp(pattern: string): RegExp {
  const parts = /(?:\/\*{2,})+$|(?<=^|\/)(?:\*{2,}\/)+|\*{2,}|[^]/g;
  const source = pattern.replace(parts, (part) => {
    if (part.startsWith('/**')) return '(?:\\/[^]*)?';
    if (part.startsWith('**')) return part.endsWith('/') ? '(?:[^]*\\/)?' : '[^]*';
    return { '*': '[^/]*', '?': '[^/]' }[part] ?? part;
  });
  return new RegExp(`^${source}$`, 'u');
}

describe('patterns of paths', () => {
  test.each([
    ['Notes/a.md', 'Notes/a.md', true],
    ['Notes/a.md', 'Notes/a.mdx', false],
    ['Notes/*', 'Notes/a.md', true],
    ['Notes/*', 'Notes/deep/a.md', false],
    ['Notes/**', 'Notes/deep/a.md', true],
    ['Notes/**', 'Notes', true],
    ['Notes/**', 'Notes2/a.md', false],
    ['**/a.md', 'a.md', true],
    ['**/a.md', 'x/y/a.md', true],
    ['**/a.md', 'x/ya.md', false],
    ['x/**/a.md', 'x/a.md', true],
    ['x/**/a.md', 'x/y/z/a.md', true],
    ['**/.git/**', 'sub/.git', true],
    ['**/.git/**', 'sub/.git/config', true],
    ['**/.git/**', 'sub/.github/config', false],
    ['a**z', 'a/b/z', true],
    ['?.md', '😀.md', true],
    ['a?c', 'a/c', false],
    ['*.md', '.md', true],
    ['What\\?.md', 'What?.md', true],
    ['What\\?.md', 'Whats.md', false],
    ['**', 'any/thing', true],
    ['**/*', 'any', true],
    ['caf\u0065\u0301/**', 'café/x', true],
  ])('[PERM1] %s with %s: %s', (pattern, path, expected) => {
    expect(fits(pattern, path)).toBe(expected);
  });

  test('[PERM2] the matcher says what the definition says', () => {
    const seen = { yes: 0, no: 0 };
    const word = (chars: string[], maxLength: number) =>
      fc.array(fc.constantFrom(...chars), { minLength: 1, maxLength }).map((all) => all.join(''));
    const pattern = word(['a', 'b', '/', '*', '**', '**/', '/**', '?', '\\*'], 9);
    fc.assert(
      fc.property(pattern, word(['a', 'b', '/', 'a', '/a', '*'], 10), (written, path) => {
        const read = readPattern(written);
        if ('ok' in read) return;
        const naive = naiveMatch([...written], [...path]);
        seen[naive ? 'yes' : 'no'] += 1;
        expect([written, path, new PathMatcher(path).matches(read)]).toEqual([
          written,
          path,
          naive,
        ]);
      }),
      { numRuns: 6000 },
    );
    expect(Math.min(seen.yes, seen.no)).toBeGreaterThan(200);
  });

  test('[PERM2] and what a regular expression says of long paths', () => {
    const seen = { yes: 0, no: 0 };
    const text = (parts: string[], min: number, max: number) =>
      fc
        .array(fc.constantFrom(...parts), { minLength: min, maxLength: max })
        .map((all) => all.join(''));
    const pattern = text(['a', 'b', '/', '*', '**', '/**/', 'a?', 'a'.repeat(31), '*b/'], 1, 10);
    const path = text(['a', 'ab', '/', 'a'.repeat(29), 'b/', 'a'.repeat(33)], 1, 12);
    fc.assert(
      fc.property(pattern, path, (written, long) => {
        const read = readPattern(written);
        if ('ok' in read) return;
        const expected = asRegExp(read.text).test(long);
        seen[expected ? 'yes' : 'no'] += 1;
        expect([written, long, new PathMatcher(long).matches(read)]).toEqual([
          written,
          long,
          expected,
        ]);
      }),
      { numRuns: 9000 },
    );
    expect(Math.min(seen.yes, seen.no)).toBeGreaterThan(200);
  });

  test('[PERM2] also where places cross the words that hold them', () => {
    const long = 'ab/'.repeat(90);
    expect(fits(`**${'*b/'.repeat(30)}*`, long)).toBe(true);
    expect(fits(`**${'*b/'.repeat(80)}*c`, long)).toBe(false);
    expect(fits(`${'?'.repeat(40)}*z`, `${'y'.repeat(200)}z`)).toBe(true);
    expect(fits('*'.concat('x'.repeat(33)), 'x'.repeat(200))).toBe(true);
    expect(fits(`${'*a'.repeat(100)}*b`, 'a'.repeat(250))).toBe(false);
    expect(fits(`${'*a'.repeat(100)}*b`, `${'a'.repeat(100)}b`)).toBe(true);
    expect(fits(`${'*a'.repeat(101)}*b`, `${'a'.repeat(100)}b`)).toBe(false);
  });

  test('[PERM3] a literal pattern fits its own path and no other', () => {
    const path = fc.string({
      minLength: 1,
      maxLength: 12,
      unit: fc.constantFrom('a', '*', '?', '/', 'é'),
    });
    fc.assert(
      fc.property(path, path, (one, other) => {
        fc.pre(one.split('/').every((name) => name !== ''));
        expect(fits(literalPattern(one), one)).toBe(true);
        expect(fits(literalPattern(one), other)).toBe(one === other);
      }),
    );
  });

  test.each([
    ['', 'empty'],
    ['x'.repeat(257), 'too long. Use at most 256'],
    ['a\\b', 'backslash'],
    ['/etc/**', 'begins with "/"'],
    ['a//b', 'contains "//"'],
    ['Projects/', 'Use Projects/** for the folder'],
    ['a\u0000', 'control character'],
    ['a\ud800', 'control character'],
  ])('[PERM4] %j is refused with what to do', (pattern, words) => {
    expect(readPattern(pattern)).toMatchObject({ ok: false, code: 'bad_pattern' });
    expect(readPattern(pattern)).toHaveProperty('message', expect.stringContaining(words));
  });
});
