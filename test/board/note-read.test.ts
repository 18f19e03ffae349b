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
