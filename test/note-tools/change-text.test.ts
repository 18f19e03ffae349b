import { describe, expect, test } from 'vitest';
import { changeText } from '../../src/core/tool/note/change-text';
import { fc } from '../seeded';

const lines = (count: number, name = 'line'): string =>
  Array.from({ length: count }, (_, at) => `${name} ${at + 1}\n`).join('');

describe('the diff of a change', () => {
  test('[VAULT1] hunks have three lines around them and say where they are', () => {
    const before = lines(20);
    const after = before.replace('line 3\n', 'third\n').replace('line 17\n', 'line 17\nmore\n');
    expect(changeText('A.md', before, after)).toBe(
      [
        '--- A.md',
        '+++ A.md',
        '@@ -1,6 +1,6 @@',
        ' line 1',
        ' line 2',
        '-line 3',
        '+third',
        ' line 4',
        ' line 5',
        ' line 6',
        '@@ -15,6 +15,7 @@',
        ' line 15',
        ' line 16',
        ' line 17',
        '+more',
        ' line 18',
        ' line 19',
        ' line 20',
      ].join('\n'),
    );
  });

  test('[VAULT1] a new note is all additions; a missing last line end, line ends and a byte order mark are told', () => {
    expect(changeText('A.md', undefined, 'a\nb')).toBe(
      '--- (no note)\n+++ A.md\n@@ -0,0 +1,2 @@\n+a\n+b\n\\ No newline at end of note',
    );
    expect(changeText('A.md', 'a\r\n', 'a\n')).toBe(
      '--- A.md\n+++ A.md\n\\ Line ends change from CRLF to LF\n@@ -1,1 +1,1 @@\n-a\n+a',
    );
    expect(changeText('A.md', '\uFEFFa\n', 'a\n')).toContain('-(byte order mark)a\n+a');
    expect(changeText('A.md', 'a', 'a')).toBe('--- A.md\n+++ A.md\n(nothing changes)');
  });

  test('[VAULT1] the diff of any change, applied, gives the note as it will be', () => {
    const note = fc
      .array(fc.constantFrom('a', 'b', 'c', '', '- [ ] x', '```'), { maxLength: 30 })
      .chain((all) => fc.constantFrom('', '\n').map((end) => all.join('\n') + end));
    let changed = 0;
    fc.assert(
      fc.property(note, note, (before, after) => {
        if (before !== after) changed += 1;
        expect(applied(before, changeText('A.md', before, after))).toBe(after);
      }),
      { numRuns: 1_000 },
    );
    expect(changed).toBeGreaterThan(500);
  });

  test('[VAULT2] long changes and long lines are cut, and by how much is told', () => {
    const text = changeText('A.md', '', lines(1_000));
    expect(text).toMatch(/\n… 601 more lines of this change$/);
    expect(changeText('A.md', '', `${'x'.repeat(5_000)}\n`)).toContain('… (4000 more characters)');
    expect(changeText('A.md', '', lines(1_000, 'y'.repeat(900))).length).toBeLessThan(25_000);
  });

  test('[VAULT2] what differs in many equal lines is told as a whole, not compared line by line', () => {
    const before = 'same\n'.repeat(20_000);
    const after = `first\n${'same\n'.repeat(10_000)}middle\n${'same\n'.repeat(10_000)}last\n`;
    const text = changeText('A.md', before, after);
    expect(text).toContain('@@ -1,20000 +1,20003 @@');
  });
});

/** Applies a unified diff to a text. */
function applied(before: string, diff: string): string {
  const was = before === '' ? [] : before.replace(/\n$/, '').split('\n');
  const rows = diff.split('\n').slice(2);
  if (rows[0] === '(nothing changes)') return before;
  const result: string[] = [];
  let at = 0;
  let open = !before.endsWith('\n');
  let last = ' ';
  for (const row of rows) {
    const head = /^@@ -(\d+),(\d+) \+\d+,\d+ @@$/.exec(row);
    if (head !== null) {
      const from = Number(head[1]) - (head[2] === '0' ? 0 : 1);
      while (at < from) result.push(was[at++] ?? '');
    } else if (row.startsWith('\\')) {
      if (last !== '-') open = true;
      else open = false;
    } else {
      last = row.charAt(0);
      if (last !== '+') expect(was[at++]).toBe(row.slice(1));
      if (last !== '-') result.push(row.slice(1));
      if (last === '+') open = false;
    }
  }
  while (at < was.length) result.push(was[at++] ?? '');
  if (result.length === 0) return '';
  return result.join('\n') + (open ? '' : '\n');
}
