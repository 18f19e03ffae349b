import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { parseNote } from '../../src/core/board/note/parse-note';
import { boardOf, HEADER, onlyTask } from './note-sample';

const titlesIn = (body: string): readonly string[] => boardOf(body).tasks.map(({ title }) => title);

describe('what is a task', () => {
  test('[NOTE2] every list marker opens a task line', () => {
    const body = '- [ ] a\n* [ ] b\n+ [ ] c\n1. [ ] d\n12) [ ] e\n-   [ ] f\n';
    expect(titlesIn(body)).toEqual(['a', 'b', 'c', 'd', 'e', 'f']);
  });

  test('[NOTE2] what lacks marker, mark or the blank behind it is no task', () => {
    const body =
      '-[ ] a\n[ ] b\n- [] c\n- [x](link)\n- [xx] d\n1 [ ] e\n- text [ ] f\n\\- [ ] g\n- [ ]h\n';
    expect(titlesIn(body)).toEqual([]);
  });

  test('[NOTE2] a task line may be empty', () => {
    expect(titlesIn('- [ ]\n- [ ] \n- [x]\t')).toEqual(['', '', '']);
  });

  test.each([
    ['a fence', '```\n- [ ] a\n```\n- [ ] b'],
    ['a fence with a longer end', '~~~ js\n- [ ] a\n```\n- [ ] a\n~~~~~\n- [ ] b'],
    ['a fence in a task', '- [ ] b\n\t```\n\t- [ ] a\n\t```'],
    ['a fence that its list item ends', '- plain\n  ```\n  - [ ] a\n- [ ] b'],
    ['a fence behind a bullet', '- ```\n  - [ ] a\n  ```\n- [ ] b'],
    ['a comment', '%%\n- [ ] a\n%%\n- [ ] b'],
    ['a comment that opens with text', '%% hidden\n- [ ] a\nend %%\n- [ ] b'],
    ['a closed comment', '%% one line %%\n- [ ] b'],
    ['an HTML comment', '<!-- x\n- [ ] a\n-->\n- [ ] b'],
    ['a closed HTML comment', '<!-- x -->\n- [ ] b'],
    ['a quote', '> - [ ] a\n\n- [ ] b'],
    ['a callout', '> [!todo] Later\n> - [ ] a\n\n- [ ] b'],
    ['no fence: the info string has a backtick', '``` `x`\n- [ ] b'],
  ])('[NOTE3] %s', (_, body) => {
    expect(titlesIn(body)).toEqual(['b']);
  });

  test('[NOTE3] a fence, a comment or a header that nobody closes hides what is behind it', () => {
    expect(titlesIn('- [ ] b\n```\n- [ ] a\n')).toEqual(['b']);
    expect(titlesIn('- [ ] b\n%%\n- [ ] a\n')).toEqual(['b']);
  });

  test('[NOTE4] each mark has its status; an unknown one is kept and read as pending', () => {
    const marks = [' ', '/', 'x', 'X', '-', '!', '>', '?', '🎉'];
    const { tasks } = boardOf(marks.map((mark) => `- [${mark}] t\n`).join(''));
    expect(tasks.map(({ mark }) => mark)).toEqual(marks);
    expect(tasks.map(({ status }) => status)).toEqual([
      'pending',
      'in_progress',
      'completed',
      'completed',
      'cancelled',
      'failed',
      'deferred',
      'pending',
      'pending',
    ]);
  });
});

