import { describe, expect, test } from 'vitest';
import { bumpRev, newNoteText, setTitle } from '../../src/core/board/note/edit-header';
import { giveId } from '../../src/core/board/note/give-id';
import { drawPrefix } from '../../src/core/board/note/ids';
import { parseNote } from '../../src/core/board/note/parse-note';

const headed = (...lines: readonly string[]): string => `---\n${lines.join('\n')}\n---\n`;
const keys = ['board: 1', 'session: ses_1', 'agent: build', 'title: T', 'prefix: k3f9'];
const brokenBy = (text: string) => parseNote('p', text).board.broken;
const textOf = (result: { ok: boolean; text?: string; message?: string }): string => {
  if (result.text === undefined) throw new Error(result.message);
  return result.text;
};

describe('a header that cannot be read', () => {
  test.each([
    ['', 1, 'Line 1: the header is missing. Begin the note with "---" and "board: 1".'],
    [
      '# T\n- [ ] a\n',
      1,
      'Line 1: the header is missing. Begin the note with "---" and "board: 1".',
    ],
    [
      '---\nboard: 1\nsession: s\nagent: a\ntitle: T\nprefix: k3f9\n\n# T\n- [ ] a\n',
      6,
      'Line 6: the header is not closed. Add "---" after it.',
    ],
    [
      '---\nboard: 1\nsession: s\nagent: a\ntitle: T\nprefix: k3f9\n\n# T\n- [ ] a\n\n---\n',
      6,
      'Line 6: the header is not closed. Add "---" after it.',
    ],
    [
      headed('board: 1', 'session: a: b', 'agent: a', 'prefix: k3f9'),
      3,
      "Line 3: the header can't be read (bad indentation of a mapping entry). Correct it.",
    ],
    [
      headed('board: 1', 'session: &x s', 'agent: *x', 'prefix: k3f9'),
      3,
      'Line 3: the header uses an anchor, an alias or a tag. Write the value itself.',
    ],
    [
      headed('board: 1', 'session: s', 'agent: !!str a', 'prefix: k3f9'),
      4,
      'Line 4: the header uses an anchor, an alias or a tag. Write the value itself.',
    ],
    [headed(...keys, 'agent: plan'), 7, 'Line 7: the header has "agent" twice. Remove one.'],
    [headed('- a', '- b'), 2, 'Line 2: the header is not a list of "key: value" lines. Write one.'],
    [headed('{board: 1}'), 2, 'Line 2: the header is not a list of "key: value" lines. Write one.'],
    [
      headed('board: 1', 'agent: a', 'prefix: k3f9'),
      5,
      'Line 5: the header has no "session". Add it above this line.',
    ],
    [headed(...keys, 'x:', '  a: [[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]'), 8, undefined],
    [
      headed('board: 2', ...keys.slice(1)),
      2,
      'Line 2: this board has format 2, which is newer. Update Agent Task Boards.',
    ],
    [
      headed(...keys.slice(0, 4), 'prefix: 1234'),
      6,
      'Line 6: "prefix" must be four of a–z and 0–9, one of them a letter. Correct it.',
    ],
    [
      headed(...keys.slice(0, 3), 'title: [a]', 'prefix: k3f9'),
      5,
      'Line 5: "title" must be one line of text. Correct it.',
    ],
    [
      headed(...keys, '<<<<<<< ours', 'rev: 1', '=======', 'rev: 2', '>>>>>>> theirs'),
      7,
      'Line 7: two versions meet here. Keep one of them and remove the marks.',
    ],
    [
      headed(...keys, `x: ${'y'.repeat(65_536)}`),
      1,
      'Line 1: the header is longer than 64 KiB. Shorten it.',
    ],
    [
      headed(...keys, `x: ${'é'.repeat(33_000)}`),
      1,
      'Line 1: the header is longer than 64 KiB. Shorten it.',
    ],
  ])('[NOTE17] makes the note broken, with line and reason: %#', (text, line, reason) => {
    const broken = brokenBy(text);
    expect(broken?.line).toBe(line);
    if (reason !== undefined) expect(broken?.reason).toBe(reason);
  });

  test('[NOTE18] conflict markers in the text make the note broken; inside a fence they are text', () => {
    const conflict = '<<<<<<< HEAD\n- [ ] a\n=======\n- [ ] b\n>>>>>>> other\n';
    expect(brokenBy(headed(...keys) + conflict)?.line).toBe(8);
    expect(brokenBy(`${headed(...keys)}\`\`\`\n${conflict}\`\`\`\n`)).toBeNull();
  });

  test('[NOTE19] a broken note has no tasks, and every edit of it is refused', () => {
    const note = parseNote('p', '---\nboard: 1\n- [ ] a\n');
    expect(note.board.tasks).toEqual([]);
    expect(bumpRev(note)).toBe(note);
    for (const result of [setTitle(note, 'x'), giveId(note, '@3')]) {
      expect(result).toMatchObject({ ok: false, code: 'broken_note' });
    }
  });
});

