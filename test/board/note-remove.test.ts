import { describe, expect, test } from 'vitest';
import { parseNote } from '../../src/core/board/note/parse-note';
import { removeTask, type Removal } from '../../src/core/board/note/place-task';
import { fc } from '../seeded';
import { notes, rawLines } from './note-maker';
import { bodyOf, noteOf } from './note-sample';

const A = '- [ ] a 🆔 k3f9-1';

describe('removing with what hangs under a task', () => {
  test.each<[string, Removal, string]>([
    [`- [ ] x\n${A}\n\ttext\n\n\t- [ ] b\n- [ ] c\n`, 'cascade', '- [ ] x\n- [ ] c\n'],
    [
      `${A}\n\ttext\n\t- [x] b  \n\t\tof b\n\tmore\n\t- [ ] d\n- [ ] c`,
      'promote',
      '- [x] b  \n\tof b\n- [ ] d\n- [ ] c',
    ],
    [
      `- [ ] x\n  ${A}\r\n      - [ ] b\r\n        - [ ] c\r\n`,
      'promote',
      '- [ ] x\n  - [ ] b\r\n    - [ ] c\r\n',
    ],
    [`${A}\n\ttext\n- [ ] c\n`, 'promote', '- [ ] c\n'],
    [`${A}\n\t- [ ] b`, 'promote', '- [ ] b'],
  ])('[NOTE57] %j by %s', (before, how, after) => {
    expect(bodyOf(removeTask(noteOf(before), 'k3f9-1', how))).toBe(after);
  });

  test('[NOTE1, NOTE57] of any note: the others say what they said', () => {
    const count = { cascade: 0, promote: 0, family: 0 };
    fc.assert(
      fc.property(notes, fc.nat(13), fc.boolean(), (text, at, cascade) => {
        const { board } = parseNote('p', text);
        const index = board.tasks.length === 0 ? -1 : at % board.tasks.length;
        const task = board.tasks[index];
        if (!task) return;
        const how = cascade ? 'cascade' : 'promote';
        const result = removeTask(parseNote('p', text), task.key, how);
        if (!result.ok) return;
        let end = index + 1;
        while ((board.tasks[end]?.depth ?? 0) > task.depth) end += 1;
        const gone = cascade ? end - index : 1;
        count[how] += 1;
        count.family += end - index > 1 ? 1 : 0;
        const said = (all: typeof board.tasks): string[] =>
          all.map(({ title, id, mark, phase, body }) =>
            [title, id, mark, phase, ...body].join('|'),
          );
        expect(said(parseNote('p', result.text).board.tasks)).toEqual(
          said(board.tasks.toSpliced(index, gone)),
        );
        const above = rawLines(text)
          .slice(0, task.line - 1)
          .join('');
        expect(result.text.startsWith(above)).toBe(true);
      }),
      { numRuns: 2_000 },
    );
    expect(count.cascade).toBeGreaterThan(300);
    expect(count.promote).toBeGreaterThan(300);
    expect(count.family).toBeGreaterThan(100);
  });
});