describe('hierarchy, phases, body', () => {
  const shape = (body: string) =>
    boardOf(body).tasks.map(({ title, parent, depth, phase }) => [title, parent, depth, phase]);

  test('[NOTE5] a deeper task is a child, tabs and blanks alike', () => {
    expect(shape('- [ ] a\n\t- [ ] b\n\t\t- [ ] c\n    - [ ] d\n- [ ] e\n   - [ ] f\n')).toEqual([
      ['a', null, 0, null],
      ['b', '@10', 1, null],
      ['c', '@11', 2, null],
      ['d', '@10', 1, null],
      ['e', null, 0, null],
      ['f', '@14', 1, null],
    ]);
  });

  test('[NOTE5] a plain list item hands its tasks to the task around it', () => {
    expect(shape('- [ ] a\n\t- plain\n\t\t- [ ] b\n- plain\n\t- [ ] c\n')).toEqual([
      ['a', null, 0, null],
      ['b', '@10', 1, null],
      ['c', null, 0, null],
    ]);
  });

  test('[NOTE6] headings are phases, the title heading is none', () => {
    const body =
      '- [ ] a\n# Offline search\n- [ ] b\n## Ground ##\n- [ ] c\n### Deep ^x\n- [ ] d\n#tag\n- [ ] e\n';
    expect(shape(body).map(([title, , , phase]) => [title, phase])).toEqual([
      ['a', null],
      ['b', null],
      ['c', 'Ground'],
      ['d', 'Deep'],
      ['e', 'Deep'],
    ]);
  });

  test('[NOTE6] a first heading that a person reworded is still the title, unless there are others of its level', () => {
    expect(shape('# Other words\n- [ ] a\n')[0]?.[3]).toBeNull();
    expect(shape('# One\n- [ ] a\n# Two\n- [ ] b\n').map((task) => task[3])).toEqual([
      'One',
      'Two',
    ]);
  });

  test('[NOTE7] indented lines that are no task are the body of the task above them', () => {
    const body = '- [ ] a\n\tone\n\t\ttwo\n\n\tthree  \n\t- [ ] b\n\t\tof b\n\tof a\nnobody\n';
    const { tasks } = boardOf(body);
    expect(tasks.map((task) => task.body)).toEqual([['one', '\ttwo', 'three', 'of a'], ['of b']]);
  });
});

test('[NOTE7] blank lines of a body are kept inside a fence only', () => {
  const body = '- [ ] a\n\tone\n\n\t```\n\tx\n\n\t\ty\n\t```\n';
  expect(onlyTask(body).body).toEqual(['one', '```', 'x', '', '\ty', '```']);
});

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
    expect(problems).toEqual([
      { line: 10, reason: 'Line 10: there is text behind the id k3f9-2. Move it before 🆔.' },
    ]);
  });

  test('[NOTE13] of two tasks with one id the first keeps it, the second is named by its line and reported', () => {
    const { tasks, problems } = boardOf('- [ ] a 🆔 k3f9-6 ^k3f9-6\n- [ ] b 🆔 k3f9-6 ^k3f9-6\n');
    expect(tasks.map(({ key }) => key)).toEqual(['k3f9-6', '@11']);
    expect(problems).toEqual([
      { line: 11, reason: 'Two tasks are #6. Give the second a new number.' },
    ]);
  });

  test('[NOTE14] where 🆔 and ^ differ, 🆔 counts and it is reported', () => {
    const { tasks, problems } = boardOf('- [ ] a 🆔 k3f9-6 ^k3f9-7\n');
    expect(tasks[0]?.id).toBe('k3f9-6');
    expect(problems.map(({ line }) => line)).toEqual([10]);
  });

  test('[NOTE15] ids of other forms are ids without a number', () => {
    const line = (id: string) => onlyTask(`- [ ] T 🆔 ${id}`);
    expect(line('abc-x_Y')).toMatchObject({ id: 'abc-x_Y', n: null });
    expect(line('zz99-3')).toMatchObject({ id: 'zz99-3', n: null });
    expect(line('k3f9-03')).toMatchObject({ id: 'k3f9-03', n: null });
    expect(line('k3f9-3')).toMatchObject({ id: 'k3f9-3', n: 3 });
  });
});

test('[NOTE16] line ends and a byte order mark of any kind read the same', () => {
  const body = '# Offline search\n\n- [ ] a 🆔 k3f9-1\n\ttext\n\t- [x] b ✅ 2026-11-20\n';
  const expected = boardOf(body);
  const ends = ['\r\n', '\r', '\n'];
  for (const end of ends) {
    const text = `\ufeff${(HEADER + body).replaceAll('\n', end)}`;
    expect(parseNote(expected.path, text).board).toEqual(expected);
  }
  let i = 0;
  const mixed = (HEADER + body).replace(/\n/g, () => ends[(i += 1) % 2] ?? '\n');
  expect(parseNote(expected.path, mixed).board).toEqual(expected);
});
