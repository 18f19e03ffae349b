import { describe, expect, test } from 'vitest';
import { fittingLines } from '../../src/core/tool/note/note-part';
import { readNoteTool } from '../../src/core/tool/note/read-note';
import { fc } from '../seeded';
import { MemoryNotes } from './memory-notes';
import { planOf, read, textOf } from './run-plan';

const NOTE = `---
tags: [a]
---
# Plan
First words. ^intro

## Goals
- one
- two ^two
  - inner
- three

### 2026
deep
## Goals
again
\`\`\`
## Not a heading
\`\`\`
| a | b |
| - | - |

^table
`;

const note = (text: string) => readNoteTool(new MemoryNotes({ 'A.md': text }));
const part = async (args: object, text = NOTE): Promise<string> =>
  textOf(await read(note(text), { path: 'A.md', ...args }));

describe('obsidian.read_note', () => {
  test('[VAULT10] a whole note comes as it is, behind a line that says which lines these are', async () => {
    expect(await part({})).toBe(`A.md, lines 1–23 of 23\n\n${NOTE}`);
    expect(await part({}, '')).toBe('A.md is empty.');
    expect(await part({}, 'a\r\nb')).toBe('A.md, lines 1–2 of 2\n\na\r\nb');
  });

  test('[VAULT10] lines count from 1, both included; beyond the end they end with the note', async () => {
    expect(await part({ lines: { from: 4, to: 5 } })).toBe(
      'A.md, lines 4–5 of 23\n\n# Plan\nFirst words. ^intro\n',
    );
    expect(await part({ lines: { from: 23, to: 900 } })).toMatch(/^A\.md, lines 23–23 of 23\n\n/);
    expect(await part({ lines: { from: 24 } })).toBe(
      'The note has the lines 1 to 23. Send lines within.',
    );
    expect(await part({ lines: { from: 5, to: 4 } })).toContain('Send lines within.');
  });

  test('[VAULT11] a heading gives its section; one inside another, with its marks or in another case too', async () => {
    expect(await part({ heading: 'Goals' })).toBe(
      `A.md, lines 7–14 of 23; the heading stands in line 15 too\n\n${NOTE.slice(NOTE.indexOf('## Goals'), NOTE.indexOf('## Goals\nagain'))}`,
    );
    expect(await part({ heading: '## goals' })).toContain('lines 7–14 of 23');
    expect(await part({ heading: 'Goals#2026' })).toBe(
      'A.md, lines 13–14 of 23\n\n### 2026\ndeep\n',
    );
  });

  test('[VAULT11] a heading that is not there names the nearest; one in code is none', async () => {
    expect(await part({ heading: 'Goal' })).toBe(
      'The note has no heading "Goal". Nearest: "Goals" (line 7), "Goals" (line 15).',
    );
    expect(await part({ heading: 'Not a heading' })).toContain('has no heading');
    expect(await part({ heading: 'x' }, 'none')).toContain('It has no headings.');
  });

  test('[VAULT11] a block id gives the paragraph, the list item with what belongs to it, or the table', async () => {
    expect(await part({ block: 'intro' })).toBe('A.md, lines 5–5 of 23\n\nFirst words. ^intro\n');
    expect(await part({ block: '^two' })).toBe('A.md, lines 9–10 of 23\n\n- two ^two\n  - inner\n');
    expect(await part({ block: 'table' })).toContain('| a | b |\n| - | - |\n\n^table\n');
    expect(await part({ block: 'none' })).toContain('no block "^none"');
  });

  test('[VAULT10] arguments that say nothing count as not sent', async () => {
    const args = { heading: '', block: null, lines: { from: 0, to: 0 } };
    expect(await part(args)).toContain('lines 1–23 of 23');
    expect(planOf(note(''), { path: 'A.md', heading: 'a', block: 'b' })).toMatchObject({
      code: 'bad_arguments',
    });
  });

  test('[VAULT12] a long note is cut at a line end and says how to go on; a long line says what is left out', async () => {
    const text = Array.from({ length: 3_120 }, (_, at) => `line ${at + 1}\n`).join('');
    const first = await part({}, text);
    expect(first).toMatch(/^A\.md, lines 1–497 of 3,120; ask for lines from 498\n\nline 1\n/);
    expect(first.split('\n')).toHaveLength(500);
    let read = '';
    let from = 1;
    for (let pages = 0; from <= 3_120 && pages < 10; pages += 1) {
      const page = await part({ lines: { from } }, text);
      read += page.slice(page.indexOf('\n\n') + 2);
      from = Number(/ask for lines from (\d+)/.exec(page)?.[1] ?? Infinity);
    }
    expect(read).toBe(text);
    const long = await part({}, `${'ä'.repeat(60_000)}\nnext\n`);
    expect(long).toMatch(
      /^A\.md, lines 1–1 of 2; 36,001 characters at the end of line 1 are left out; ask for lines from 2\n/,
    );
  });

  test('[VAULT12] what is told is the note itself, character for character, and fits an answer', () => {
    const line = fc.oneof(
      fc.string({ maxLength: 20 }),
      fc.constantFrom('ä'.repeat(40), '\u{1F600}x'),
    );
    const ends = fc.constantFrom('\n', '\r\n', '\r');
    const rows = fc.array(fc.tuple(line, ends), { minLength: 1, maxLength: 30 });
    let cut = 0;
    fc.assert(
      fc.property(
        rows,
        fc.nat(40),
        fc.nat(40),
        fc.integer({ min: 1, max: 90 }),
        (all, a, b, bytes) => {
          const text = all.map(([words, end]) => words.replaceAll(/[\r\n]/g, '.') + end).join('');
          const starts = startsOf(text);
          const from = 1 + (a % starts.length);
          const to = Math.max(from, 1 + (b % starts.length));
          const room = { lines: 5, bytes };
          const given = fittingLines(text, starts, { from, to }, room);
          const begin = starts[from - 1] ?? 0;
          expect(text.startsWith(given.text, begin)).toBe(true);
          const end = begin + given.text.length + given.left;
          expect(end).toBe(starts[given.to] ?? text.length);
          expect(new TextEncoder().encode(given.text).length).toBeLessThanOrEqual(
            Math.max(bytes, 4),
          );
          expect(given.to - from).toBeLessThan(5);
          if (given.to < to || given.left > 0) cut += 1;
        },
      ),
    );
    expect(cut).toBeGreaterThan(10);
  });

  test('[VAULT13] a note that is not there, or leads elsewhere by the time it was read, is not told', async () => {
    expect(textOf(await read(note(NOTE), { path: 'B.md' }))).toContain('There is no note B.md.');
    const moved = await read(note('secret'), { path: 'A.md' }, () => false);
    expect(textOf(moved)).toContain('There is no note A.md.');
  });
});

function startsOf(text: string): readonly number[] {
  const starts = [0];
  for (const { 0: end, index } of text.matchAll(/\r\n|\r|\n/g)) starts.push(index + end.length);
  return starts.at(-1) === text.length ? starts.slice(0, -1) : starts;
}
