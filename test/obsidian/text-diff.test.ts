import { describe, expect, test } from 'vitest';
import { textDiff, type DiffLine } from '../../src/obsidian/ui/text-diff';
import { changeView } from '../../src/obsidian/ask/ask-text';
import { fc } from '../seeded';
import { AFTER, BEFORE } from './ask-fixture';

/** A line as a person sees it: numbers, sign, text with the marked words in brackets. */
function shown(line: DiffLine): string {
  if (line.kind === 'place') return line.text;
  if (line.kind === 'same') return `${line.before} ${line.after}   ${line.text}`;
  let [text, at] = ['', 0];
  for (const [from, to] of line.marks) {
    text += `${line.text.slice(at, from)}[${line.text.slice(from, to)}]`;
    at = to;
  }
  text += line.text.slice(at) + (line.end === undefined ? '' : ` (${line.end})`);
  return line.kind === 'removed' ? `${line.before}    - ${text}` : `   ${line.after} + ${text}`;
}

describe('the change of a note', () => {
  test('[ASK2] stands line by line with its numbers, and the words that differ are marked', () => {
    expect(textDiff(BEFORE, AFTER).map(shown)).toEqual([
      'Lines 11 to 20 of 20',
      '11 11   ',
      '12 12   ## On disk',
      '13    - One file, written [on every change].',
      '14    - [Nothing is kept if the app closes first.]',
      '   13 + One file [per 256 notes], written [when idle].',
      '   14 + [A journal holds what is not written yet.]',
      '   15 + ',
      '   16 + [- [[Offline search]] reads the journal first.]',
      '   17 + [- A damaged file is rebuilt from its notes.]',
      '   18 + ',
      '15 19   ## Limits',
      '16 20   40 MB for a vault of 10,000 notes.',
    ]);
  });

  test('[ASK2] changes that are far apart stand apart, those that are near together', () => {
    const lines = Array.from({ length: 30 }, (_, at) => `line ${at + 1}\n`);
    const before = lines.join('');
    const after = before
      .replace('line 5\n', '')
      .replace('line 9\n', 'nine\n')
      .replace('line 25\n', 'line 25\nmore\n');
    expect(
      textDiff(before, after)
        .filter(({ kind }) => kind !== 'same')
        .map(shown),
    ).toEqual([
      'Lines 3 to 10 of 30',
      '5    - line 5',
      '9    - [line 9]',
      '   8 + [nine]',
      'Lines 23 to 27 of 30',
      '   25 + more',
    ]);
  });

  test.each([
    ['a\nb\n', 'a\r\nb\n', ['1    - a', '   1 + a (ends with CR LF)']],
    ['a\r\nb\r\n', 'a\r\nb\n', ['2    - b', '   2 + b (ends with LF)']],
    ['a\n', 'a', ['1    - a', '   1 + a (no line end)']],
    ['', 'a', ['   1 + a (no line end)']],
    ['a\n', '', ['1    - a']],
    ['a\n', 'a\n', []],
  ])('[ASK2] how lines end is told where it differs: %j to %j', (before, after, lines) => {
    expect(
      textDiff(before, after)
        .filter(({ kind }) => kind === 'added' || kind === 'removed')
        .map(shown),
    ).toEqual(lines);
  });

  test('[ASK2] each text is told exactly by what is shown of it', () => {
    const line = fc.constantFrom('a', 'b', 'b c', 'c d e', '', ' x');
    const text = fc
      .array(fc.tuple(line, fc.constantFrom('\n', '\n', '\n', '\r\n', '\r')))
      .chain((all) => fc.tuple(fc.constant(all.map((one) => one.join('')).join('')), line))
      .map((parts) => parts.join(''));
    let changed = 0;
    fc.assert(
      fc.property(text, text, (before, after) => {
        const lines = textDiff(before, after);
        if (before !== after) changed += 1;
        expect(lines.length === 0).toBe(before === after);
        const [was, is] = [split(before), split(after)];
        for (const one of lines) {
          if (one.kind === 'same' || one.kind === 'removed') {
            expect(was[one.before - 1]).toBe(one.text);
          }
          if (one.kind === 'same' || one.kind === 'added') expect(is[one.after - 1]).toBe(one.text);
        }
        const removed = lines.filter(({ kind }) => kind === 'removed').length;
        const added = lines.filter(({ kind }) => kind === 'added').length;
        expect(was.length - removed + added).toBe(is.length);
      }),
      { numRuns: 500 },
    );
    expect(changed).toBeGreaterThan(300);
  });

  test('[ASK4] a note that is rewritten whole, with the same few lines all over, takes no time', () => {
    const paragraphs = (word: string) =>
      Array.from({ length: 10_000 }, (_, at) => `${word} ${at}\n\n`).join('');
    const lines = textDiff(paragraphs('old'), paragraphs('new'));
    expect(lines.filter(({ kind }) => kind === 'added').length).toBeGreaterThanOrEqual(10_000);
    const few = (from: number) =>
      Array.from({ length: 10_000 }, (_, at) => `- ${(at * from) % 7}\n`).join('');
    expect(textDiff(few(3), few(5)).length).toBeGreaterThan(1);
  });

  test('[ASK4] it is worked out once for a request', () => {
    const change = { before: 'a\n', after: 'b\n' };
    expect(changeView(change)).toBe(changeView(change));
  });

  test.each([
    [undefined, 'a\nb\n', '2 lines added · 4 bytes'],
    ['a\n', '', '1 line removed · 2 bytes to 0 bytes'],
    ['a\n', 'ä'.repeat(600), '1 line added, 1 removed · 2 bytes to 1.2 kB'],
    ['a', 'a', 'No line changes · 1 byte to 1 byte'],
  ])('[ASK2] lines and bytes are counted: %j to %j', (before, after, words) => {
    expect(changeView({ before, after }).words).toBe(words);
  });
});

function split(text: string): readonly string[] {
  const lines = text.split(/\r\n|\r|\n/);
  return lines.at(-1) === '' ? lines.slice(0, -1) : lines;
}
