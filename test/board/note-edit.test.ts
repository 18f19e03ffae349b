import { describe, expect, test } from 'vitest';
import { setTaskDependsOn, setTaskStatus, setTaskTitle } from '../../src/core/board/note/edit-task';
import { giveId } from '../../src/core/board/note/give-id';
import { parseNote } from '../../src/core/board/note/parse-note';
import { removeTask } from '../../src/core/board/note/place-task';
import { bodyOf, HEADER, noteOf } from './note-sample';

const today = '2026-11-21';
const ID = 'k3f9-1';

describe('status', () => {
  const set = (line: string, status: Parameters<typeof setTaskStatus>[2], reason?: string) => {
    const note = noteOf(line);
    const key = note.board.tasks[0]?.key ?? '';
    const why = reason === undefined ? {} : { reason };
    return bodyOf(setTaskStatus(note, key, status, { today, ...why }));
  };

  test.each([
    ['- [ ] T 🆔 k3f9-1 ^k3f9-1  ', 'in_progress', '- [/] T 🆔 k3f9-1 ^k3f9-1  '],
    ['- [ ] T 🆔 k3f9-1 ^k3f9-1', 'failed', '- [!] T 🆔 k3f9-1 ^k3f9-1'],
    ['\t* [🎉]  T', 'deferred', '\t* [>]  T'],
    ['- [x] T ✅ 2026-11-01', 'completed', '- [x] T ✅ 2026-11-01'],
    ['- [X] T', 'completed', '- [X] T'],
    ['- [?] T', 'pending', '- [?] T'],
  ] as const)('[NOTE33] changes one character: %s to %s', (before, status, after) => {
    expect(set(before, status)).toBe(after);
  });

  test.each([
    ['- [ ] T 🆔 k3f9-1 ⏫ ^k3f9-1', 'completed', '- [x] T 🆔 k3f9-1 ⏫ ✅ 2026-11-21 ^k3f9-1'],
    ['- [ ] T #tag', 'completed', '- [x] T #tag ✅ 2026-11-21'],
    ['- [ ]', 'completed', '- [x] ✅ 2026-11-21'],
    ['- [ ]  ', 'completed', '- [x]  ✅ 2026-11-21'],
    ['- [ ] ^k', 'cancelled', '- [-] ❌ 2026-11-21 ^k'],
    ['- [x] T ✅ 2026-11-01 ^k', 'cancelled', '- [-] T ❌ 2026-11-21 ^k'],
    ['- [x] T 🆔 k3f9-1 ✅ 2026-11-01 📅 2026-12-01', 'pending', '- [ ] T 🆔 k3f9-1 📅 2026-12-01'],
    ['- [-] T ❌ 2026-11-01  ', 'in_progress', '- [/] T  '],
    ['- [ ] T ✅ 2026-11-01', 'completed', '- [x] T ✅ 2026-11-21'],
  ] as const)('[NOTE34] sets and removes ✅ and ❌: %s to %s', (before, status, after) => {
    expect(set(before, status)).toBe(after);
  });

  test.each(['in_progress', 'failed', 'deferred', 'completed', 'cancelled'] as const)(
    '[NOTE64] no date is written unasked but that of ✅ and ❌: %s',
    (status) => {
      const dates = '➕ 2026-01-01 🛫 2026-01-02 ⏳ 2026-01-03 📅 2026-01-04 🔁 every day';
      const now = set(`- [ ] T ${dates}`, status);
      expect(now).toContain(` T ${dates}`);
      const own = { completed: ` ✅ ${today}`, cancelled: ` ❌ ${today}` };
      expect(now.slice(5)).toBe(` T ${dates}${status in own ? own[status as 'completed'] : ''}`);
    },
  );

  test.each([
    ['- [ ] T 🆔 k3f9-1', 'no key', '- [!] T [reason:: no key] 🆔 k3f9-1'],
    ['- [ ] T [reason:: old] #a', 'new', '- [!] T [reason:: new] #a'],
    ['- [ ] T', 'a ] b ` c', '- [!] T [reason:: a \\] b &#96; c]'],
    ['- [ ]', 'x', '- [!] [reason:: x]'],
    ['- [ ] T [reason::]', 'x', '- [!] T [reason::x]'],
  ])('[NOTE35] writes the reason before the tail: %s', (before, reason, after) => {
    expect(set(before, 'failed', reason)).toBe(after);
  });

  test('[NOTE35] a reason of two lines is refused', () => {
    const note = noteOf('- [ ] T');
    const result = setTaskStatus(note, '@10', 'failed', { today, reason: 'a\nb' });
    expect(result).toMatchObject({ ok: false, code: 'bad_reason' });
  });
});

