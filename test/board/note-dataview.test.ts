import { describe, expect, test } from 'vitest';
import {
  setTaskDependsOn,
  setTaskFields,
  setTaskStatus,
  setTaskTitle,
  type FieldValues,
} from '../../src/core/board/note/edit-task';
import { giveId, renumberTask } from '../../src/core/board/note/give-id';
import { boardOf, bodyOf, noteOf, onlyTask } from './note-sample';

const today = '2026-11-21';

describe('reading the Dataview dialect', () => {
  test('[NOTE59] each field says what its emoji says, and is no part of the title', () => {
    const line =
      '- [x] T #a [id:: k3f9-2] [dependsOn:: k3f9-1, abc] [priority:: highest] [created:: 2026-01-01] [start:: 2026-01-02] [scheduled:: 2026-01-03] [due:: 2026-11-28] [completion:: 2026-11-20] [cancelled:: 2026-11-19] [repeat:: every week when done] [onCompletion:: delete] [risk:: high] ^k3f9-2';
    expect(onlyTask(line)).toMatchObject({
      key: 'k3f9-2',
      n: 2,
      title: 'T #a',
      dependsOn: ['k3f9-1', 'abc'],
      priority: 'critical',
      due: '2026-11-28',
      done: '2026-11-20',
      cancelled: '2026-11-19',
      risk: 'high',
      malformed: null,
    });
    expect(boardOf(line).problems).toEqual([]);
  });

  test.each(['high', 'medium', 'low', 'lowest'])('[NOTE59] priority %s', (word) => {
    expect(onlyTask(`- [ ] T [priority:: ${word}]`).priority).toBe(word);
  });

  test('[NOTE59] in brackets or parentheses, tight or with blanks, with a comma behind', () => {
    const line =
      '- [ ] T (id::k3f9-2), [ dependsOn :: a,b ] , (priority:: low ) [due::2026-11-28],';
    expect(onlyTask(line)).toMatchObject({
      title: 'T',
      id: 'k3f9-2',
      dependsOn: ['a', 'b'],
      priority: 'low',
      due: '2026-11-28',
    });
  });

  test('[NOTE59] what does not fit is kept and says nothing; other parentheses are title', () => {
    const line =
      '- [ ] T [priority:: urgent] [due:: tomorrow] (id:: two words) (owner:: me) [x](due:: 2026-11-28) \\(due:: 2026-11-28) `(due:: 2026-11-28)`';
    expect(onlyTask(line)).toMatchObject({
      title:
        'T (id:: two words) (owner:: me) [x](due:: 2026-11-28) (due:: 2026-11-28) `(due:: 2026-11-28)`',
      id: null,
      priority: 'normal',
      due: null,
      owner: null,
    });
  });

  test('[NOTE59] beside emoji fields the emoji counts; of two the first, and all prerequisites', () => {
    const line =
      '- [ ] T [due:: 2026-01-01] [due:: 2026-01-02] [priority:: low] [dependsOn:: a] 🆔 k3f9-2 ⛔ b ⏫';
    expect(onlyTask(line)).toMatchObject({
      due: '2026-01-01',
      priority: 'high',
      dependsOn: ['a', 'b'],
    });
  });

  test('[NOTE14] two ids of one line that differ are reported, in either dialect', () => {
    expect(boardOf('- [ ] a [id:: k3f9-6] ^k3f9-7\n').problems.map(({ line }) => line)).toEqual([
      10,
    ]);
    const both = boardOf('- [ ] a [id:: k3f9-6] 🆔 k3f9-8 ^k3f9-8\n');
    expect(both.tasks[0]?.id).toBe('k3f9-8');
    expect(both.problems.map(({ line }) => line)).toEqual([10]);
  });

  test('[NOTE39] a number that stands in the dialect is never used again', () => {
    const note = noteOf('- [ ] a [id:: k3f9-31] [dependsOn:: k3f9-40]\n- [ ] b\n');
    expect(giveId(note, '@11')).toMatchObject({ ok: true, id: 'k3f9-41' });
  });
});

