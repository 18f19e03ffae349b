import { describe, expect, test } from 'vitest';
import { addTask, type NewTask } from '../../src/core/board/note/place-task';
import { parseNote } from '../../src/core/board/note/parse-note';
import { bodyOf, HEADER, noteOf } from './note-sample';

const NEW = 'N 🆔 k3f9-20 ^k3f9-20';

const added = (body: string, spec: Partial<NewTask> = {}): string =>
  bodyOf(addTask(noteOf(body), { title: 'N', today: '2026-11-21', ...spec }));

describe('where a new task stands', () => {
  test.each([
    [
      'after the last task of the board',
      '- [ ] a\n- [ ] b\n\ntext\n',
      `- [ ] a\n- [ ] b\n- [ ] ${NEW}\n\ntext\n`,
    ],
    [
      'behind all that belongs to that task',
      '- [ ] a\n\t- [ ] b\n\n\t\tbody\n\n## X\n',
      `- [ ] a\n\t- [ ] b\n\n\t\tbody\n- [ ] ${NEW}\n\n## X\n`,
    ],
    [
      'behind the rest of its paragraph',
      '- [ ] a\nmore of a\n',
      `- [ ] a\nmore of a\n- [ ] ${NEW}\n`,
    ],
    ['without a final newline', '- [ ] a', `- [ ] a\n- [ ] ${NEW}`],
    [
      'with the line ends of its neighbour',
      'x\n- [ ] a\r\n\r\n',
      `x\n- [ ] a\r\n- [ ] ${NEW}\r\n\r\n`,
    ],
    ['in a note without tasks', '# T\n\nText.\n\n', `# T\n\nText.\n\n- [ ] ${NEW}\n\n`],
    ['in an empty note', '', `\n- [ ] ${NEW}\n`],
  ])('[NOTE45] %s', (_, before, after) => {
    expect(added(before)).toBe(after);
  });

  test.each([
    [
      'indented as its siblings',
      '- [ ] a\n  * [ ] b\n    text\n- [ ] c\n',
      `- [ ] a\n  * [ ] b\n    text\n  * [ ] ${NEW}\n- [ ] c\n`,
    ],
    [
      'by a tab where it is the first',
      '* [ ] a\n\tbody\n- [ ] c\n',
      `* [ ] a\n\tbody\n\t* [ ] ${NEW}\n- [ ] c\n`,
    ],
    ['deep enough to be inside', '   - [ ] a\n', `   - [ ] a\n   \t\t- [ ] ${NEW}\n`],
    ['numbered on', '1. [ ] a\n   1) [ ] b\n', `1. [ ] a\n   1) [ ] b\n   2) [ ] ${NEW}\n`],
    ['not numbered where it is the first', '1. [ ] a\n', `1. [ ] a\n\t- [ ] ${NEW}\n`],
  ])('[NOTE46] a subtask: %s', (_, before, after) => {
    expect(added(before, { parent: '@10' })).toBe(after);
  });

  test('[NOTE46] after a named task, as its sibling', () => {
    const body = '- [ ] p\n\t- [ ] a\n\t\t- [ ] b\n\t- [ ] c\n';
    expect(added(body, { after: '@11', parent: '@13', phase: 'X' })).toBe(
      `- [ ] p\n\t- [ ] a\n\t\t- [ ] b\n\t- [ ] ${NEW}\n\t- [ ] c\n`,
    );
  });

  test.each([
    [
      'after its last task',
      '## A\n- [ ] a\n\t- [ ] b\n## B\n- [ ] c\n',
      `## A\n- [ ] a\n\t- [ ] b\n- [ ] ${NEW}\n## B\n- [ ] c\n`,
    ],
    [
      'at the end of an empty one',
      '## A\n\nText.\n\n\n## B\n- [ ] c\n',
      `## A\n\nText.\n\n- [ ] ${NEW}\n\n\n## B\n- [ ] c\n`,
    ],
    ['in a new one at the end', '## B\n- [ ] c\n\n', `## B\n- [ ] c\n\n## A\n\n- [ ] ${NEW}\n\n`],
    ['in a new one of a note without a final newline', 'Text', `Text\n\n## A\n\n- [ ] ${NEW}`],
  ])('[NOTE47] in a phase: %s', (_, before, after) => {
    expect(added(before, { phase: ' A ' })).toBe(after);
  });

  test('[NOTE47] a phase that is no heading is refused', () => {
    expect(addTask(noteOf(''), { title: 'N', phase: 'a\nb', today: 'x' })).toMatchObject({
      code: 'bad_phase',
    });
  });

  test.each([
    ['- [ ] a\n\n```\ncode\n', { phase: 'A' }, `- [ ] a\n\n## A\n\n- [ ] ${NEW}\n\n\`\`\`\ncode\n`],
    ['- [ ] a\n\t```\n\tcode\n- [ ] b\n', {}, `- [ ] a\n\t\`\`\`\n\tcode\n- [ ] b\n- [ ] ${NEW}\n`],
    [
      '- [ ] a\n\t```\n\tcode\n- [ ] b\n',
      { parent: '@10' },
      `- [ ] a\n\t- [ ] ${NEW}\n\t\`\`\`\n\tcode\n- [ ] b\n`,
    ],
    [
      '-   [ ] a\n\t```\n  ````',
      { parent: '@10' },
      `-   [ ] a\n\t- [ ] ${NEW}\n\t\`\`\`\n  \`\`\`\``,
    ],
  ])('[NOTE48] before a fence that nobody closed: %j %j', (before, spec, after) => {
    expect(added(before, spec)).toBe(after);
  });

  test.each([
    ['  ```\ncode\n', {}, 'Line 10 '],
    ['## A\n\n ## B\n', { phase: 'A' }, 'Line 12 '],
  ])(
    '[NOTE48] refused where an indented line would hang under the new task: %j',
    (body, spec, line) => {
      const result = addTask(noteOf(body), { title: 'N', today: 'x', ...spec });
      expect(result).toMatchObject({ ok: false, code: 'no_place' });
      expect(result.ok ? '' : result.message).toContain(line);
    },
  );
});