test.each([
  ['- [ ] T 🆔 k3f9-1', 'New', '- [ ] New 🆔 k3f9-1'],
  [
    '- [ ] T [owner:: me] more #tag 🆔 k3f9-1 #b ^k3f9-1',
    'New',
    '- [ ] New [owner:: me] 🆔 k3f9-1 ^k3f9-1',
  ],
  ['- [ ] [x:: y] T', 'New #tag', '- [ ] [x:: y] New #tag'],
  ['- [ ] [x:: y] 🆔 k3f9-1 #tag', 'New', '- [ ] New [x:: y] 🆔 k3f9-1'],
  ['- [ ]', 'New', '- [ ] New'],
  ['1. [ ]   T  ', 'New', '1. [ ]   New  '],
])('[NOTE36] a new title takes the place of the old, fields stay: %s', (before, title, after) => {
  const note = noteOf(before);
  expect(bodyOf(setTaskTitle(note, note.board.tasks[0]?.key ?? '', title))).toBe(after);
});

describe('dependsOn', () => {
  test.each([
    ['- [ ] T 🆔 k3f9-1 ⏫ ^k3f9-1', ['a', 'b', 'a'], '- [ ] T 🆔 k3f9-1 ⛔ a,b ⏫ ^k3f9-1'],
    ['- [ ] T 🆔 k3f9-1 ⛔ a, b 📅 2026-12-01', ['c'], '- [ ] T 🆔 k3f9-1 ⛔ c 📅 2026-12-01'],
    ['- [ ] T 🆔 k3f9-1 ⛔ a, b 📅 2026-12-01', [], '- [ ] T 🆔 k3f9-1 📅 2026-12-01'],
    ['- [ ] T 🆔 k3f9-1 ⛔ a, b', ['a', 'b'], '- [ ] T 🆔 k3f9-1 ⛔ a, b'],
    ['- [ ] T 🆔 k3f9-1 ⛔ a ⛔ b', ['c'], '- [ ] T 🆔 k3f9-1 ⛔ c'],
  ])('[NOTE37] %s with %j', (before, ids, after) => {
    expect(bodyOf(setTaskDependsOn(noteOf(before), ID, ids))).toBe(after);
  });

  test('[NOTE37] what is no id is refused', () => {
    const note = noteOf('- [ ] T 🆔 k3f9-1');
    expect(setTaskDependsOn(note, ID, ['a b'])).toMatchObject({ ok: false, code: 'bad_id' });
  });
});

