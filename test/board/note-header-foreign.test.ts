import { describe, expect, test } from 'vitest';
import { bumpRev } from '../../src/core/board/note/edit-header';
import { giveId } from '../../src/core/board/note/give-id';
import { parseNote } from '../../src/core/board/note/parse-note';
import type { Problem } from '../../src/core/board/task';

const headed = (...lines: readonly string[]): string => `---\n${lines.join('\n')}\n---\n`;
const keys = ['board: 1', 'session: ses_1', 'agent: build', 'title: T', 'prefix: k3f9'];
const brokenBy = (text: string) => parseNote('p', text).board.broken;
const textOf = (result: { ok: boolean; text?: string; message?: string }): string => {
  if (result.text === undefined) throw new Error(result.message);
  return result.text;
};

/** line and shortened reason of each problem */
const told = (problems: readonly Problem[]) =>
  problems.map(({ line, reason }) => [line, reason.replace(/ up to .*$/, '')]);

/** values of `rev` other than whole numbers from 0 to 2^53 − 1 */
const FOREIGN = [
  'one',
  '1.5',
  '-1',
  '0x10',
  '9007199254740992',
  '99999999999999999999',
  '[1]',
  '{a: 1}',
  'true',
  '~',
  '""',
  "'one two'",
];

describe('what a person wrote in place of a value of ours', () => {
  test.each(FOREIGN)('[NOTE21] `rev: %s` counts as missing and is told with its line', (value) => {
    const { board } = parseNote('p', headed(...keys, `rev: ${value}`));
    expect(board).toMatchObject({ rev: 0, broken: null });
    expect(told(board.problems)).toEqual([[7, 'Line 7: "rev" is not a whole number']]);
  });

  test.each(['0', '17', '017', '" 17 "', '9007199254740991'])(
    '[NOTE21] `rev: %s` is a whole number',
    (value) => {
      const { board } = parseNote('p', headed(...keys, `rev: ${value}`));
      expect(board).toMatchObject({ rev: Number(value.replaceAll('"', '')), problems: [] });
    },
  );

  test('[NOTE65] a value of ours that continues on the next line opens the note read-only, with the line', () => {
    const reason = (key: string, line: number) =>
      `Line ${line}: "${key}" continues on the next line. Write its value on one line.`;
    const brokenAt = (...lines: readonly string[]) => brokenBy(headed(...keys, ...lines));
    for (const value of [
      '\n  some text',
      ' not\n  a number',
      ' |\n  4',
      '\n- 1',
      '\n  deep: 1',
      ' [1,\n  2]',
      ' {a: 1\n  }',
      ' "1\n  2"',
      '\n  # why\n  4',
    ]) {
      for (const key of ['rev', 'next', 'archived', 'continued', 'continues', 'shelved']) {
        expect(brokenAt('x: y', `${key}:${value}`, 'z: 1')).toMatchObject({
          line: 8,
          reason: reason(key, 8),
        });
      }
    }
    const folded = keys.map((key) => (key === 'title: T' ? 'title: >-\n  T' : key));
    expect(brokenBy(headed(...folded))).toMatchObject({ line: 5, reason: reason('title', 5) });
    expect(brokenAt('x: y\n  more', 'y:\n- 1', 'rev: 1 # one\n  # two', 'next:\n')).toBeNull();
  });

  test.each(FOREIGN)('[NOTE21] `rev: %s` is kept byte for byte', (value) => {
    const text = headed(...keys, `rev: ${value} # mine`);
    expect(textOf(bumpRev(parseNote('p', text)))).toBe(text);
  });

  test.each(['one', '1.5', '[1]', '1000000000000000', '~'])(
    '[NOTE21] `next: %s` is kept byte for byte, counts as missing and is told',
    (value) => {
      const text = `${headed(...keys, `next: ${value}`)}- [ ] a 🆔 k3f9-4\n- [ ] b\n`;
      const note = parseNote('p', text);
      expect(told(note.board.problems)).toEqual([[7, 'Line 7: "next" is not a whole number']]);
      expect(textOf(giveId(note, '@10'))).toBe(text.replace('] b', '] b 🆔 k3f9-5 ^k3f9-5'));
    },
  );
});