describe('a line keeps the dialect that it has', () => {
  const BEFORE = '- [ ] T [id:: k3f9-2] [dependsOn:: a] ^k3f9-2';
  const fields = (line: string, values: FieldValues) =>
    bodyOf(setTaskFields(noteOf(line), 'k3f9-2', values));
  const status = (line: string, to: 'completed' | 'cancelled' | 'pending') =>
    bodyOf(setTaskStatus(noteOf(line), 'k3f9-2', to, { today }));

  test('[NOTE60] completing and cancelling write and remove its dates', () => {
    const done = '- [x] T [id:: k3f9-2] [dependsOn:: a] [completion:: 2026-11-21] ^k3f9-2';
    expect(status(BEFORE, 'completed')).toBe(done);
    expect(status(done, 'cancelled')).toBe(
      '- [-] T [id:: k3f9-2] [dependsOn:: a] [cancelled:: 2026-11-21] ^k3f9-2',
    );
    expect(status(done, 'pending')).toBe(BEFORE);
  });

  test.each<[string, FieldValues, string]>([
    [
      BEFORE,
      { priority: 'high' },
      '- [ ] T [id:: k3f9-2] [dependsOn:: a] [priority:: high] ^k3f9-2',
    ],
    [
      BEFORE,
      { due: '2026-12-24' },
      '- [ ] T [id:: k3f9-2] [dependsOn:: a] [due:: 2026-12-24] ^k3f9-2',
    ],
    [
      '- [ ] T (id:: k3f9-2) (priority:: low)',
      { priority: 'critical' },
      '- [ ] T (id:: k3f9-2) (priority:: highest)',
    ],
    ['- [ ] T [id:: k3f9-2], [due:: 2026-01-01],', { due: null }, '- [ ] T [id:: k3f9-2],'],
    [
      '- [ ] T [id:: k3f9-2] 📅 2026-01-01',
      { priority: 'high', due: '2026-02-02' },
      '- [ ] T [id:: k3f9-2] ⏫ 📅 2026-02-02',
    ],
    [
      '- [ ] T [due:: 2026-01-01] 🆔 k3f9-2',
      { due: '2026-02-02' },
      '- [ ] T [due:: 2026-02-02] 🆔 k3f9-2',
    ],
    [BEFORE, { risk: 'low' }, '- [ ] T [id:: k3f9-2] [dependsOn:: a] [risk:: low] ^k3f9-2'],
  ])('[NOTE60] fields: %s', (before, values, after) => {
    expect(fields(before, values)).toBe(after);
  });

  test('[NOTE60] prerequisites, title and ids', () => {
    const note = noteOf(BEFORE);
    expect(bodyOf(setTaskDependsOn(note, 'k3f9-2', ['b', 'c']))).toBe(
      '- [ ] T [id:: k3f9-2] [dependsOn:: b,c] ^k3f9-2',
    );
    expect(bodyOf(setTaskDependsOn(note, 'k3f9-2', []))).toBe('- [ ] T [id:: k3f9-2] ^k3f9-2');
    expect(
      bodyOf(setTaskDependsOn(noteOf('- [ ] T [id:: k3f9-2] (due:: 2026-01-01)'), 'k3f9-2', ['b'])),
    ).toBe('- [ ] T [id:: k3f9-2] [dependsOn:: b] (due:: 2026-01-01)');
    expect(bodyOf(setTaskTitle(note, 'k3f9-2', 'New (due:: 2026-01-01) [id:: x]'))).toBe(
      '- [ ] New \\(due:: 2026-01-01) \\[id:: x] [id:: k3f9-2] [dependsOn:: a] ^k3f9-2',
    );
    expect(bodyOf(giveId(noteOf('- [ ] T [due:: 2026-01-01]'), '@10'))).toBe(
      '- [ ] T [due:: 2026-01-01] [id:: k3f9-20] ^k3f9-20',
    );
    expect(bodyOf(renumberTask(noteOf(`${BEFORE}\n${BEFORE}`), '@11'))).toBe(
      `${BEFORE}\n- [ ] T [id:: k3f9-20] [dependsOn:: a] ^k3f9-20`,
    );
  });
});
