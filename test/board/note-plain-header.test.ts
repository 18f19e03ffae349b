import { describe, expect, test } from 'vitest';
import { plainHeader, readYaml } from '../../src/core/board/note/header';
import { fc } from '../seeded';

const RUNS = 20_000;

describe('the quick way to read a header reads what YAML reads', () => {
  test('[NOTE61] a header that programs write is read as YAML reads it', () => {
    const keys = fc.constantFrom('board', 'title', 'rev', 'a_b', 'y', 'null', '1', 'tags');
    const values = fc.oneof(
      fc.constantFrom('1', 'ses_1', 'a b', 'yes', '~', '0x1F', '1e3', 'a: b', 'a #b', '- x', ''),
      fc.constantFrom('"q"', "it's", '>-', '|', '*a', '&a', '!t', '{a}', '[a]', 'a ', '2026-11-20'),
      fc.string({ unit: fc.constantFrom(...'aZ09 ._/()-:#,\'"é\t'), maxLength: 6 }),
    );
    const rows = fc
      .tuple(
        keys,
        fc.constantFrom(': ', ': ', ':  ', ':', ' : '),
        values,
        fc.constantFrom('\n', '\r\n'),
      )
      .map((parts) => parts.join(''));
    const odd = fc.constantFrom(
      '  more\n',
      '# comment\n',
      '\n',
      '---\n',
      '...\n',
      '\tx\n',
      '- x\n',
    );
    let quick = 0;
    const row = fc.oneof({ weight: 12, arbitrary: rows }, { weight: 1, arbitrary: odd });
    fc.assert(
      fc.property(fc.array(row, { minLength: 1, maxLength: 4 }), (all) => {
        const yaml = all.join('');
        const values = plainHeader(yaml, 4);
        if (values === undefined) return;
        expect(readYaml(yaml, 4)).toEqual({ ok: true, values });
        quick += 1;
      }),
      { numRuns: RUNS },
    );
    expect(quick).toBeGreaterThan(RUNS / 50);
  });
});
