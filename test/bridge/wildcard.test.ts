import { describe, expect, test } from 'vitest';
import { matchesWildcard } from '../../src/bridge/opencode/permission-defaults';
import { fc } from '../seeded';

describe('wildcards of OpenCode', () => {
  test('[BRIDGE31] stars cross slashes, a trailing " *" may be missing', () => {
    expect(matchesWildcard('a/b/c', 'a*c')).toBe(true);
    expect(matchesWildcard('edit', 'edit*')).toBe(true);
    expect(matchesWildcard('edit', 'ed?t')).toBe(true);
    expect(matchesWildcard('edit', 'ed?it')).toBe(false);
    expect(matchesWildcard('git', 'git *')).toBe(true);
    expect(matchesWildcard('git status', 'git *')).toBe(true);
    expect(matchesWildcard('gitk', 'git *')).toBe(false);
    expect(matchesWildcard('a.b', 'a.b')).toBe(true);
    expect(matchesWildcard('axb', 'a.b')).toBe(false);
  });

  test('[BRIDGE31] the same as a regular expression made of the pattern', () => {
    let matched = 0;
    const letters = fc.string({ unit: fc.constantFrom('a', 'b', '/'), maxLength: 8 });
    const patterns = fc.string({ unit: fc.constantFrom('a', 'b', '/', '*', '?'), maxLength: 6 });
    fc.assert(
      fc.property(letters, patterns, (text, pattern) => {
        const naive = new RegExp(`^${pattern.replaceAll('*', '.*').replaceAll('?', '.')}$`, 's');
        const expected = naive.test(text);
        if (expected) matched++;
        expect(matchesWildcard(text, pattern)).toBe(expected);
      }),
      { numRuns: 2000 },
    );
    expect(matched).toBeGreaterThan(50);
  });
});