describe('what a new line says', () => {
  test('[NOTE49] mark, title, reason, id, prerequisites, date, link', () => {
    const spec = {
      dependsOn: ['k3f9-1', 'k3f9-2', 'k3f9-1'],
      fields: { reason: 'done before' },
      status: 'completed',
    } as const;
    expect(added('', spec)).toBe(
      '\n- [x] N [reason:: done before] 🆔 k3f9-20 ⛔ k3f9-1,k3f9-2 ✅ 2026-11-21 ^k3f9-20\n',
    );
  });

  test('[NOTE49] it answers the id, which is the key, and raises next', () => {
    const result = addTask(noteOf(''), { title: 'N', today: 'x' });
    expect(result).toMatchObject({ ok: true, id: 'k3f9-20' });
    expect(result.ok && result.board.tasks[0]?.key).toBe('k3f9-20');
    expect(result.ok && result.text).toContain('\nnext: 21\n');
  });

  test('[NOTE49] a key of the header that is missing becomes its last line, with the line ends of the note', () => {
    const text = HEADER.replace('next: 20\n', '').replaceAll('\n', '\r\n');
    const result = addTask(parseNote('p', text), { title: 'N', today: 'x' });
    expect(result.ok && result.text).toContain(
      'rev: 17\r\nnext: 2\r\n---\r\n\r\n- [ ] N 🆔 k3f9-1 ^k3f9-1\r\n',
    );
  });

  test('[NOTE49] an unknown task or what is no id is refused', () => {
    const add = (spec: Partial<NewTask>) =>
      addTask(noteOf(''), { title: 'N', today: 'x', ...spec });
    expect(add({ parent: 'k3f9-9' })).toMatchObject({ code: 'unknown_task' });
    expect(add({ after: 'k3f9-9' })).toMatchObject({ code: 'unknown_task' });
    expect(add({ dependsOn: ['a b'] })).toMatchObject({ code: 'bad_id' });
    expect(add({ fields: { reason: 'a\nb' } })).toMatchObject({ code: 'bad_reason' });
  });
});
