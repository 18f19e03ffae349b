import { describe, expect, test } from 'vitest';
import { addTask } from '../../src/core/board/note/place-task';
import { setTaskBody, setTaskFields } from '../../src/core/board/note/edit-task';
import { bodyOf, noteOf } from './note-sample';

const ID = 'k3f9-1';

describe('fields', () => {
  test.each([
    ['- [ ] T 🆔 k3f9-1 ^k3f9-1', { owner: 'me' }, '- [ ] T [owner:: me] 🆔 k3f9-1 ^k3f9-1'],
    ['- [ ] T [risk:: low] #a 🆔 k3f9-1', { risk: 'high' }, '- [ ] T [risk:: high] #a 🆔 k3f9-1'],
    ['- [ ] T [risk:: low] #a 🆔 k3f9-1', { risk: null }, '- [ ] T #a 🆔 k3f9-1'],
    [
      '- [ ] T 🆔 k3f9-1',
      { scope: 'broad', owner: 'a ] b' },
      '- [ ] T [owner:: a \\] b] [scope:: broad] 🆔 k3f9-1',
    ],
    ['- [ ] T [risk:: low] [risk:: high] 🆔 k3f9-1', { risk: null }, '- [ ] T 🆔 k3f9-1'],
    ['- [ ] T 🆔 k3f9-1 [owner:: a] 🔽', { owner: 'b' }, '- [ ] T 🆔 k3f9-1 [owner:: b] 🔽'],
    [
      '- [ ] T [x::  y ] 🆔 k3f9-1  ',
      { level: 'review' },
      '- [ ] T [x::  y ] [level:: review] 🆔 k3f9-1  ',
    ],
  ])(
    '[NOTE51] a bracket field is set where it stands, else before the tail: %s',
    (before, set, after) => {
      expect(bodyOf(setTaskFields(noteOf(before), ID, set))).toBe(after);
    },
  );

  test.each([
    ['- [ ] T 🆔 k3f9-1 ^k3f9-1', 'high', '- [ ] T 🆔 k3f9-1 ⏫ ^k3f9-1'],
    ['- [ ] T 🆔 k3f9-1 ⛔ a,b ➕ 2026-01-01', 'low', '- [ ] T 🆔 k3f9-1 ⛔ a,b 🔽 ➕ 2026-01-01'],
    ['- [ ] T 🆔 k3f9-1 ⏫️ ^k3f9-1', 'critical', '- [ ] T 🆔 k3f9-1 🔺️ ^k3f9-1'],
    ['- [ ] T 🔼 🆔 k3f9-1 ⏫', 'normal', '- [ ] T 🆔 k3f9-1'],
    ['- [ ] T 🆔 k3f9-1', 'normal', '- [ ] T 🆔 k3f9-1'],
  ] as const)(
    '[NOTE52] a priority stands behind id and prerequisites, the normal one nowhere: %s',
    (before, priority, after) => {
      expect(bodyOf(setTaskFields(noteOf(before), ID, { priority }))).toBe(after);
    },
  );

  test.each([
    ['- [ ] T 🆔 k3f9-1 ⏫ ^k3f9-1', '2026-12-24', '- [ ] T 🆔 k3f9-1 ⏫ 📅 2026-12-24 ^k3f9-1'],
    ['- [ ] T 🆔 k3f9-1 📅2026-11-28 #x', '2026-12-24', '- [ ] T 🆔 k3f9-1 📅2026-12-24 #x'],
    ['- [ ] T 🆔 k3f9-1 📅 2026-11-28 🔁 weekly', null, '- [ ] T 🆔 k3f9-1 🔁 weekly'],
  ])('[NOTE52] a due date stands at the end of the tail: %s', (before, due, after) => {
    expect(bodyOf(setTaskFields(noteOf(before), ID, { due }))).toBe(after);
  });

  test('[NOTE51, NOTE52] what is no value of one line, or no date, is refused', () => {
    const note = noteOf('- [ ] T 🆔 k3f9-1');
    expect(setTaskFields(note, ID, { owner: 'a\nb' })).toMatchObject({ code: 'bad_value' });
    expect(setTaskFields(note, ID, { reason: 'a\nb' })).toMatchObject({ code: 'bad_reason' });
    expect(setTaskFields(note, ID, { due: 'tomorrow' })).toMatchObject({ code: 'bad_value' });
    expect(setTaskFields(noteOf('- [ ] T 🆔 k3f9-1 x'), ID, { due: null })).toMatchObject({
      code: 'malformed_tail',
    });
  });

  test('[NOTE49] a new line has its fields in their places', () => {
    const fields = { risk: 'high', owner: 'me', priority: 'high', due: '2026-12-24' } as const;
    const added = addTask(noteOf(''), {
      title: 'N',
      dependsOn: ['a'],
      fields,
      today: '2026-11-21',
    });
    expect(bodyOf(added)).toBe(
      '\n- [ ] N [owner:: me] [risk:: high] 🆔 k3f9-20 ⛔ a ⏫ 📅 2026-12-24 ^k3f9-20\n',
    );
  });
});

describe('body', () => {
  test.each([
    [
      '- [ ] a 🆔 k3f9-1\n- [ ] b\n',
      'One\n\n  two',
      '- [ ] a 🆔 k3f9-1\n\tOne\n\n\t  two\n- [ ] b\n',
    ],
    [
      '- [ ] a 🆔 k3f9-1\n\told\n\n\told 2\n\t- [ ] c\n\tmore\n- [ ] b',
      'new',
      '- [ ] a 🆔 k3f9-1\n\tnew\n\t- [ ] c\n- [ ] b',
    ],
    ['  1. [ ] a 🆔 k3f9-1\r\n', 'x', '  1. [ ] a 🆔 k3f9-1\r\n  \t\tx\r\n'],
    ['- [ ] a 🆔 k3f9-1\n\told\n- [ ] b', '', '- [ ] a 🆔 k3f9-1\n- [ ] b'],
    ['- [ ] a 🆔 k3f9-1', '\n  - x\n    y\n', '- [ ] a 🆔 k3f9-1\n\t- x\n\t  y'],
    ['- [ ] a 🆔 k3f9-1\n\tsame  \n', 'same', '- [ ] a 🆔 k3f9-1\n\tsame  \n'],
    [
      '- [ ] a 🆔 k3f9-1\n- [ ] b\n',
      '<div>\nx\n</div>',
      '- [ ] a 🆔 k3f9-1\n\t<div>\n\tx\n\t</div>\n- [ ] b\n',
    ],
    ['- [ ] a 🆔 k3f9-1\nrest\n', 'x', '- [ ] a 🆔 k3f9-1\n\tx\nrest\n'],
  ])(
    '[NOTE53] takes the place of the old lines, indented below the task: %j',
    (before, body, after) => {
      expect(bodyOf(setTaskBody(noteOf(before), ID, body))).toBe(after);
    },
  );

  test.each(['- [ ] a task', '```\nopen', '%% open', '<style>\nx', 'a\u0007b', 'x'.repeat(20_001)])(
    '[NOTE54] text that would not stay text is refused: %j',
    (body) => {
      const note = noteOf('- [ ] a 🆔 k3f9-1\n- [ ] b\n');
      expect(setTaskBody(note, ID, body)).toMatchObject({ ok: false, code: 'bad_body' });
    },
  );
});
