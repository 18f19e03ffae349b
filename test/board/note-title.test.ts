import { describe, expect, test } from 'vitest';
import { addTask } from '../../src/core/board/note/place-task';
import { setTaskStatus, setTaskTitle } from '../../src/core/board/note/edit-task';
import { escapeText, unescapeText } from '../../src/core/board/note/escape';
import { setTitle } from '../../src/core/board/note/edit-header';
import { parseNote } from '../../src/core/board/note/parse-note';
import { checkTitle } from '../../src/core/board/note/title';
import { fc } from '../seeded';
import { bodyOf, noteOf, onlyTask } from './note-sample';
import { titles } from './title-maker';

const today = '2026-11-21';
const base = noteOf('- [ ] base 🆔 k3f9-1 ^k3f9-1\n');

describe('a title from a caller', () => {
  test.each([
    ['empty', ''],
    ['white space', ' \u00a0 '],
    ['a line break', 'a\nb'],
    ['a trailing line break', 'a\n'],
    ['NEL', 'a\u0085b'],
    ['a line separator', 'a\u2028b'],
    ['a paragraph separator', 'a\u2029b'],
    ['a tab', 'a\tb'],
    ['a control character', 'a\u0000b'],
    ['half of a character', 'a\ud83d'],
    ['501 characters', '😀'.repeat(501)],
  ])('[NOTE28] is refused with bad_title: %s', (_, title) => {
    expect(addTask(base, { title, today })).toMatchObject({ ok: false, code: 'bad_title' });
    expect(setTaskTitle(base, 'k3f9-1', title)).toMatchObject({ ok: false, code: 'bad_title' });
    expect(setTitle(base, title)).toMatchObject({ ok: false, code: 'bad_title' });
  });

  test('[NOTE28] has at most 500 code points, and loses the white space around it', () => {
    expect(checkTitle('😀'.repeat(500)).ok).toBe(true);
    expect(checkTitle('\u00a0 a  b ')).toEqual({ ok: true, title: 'a  b' });
  });

  test.each([
    'Plain words, (brackets) & "quotes"',
    "it's 100% <b>done</b>",
    '[link](https://example.org/a_b?c=d&e=f) and [[Note#Heading|alias]]',
    '`code \\ [x:: y] ✅` stays',
    'שלום עולם',
    'family 👨‍👩‍👧 and e\u0301',
    '#tag and #6, C#',
    '- leading dash',
    '1. leading number',
    '%% a closed comment %% <!-- another -->',
    'a^x b',
    '[x]y',
    'R&D; AT&T &amp; co',
    'price: 3 $ * 2 _ ~ = { }',
  ])('[NOTE29] is written as it is: %s', (title) => {
    expect(escapeText(title)).toBe(title);
  });

  test.each([
    ['[ ] mark', '\\[ ] mark'],
    ['[x]', '\\[x]'],
    ['say [a:: b] twice', 'say \\[a:: b] twice'],
    ['[a::', '\\[a::'],
    ['Ship ✅ 2026-11-20', 'Ship &#9989; 2026-11-20'],
    ['🆔 k3f9-7', '&#127380; k3f9-7'],
    ['⛔\ufe0f', '&#9940;\ufe0f'],
    ['foo ^x', 'foo \\^x'],
    ['^x #tag', '\\^x #tag'],
    ['open [[link', 'open \\[\\[link'],
    ['a [text](url', 'a [text\\](url'],
    ['50%% off', '50\\%\\% off'],
    ['a <!-- b', 'a \\<!-- b'],
    ['a ` b', 'a \\` b'],
    ['`` a ` b', '\\`\\` a \\` b'],
    ['a\\b', 'a\\\\b'],
    ['end\\', 'end\\\\'],
    ['\\`x`', '\\\\`x`'],
    ['&#128279;', '\\&#128279;'],
  ])('[NOTE30] %j is escaped as %j', (title, written) => {
    expect(escapeText(title)).toBe(written);
    const added = addTask(base, { title, today });
    expect(bodyOf(added)).toBe(
      `- [ ] base 🆔 k3f9-1 ^k3f9-1\n- [ ] ${written} 🆔 k3f9-20 ^k3f9-20\n`,
    );
    expect(parseNote('p', added.ok ? added.text : '').board.tasks[1]?.title).toBe(title);
  });

  test('[NOTE31] reading undoes what a person escaped, in code it does not', () => {
    const read = (text: string) => onlyTask(`- [ ] ${text}`).title;
    expect(read('\\*a\\* C:\\dir &#x1F517; &#65;')).toBe('*a* C:\\dir 🔗 A');
    expect(read('`\\* &#65;` \\`')).toBe('`\\* &#65;` `');
    expect(read('&#10; &#0; &#xD800; &#9999999;')).toBe('&#10; &#0; &#xD800; &#9999999;');
    expect(unescapeText('\\')).toBe('\\');
  });

  test('[NOTE32] any title that passes reads back exactly as task, title, phase and reason', () => {
    const count = { passed: 0, refused: 0 };
    fc.assert(
      fc.property(titles, titles, (first, second) => {
        const [title, other] = [checkTitle(first), checkTitle(second)];
        if (!title.ok || !other.ok) {
          count.refused += 1;
          return;
        }
        count.passed += 1;
        let note = base;
        const take = (result: ReturnType<typeof setTaskTitle>): void => {
          if (!result.ok) throw new Error(result.message);
          note = parseNote('p', result.text);
        };
        take(
          addTask(note, {
            title: first,
            phase: second,
            fields: { reason: second },
            status: 'failed',
            today,
          }),
        );
        expect(note.board.tasks[1]).toMatchObject({
          title: title.title,
          phase: other.title,
          reason: other.title,
          id: 'k3f9-20',
          malformed: null,
        });
        take(setTaskTitle(note, 'k3f9-20', second));
        take(setTaskStatus(note, 'k3f9-20', 'completed', { today, reason: first }));
        take(setTitle(note, second));
        expect(note.board.tasks[1]).toMatchObject({ title: other.title, reason: title.title });
        expect(note.board).toMatchObject({ title: other.title, problems: [] });
        expect(note.board.tasks).toHaveLength(2);
      }),
      { numRuns: 3000 },
    );
    expect(count.passed).toBeGreaterThan(1000);
    expect(count.refused).toBeGreaterThan(100);
  });
});