describe('a header that a person wrote', () => {
  test('[NOTE20] values are taken as text, quoted or not, with comments and other keys around them', () => {
    const text = headed(
      '# mine',
      'board: "1"',
      "session: 'it''s'",
      'agent: 007   # bond',
      'title: 2026-11-20',
      'prefix: 1e10',
      'tags: [a, b]',
      'other:',
      '  deep: 1',
      'rev: "3"',
    );
    expect(parseNote('p', text).board).toMatchObject({
      session: "it's",
      agent: '007',
      title: '2026-11-20',
      prefix: '1e10',
      rev: 3,
      broken: null,
    });
  });

  test('[NOTE21] a missing rev is no error', () => {
    expect(parseNote('p', headed(...keys)).board).toMatchObject({
      rev: 0,
      problems: [],
      broken: null,
    });
  });

  test('[NOTE22] a board without a title in its header is titled by its first heading', () => {
    const untitled = headed(...keys.filter((key) => !key.startsWith('title')));
    expect(parseNote('p', `${untitled}# By hand\n`).board.title).toBe('By hand');
    expect(parseNote('p', untitled).board.title).toBe('');
  });
});

describe('edits of the header', () => {
  test.each([
    ['rev: 17 # seventeen', 'rev: 18 # seventeen'],
    ["rev:   '17'  ", 'rev:   18  '],
    ['rev: 9', 'rev: 10'],
    ["rev: '1'", 'rev: 2'],
    ['rev:', 'rev: 1'],
    ['rev:   # none yet', 'rev: 1   # none yet'],
    ['"rev" : 4', '"rev" : 5'],
    ['rev: 9007199254740990', 'rev: 9007199254740991'],
    ['rev: 9007199254740991', 'rev: 9007199254740991'],
    ['x: y', 'x: y\nrev: 1'],
  ])('[NOTE23] a value is replaced where it stands: %j', (before, after) => {
    const note = parseNote('p', headed(...keys, before));
    const bumped = bumpRev(note);
    expect(textOf(bumped)).toBe(headed(...keys, after));
    const read = parseNote('p', bumped.text);
    expect(bumped.board).toEqual(read.board);
    expect(bumped.layout?.header).toEqual(read.layout?.header);
  });

  test('[NOTE24] the title is set in the header and in the heading that said the same', () => {
    const note = parseNote('p', `${headed(...keys)}# T #\r\n\n# Other\n`);
    const renamed = headed(...keys.map((key) => (key === 'title: T' ? 'title: "a: b"' : key)));
    expect(textOf(setTitle(note, ' a: b '))).toBe(`${renamed}# a: b #\r\n\n# Other\n`);
    const other = parseNote('p', `${headed(...keys)}# By hand\n`);
    expect(textOf(setTitle(other, 'U'))).toContain('# By hand\n');
  });

  test.each([
    ['plain words', 'plain words'],
    ['שלום 👩‍💻', 'שלום 👩‍💻'],
    ['yes', '"yes"'],
    ['null', '"null"'],
    ['12', '"12"'],
    ['2026-11-20', '"2026-11-20"'],
    ['a: b', '"a: b"'],
    ['a #b', '"a #b"'],
    ['- a', '"- a"'],
    ['"quoted"', '"\\"quoted\\""'],
    ['back\\slash', 'back\\slash'],
    ['*alias', '"*alias"'],
    ['@at', '"@at"'],
    ['a\ufffeb', '"a\\ufffeb"'],
  ])('[NOTE25] in the header %j is written %j', (title, written) => {
    const text = newNoteText({ session: 's', agent: 'a', title, prefix: 'k3f9' });
    expect(text).toContain(`\ntitle: ${written}\n`);
    expect(parseNote('p', text).board.title).toBe(title);
  });
});

describe('a new note', () => {
  test('[NOTE26] has the header, the title heading and nothing else', () => {
    const text = newNoteText({
      session: '12',
      agent: 'build',
      title: 'Offline search',
      prefix: 'k3f9',
    });
    expect(text).toBe(
      '---\nboard: 1\nsession: "12"\nagent: build\ntitle: Offline search\nprefix: k3f9\nnext: 1\nrev: 0\n---\n\n# Offline search\n',
    );
  });

  test('[NOTE26] a title that nobody can be asked to mend becomes one line of at most 500 characters', () => {
    const titled = (title: string) =>
      parseNote('p', newNoteText({ session: 's', agent: 'a', title, prefix: 'k3f9' })).board.title;
    expect(titled('two\nlines\u0000 ')).toBe('two lines');
    expect(titled('')).toBe('Plan');
    expect(titled('😀'.repeat(600))).toBe('😀'.repeat(500));
  });

  test('[NOTE27] a prefix is four characters that begin with a letter, never a word of YAML', () => {
    const from = (values: readonly number[]) => {
      let at = 0;
      return drawPrefix(() => values[at++] ?? 0);
    };
    const digit = (char: string) =>
      '0123456789abcdefghijklmnopqrstuvwxyz'.indexOf(char) / 36 + 0.001;
    const letter = (char: string) => (char.charCodeAt(0) - 97) / 26 + 0.001;
    const word = (text: string) => [letter(text.charAt(0)), ...[...text.slice(1)].map(digit)];
    expect(from(word('k3f9'))).toBe('k3f9');
    expect(from([...word('true'), ...word('null'), ...word('zz0a')])).toBe('zz0a');
  });
});
