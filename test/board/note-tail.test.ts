import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { parseNote } from '../../src/core/board/note/parse-note';
import { boardOf, onlyTask } from './note-sample';

describe('the tail', () => {
  test('[NOTE8] the example of the format reads as it says', () => {
    const text = readFileSync(new URL('./sample-board.txt', import.meta.url), 'utf8');
    const { board } = parseNote('p', text);
    const [first, second, third, , guide, beta] = board.tasks;
    expect(board).toMatchObject({
      session: 'ses_4hq0example',
      agent: 'build',
      prefix: 'k3f9',
      rev: 17,
    });
    expect(board.tasks.map(({ n }) => n)).toEqual([1, 2, 3, 4, 5, 6, 7, null]);
    expect(first).toMatchObject({
      title: 'Choose the tokeniser',
      priority: 'medium',
      done: '2026-11-20',
    });
    expect(second).toMatchObject({
      title: 'Build the inverted index #search',
      scope: 'moderate',
      risk: 'high',
      impact: 'phase',
      priority: 'high',
      dependsOn: ['k3f9-1'],
      body: ['Keep the postings under 40 MB for a vault of 10,000 notes.'],
    });
    expect(third).toMatchObject({ parent: 'k3f9-2', depth: 1, phase: 'Groundwork' });
    expect(guide).toMatchObject({ priority: 'low', due: '2026-11-28' });
    expect(beta).toMatchObject({
      status: 'failed',
      reason: 'signing key missing',
      dependsOn: ['k3f9-2', 'k3f9-5'],
    });
    expect(board.problems).toEqual([]);
  });

  test('[NOTE8] fields stand in any order, with or without blanks and variation selectors', () => {
    const line =
      '- [ ] T 🔽\ufe0f 📅2026-11-28 ⛔ a , b,a 🆔\ufe0fk3f9-2 🛫 2026-01-01 ⏳ 2026-01-02 ➕ 2026-01-03 ^k3f9-2  \t';
    expect(onlyTask(line)).toMatchObject({
      title: 'T',
      id: 'k3f9-2',
      n: 2,
      dependsOn: ['a', 'b'],
      priority: 'low',
      due: '2026-11-28',
    });
  });

  test('[NOTE8] recurrence takes the text up to the next field', () => {
    const task = onlyTask('- [ ] T 🔁 every week when done 🏁 delete 📅 2026-11-28 🆔 k3f9-1');
    expect(task).toMatchObject({ title: 'T', id: 'k3f9-1', due: '2026-11-28' });
  });

  test('[NOTE9] tags are part of the title wherever they stand', () => {
    expect(onlyTask('- [ ] T #a 🆔 k3f9-1 #b ⏫ ^k3f9-1 #c').title).toBe('T #a #b #c');
    expect(onlyTask('- [ ] T #a').title).toBe('T #a');
  });

  test('[NOTE10] what is no field from the end on is title', () => {
    expect(onlyTask('- [ ] Read 📅 2026-11-28 aloud').title).toBe('Read 📅 2026-11-28 aloud');
    expect(onlyTask('- [ ] Renew the 🆔 card now')).toMatchObject({ id: null, malformed: null });
    expect(onlyTask('- [ ] T ⛔ ,a').title).toBe('T ⛔ ,a');
    expect(onlyTask('- [ ] T 📅 28.11.2026').title).toBe('T 📅 28.11.2026');
    expect(onlyTask('- [ ] `🆔 k3f9-1`')).toMatchObject({ id: null, title: '`🆔 k3f9-1`' });
  });

  test('[NOTE11] bracket fields are no part of the title; unknown ones are kept, in code they are text', () => {
    const task = onlyTask(
      '- [ ] [owner:: me] T [x:: y] and [risk:: high][impact:: phase] [[n::m]] `[scope:: broad]` 🆔 k3f9-1',
    );
    expect(task).toMatchObject({
      title: 'T and [[n::m]] `[scope:: broad]`',
      owner: 'me',
      risk: 'high',
      impact: 'phase',
      scope: null,
    });
  });

  test('[NOTE11] own fields are read by name', () => {
    const line =
      '- [ ] T [level:: review] [estimate:: 2h] [approve:: me] [waitsFor:: ses_2/ab12-3] [reason:: a \\] b] [owner::]';
    expect(onlyTask(line)).toMatchObject({
      title: 'T',
      level: 'review',
      estimate: '2h',
      approve: 'me',
      waitsFor: 'ses_2/ab12-3',
      reason: 'a ] b',
      owner: null,
    });
  });

  test('[NOTE12] text behind a 🆔 makes the line malformed; it keeps its id and says what to do', () => {
    const { tasks, problems } = boardOf('- [ ] T 🆔 k3f9-2 oops ^k3f9-2\n');
    expect(tasks[0]).toMatchObject({ id: 'k3f9-2', key: 'k3f9-2', title: 'T 🆔 k3f9-2 oops' });
    expect(problems).toMatchObject([
      { line: 10, reason: 'Line 10: there is text behind the id k3f9-2. Move it before 🆔.' },
    ]);
  });

  test('[NOTE13] of two tasks with one id the first keeps it, the second is named by its line and reported', () => {
    const { tasks, problems } = boardOf('- [ ] a 🆔 k3f9-6 ^k3f9-6\n- [ ] b 🆔 k3f9-6 ^k3f9-6\n');
    expect(tasks.map(({ key }) => key)).toEqual(['k3f9-6', '@11']);
    expect(problems).toMatchObject([
      { line: 11, reason: 'Two tasks are #6. Give the second a new number.' },
    ]);
  });

  test('[NOTE14] where 🆔 and ^ differ, 🆔 counts and it is reported', () => {
    const { tasks, problems } = boardOf('- [ ] a 🆔 k3f9-6 ^k3f9-7\n');
    expect(tasks[0]?.id).toBe('k3f9-6');
    expect(problems.map(({ line }) => line)).toEqual([10]);
    expect(boardOf('- [ ] a 🆔 k3f9-6 ^paint\n').problems).toEqual([]);
  });

  test('[NOTE15] ids of other forms are ids without a number', () => {
    const line = (id: string) => onlyTask(`- [ ] T 🆔 ${id}`);
    expect(line('abc-x_Y')).toMatchObject({ id: 'abc-x_Y', n: null });
    expect(line('zz99-3')).toMatchObject({ id: 'zz99-3', n: null });
    expect(line('k3f9-03')).toMatchObject({ id: 'k3f9-03', n: null });
    expect(line('k3f9-3')).toMatchObject({ id: 'k3f9-3', n: 3 });
  });
});