describe('ids', () => {
  test.each([
    ['- [ ] T', '- [ ] T 🆔 k3f9-20 ^k3f9-20'],
    ['- [ ] T #a ⏫ 📅 2026-12-01 #b', '- [ ] T #a 🆔 k3f9-20 ⏫ 📅 2026-12-01 #b ^k3f9-20'],
    ['- [ ] T [x:: y] ^mine  ', '- [ ] T [x:: y] 🆔 k3f9-20 ^mine  '],
    ['- [ ]', '- [ ] 🆔 k3f9-20 ^k3f9-20'],
  ])('[NOTE38] a line without an id gets the next one: %s', (before, after) => {
    const result = giveId(noteOf(before), '@10');
    expect(result).toMatchObject({ ok: true, id: 'k3f9-20' });
    expect(bodyOf(result)).toBe(after);
    expect(result.ok && result.text).toContain('\nnext: 21\n');
  });

  test('[NOTE38] a task with an id keeps it', () => {
    const note = noteOf('- [ ] T 🆔 mine');
    expect(giveId(note, 'mine')).toEqual({ ...note, id: 'mine' });
  });

  test.each([
    ['too low', 'next: 2', '- [ ] a 🆔 k3f9-7 ⛔ k3f9-40\n- [ ] T ^k3f9-9\n', 41],
    ['missing', 'x: y', '- [ ] a 🆔 k3f9-7\n- [ ] T\n', 8],
    ['empty', 'next:', '- [ ] a 🆔 zz11-70\n- [ ] T\n', 1],
  ])('[NOTE39] an id is never used again, also where next is %s', (_, next, body, n) => {
    const note = parseNote('p', HEADER.replace('next: 20', next) + body);
    const result = giveId(note, '@11');
    expect(result).toMatchObject({ ok: true, id: `k3f9-${n}` });
    expect(result.ok && result.text).toContain(`next: ${n + 1}\n`);
  });
});

describe('what is refused', () => {
  test('[NOTE40] every edit of a line whose tail cannot be read, with the line', () => {
    const note = noteOf('- [ ] T 🆔 k3f9-1 oops\n');
    for (const result of [
      setTaskStatus(note, ID, 'completed', { today }),
      setTaskTitle(note, ID, 'x'),
      setTaskDependsOn(note, ID, []),
      giveId(note, ID),
    ]) {
      expect(result).toMatchObject({ ok: false, code: 'malformed_tail' });
      expect(result.ok ? '' : result.message).toContain('Line 10: ');
      expect(result.ok ? '' : result.message).toContain('- [ ] T 🆔 k3f9-1 oops');
    }
  });

  test('[NOTE41] an edit that would change what else the line says', () => {
    const note = noteOf('- [ ] [x:: a ` b] T 🆔 k3f9-1\n');
    expect(setTaskTitle(note, ID, 'uses `code`')).toMatchObject({
      ok: false,
      code: 'malformed_tail',
    });
  });

  test('[NOTE42] an unknown key', () => {
    expect(setTaskTitle(noteOf(''), 'k3f9-1', 'x')).toMatchObject({
      ok: false,
      code: 'unknown_task',
    });
  });
});

describe('removing', () => {
  test.each([
    ['- [ ] a 🆔 k3f9-1\n- [ ] b', '- [ ] b'],
    ['- [ ] b\r\n- [ ] a 🆔 k3f9-1\r\n\r\n', '- [ ] b\r\n\r\n'],
    ['- [ ] b\n- [ ] a 🆔 k3f9-1', '- [ ] b\n'],
    ['- [ ] a 🆔 k3f9-1\r- [ ] b', '- [ ] b'],
    ['- [ ] a 🆔 k3f9-1 oops\n', ''],
    ['- [ ] b\r- [ ] a 🆔 k3f9-1\n\ntext', '- [ ] b\r\n\ntext'],
  ])('[NOTE43] takes the line and what ends it: %j', (before, after) => {
    expect(bodyOf(removeTask(noteOf(before), ID))).toBe(after);
  });

  test.each([
    ['- [ ] a 🆔 k3f9-1\n\t- [x] b\n', 'has_children'],
    ['- [ ] a 🆔 k3f9-1\n\n  text\n', 'has_body'],
    ['- [ ] a 🆔 k3f9-1\nthe rest of its paragraph\n', 'has_body'],
    ['- [ ] a 🆔 k3f9-1\n\t- plain\n', 'has_body'],
    ['- [ ] a 🆔 k3f9-1\n<x-y>\n- [ ] b\n', 'bad_place'],
  ])('[NOTE44] is refused where something hangs under the task: %j', (body, code) => {
    expect(removeTask(noteOf(body), ID)).toMatchObject({ ok: false, code });
  });
});
