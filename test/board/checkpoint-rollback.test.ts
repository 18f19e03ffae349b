import { describe, expect, test } from 'vitest';
import { rollBack } from '../../src/core/board/checkpoint/checkpoints';
import { boardChanges } from '../../src/core/board/digest';
import { parseNote } from '../../src/core/board/note/parse-note';

const path = '.opencode/todos/s/build-tasks.md';
const BEFORE = `---
board: 1
session: s
agent: build
title: T
prefix: k3f9
next: 7
rev: 4
---

# T

Words of the person.

## Ground

- [x] Choose 🆔 k3f9-1 🔼 ✅ 2026-11-20 ^k3f9-1
- [ ] Build [risk:: high] [own:: kept] #tag 🆔 k3f9-2 ⛔ k3f9-1 ⏫ ^k3f9-2
	Keep it small.
	- [ ] Deep 🆔 k3f9-3 ^k3f9-3
	- [ ] Deeper 🆔 k3f9-4 ^k3f9-4

## Release

- [ ] Ship 🆔 k3f9-5 ⛔ k3f9-2 ^k3f9-5
- [ ] typed by hand
`;

function back(now: string, before = BEFORE): { text: string; left: readonly string[] } {
  const options = { today: '2026-11-21', name: 'checkpoint 1' };
  const done = rollBack(parseNote(path, now), parseNote(path, before), options);
  if (!done.ok) throw new Error(done.message);
  return done;
}

function edited(...edits: readonly (readonly [string, string])[]): string {
  let text = BEFORE;
  for (const [from, to] of edits) {
    if (!text.includes(from)) throw new Error(`no ${from}`);
    text = text.replace(from, to);
  }
  return text;
}

describe('going back to a checkpoint', () => {
  test('[CHECK1] puts task lines back byte for byte, and leaves all other text as it is now', () => {
    const now = edited(
      ['Words of the person.', 'Other words.\n\n> A quote.'],
      ['[x] Choose 🆔 k3f9-1 🔼 ✅ 2026-11-20', '[ ] Choose well 🆔 k3f9-1'],
      ['[ ] Build [risk:: high]', '[/] Build it [risk:: low]'],
      ['Keep it small.', 'Keep it smaller.'],
      ['⛔ k3f9-2 ^', '^'],
      ['rev: 4', 'rev: 9'],
    );
    const expected = edited(
      ['Words of the person.', 'Other words.\n\n> A quote.'],
      ['Keep it small.', 'Keep it smaller.'],
      ['rev: 4', 'rev: 9'],
    );
    expect(back(now)).toMatchObject({ text: expected, left: [] });
    expect(back(BEFORE).text).toBe(BEFORE);
  });

  test('[CHECK2] puts back what is gone, with the text that was under it, in its old place', () => {
    const gone = edited(
      ['- [x] Choose 🆔 k3f9-1 🔼 ✅ 2026-11-20 ^k3f9-1\n', ''],
      ['\t- [ ] Deeper 🆔 k3f9-4 ^k3f9-4\n', ''],
    );
    const { board } = parseNote(path, back(gone).text);
    expect(board.tasks.map(({ n, parent, phase }) => [n, parent, phase])).toEqual([
      [2, null, 'Ground'],
      [3, 'k3f9-2', 'Ground'],
      [4, 'k3f9-2', 'Ground'],
      [1, null, 'Ground'],
      [5, null, 'Release'],
      [null, null, 'Release'],
    ]);
    const family = BEFORE.replace(/- \[ \] Build[^]*?\n\n/, '\n');
    const whole = back(family).text;
    expect(whole).toContain('⏫ ^k3f9-2\n\tKeep it small.\n\t- [ ] Deep 🆔 k3f9-3 ^k3f9-3\n');
    expect(boardChanges(parseNote(path, BEFORE).board, parseNote(path, whole).board)).toEqual([]);
  });

  test('[CHECK2] moves tasks back under their parent and heading', () => {
    const line = '- [ ] Ship 🆔 k3f9-5 ⛔ k3f9-2 ^k3f9-5\n';
    const now = edited(
      [line, ''],
      ['\t- [ ] Deeper 🆔 k3f9-4 ^k3f9-4\n', `- [ ] Deeper 🆔 k3f9-4 ^k3f9-4\n${line}`],
    );
    const { text } = back(now);
    expect(boardChanges(parseNote(path, BEFORE).board, parseNote(path, text).board)).toEqual([]);
  });

  test('[CHECK3] takes away what was added since; with text or other lines under it, it stays as cancelled', () => {
    const now = edited([
      '- [ ] typed by hand\n',
      [
        '- [ ] typed by hand',
        '- [ ] Added 🆔 k3f9-7 ^k3f9-7',
        '\t- [ ] Under it 🆔 k3f9-8 ^k3f9-8',
        '- [/] With text 🆔 k3f9-9 ^k3f9-9',
        '\tWhat I found.',
        '- [ ] With a line 🆔 k3f9-10 ^k3f9-10',
        '\t- [ ] mine',
        '- [ ] also by hand',
        '',
      ].join('\n'),
    ]);
    const { text } = back(now);
    const reason = '[reason:: Added after checkpoint 1, which the board was rolled back to]';
    expect(text.slice(text.indexOf('- [ ] typed'))).toBe(
      [
        '- [ ] typed by hand',
        `- [-] With text ${reason} 🆔 k3f9-9 ❌ 2026-11-21 ^k3f9-9`,
        '\tWhat I found.',
        `- [-] With a line ${reason} 🆔 k3f9-10 ❌ 2026-11-21 ^k3f9-10`,
        '\t- [ ] mine',
        '- [ ] also by hand',
        '',
      ].join('\n'),
    );
  });

  test('[CHECK3] a line that had no id keeps the one that it got, and says again what it said', () => {
    const now = edited([
      '- [ ] typed by hand',
      '- [x] typed by hand 🆔 k3f9-7 ⏫ ✅ 2026-11-21 ^k3f9-7',
    ]);
    expect(back(now).text).toBe(
      edited(['- [ ] typed by hand', '- [ ] typed by hand 🆔 k3f9-7 ^k3f9-7']),
    );
  });

  test('[CHECK4] a broken note is not written, and a broken checkpoint not gone back to', () => {
    const broken = parseNote(path, 'nothing');
    const whole = parseNote(path, BEFORE);
    const options = { today: '2026-11-21', name: 'checkpoint 1' };
    expect(rollBack(broken, whole, options)).toMatchObject({ code: 'broken_note' });
    expect(rollBack(whole, broken, options)).toMatchObject({ code: 'broken_note' });
  });
});
