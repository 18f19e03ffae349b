import { describe, expect, test } from 'vitest';
import { addCompletionLine } from '../../src/core/board/note/place-task';
import { readCompletionLines } from '../../src/core/board/note/task-block';
import { parseNote } from '../../src/core/board/note/parse-note';
import { fc } from '../seeded';
import { notes, rawLines } from './note-maker';
import { bodyOf, noteOf, onlyTask } from './note-sample';
import { titles } from './title-maker';

const added = (body: string, result: string) =>
  bodyOf(addCompletionLine(noteOf(body), '@10', 'Result', result));

describe('what the text under a task says of its end', () => {
  test('[NOTE62] Success lines are what must be true, Result lines what came of it, Sent back lines what its person missed', () => {
    const task = onlyTask(
      '- [ ] a\n\tSuccess: it works\n\tSome text, Result: none\n\t- Success: it is fast\n\tResult: slow\n\t```\n\tResult: code\n\t```\n\tResult: fast\n\tSent back: too slow\n\tResult:\n',
    );
    expect(readCompletionLines(task)).toEqual({
      success: ['it works', 'it is fast'],
      results: ['slow', 'fast'],
      sentBack: ['too slow'],
    });
  });

  test.each([
    ['- [ ] a', '- [ ] a\n\tResult: ok'],
    ['- [ ] a\r\n- [ ] b\r\n', '- [ ] a\r\n\tResult: ok\r\n- [ ] b\r\n'],
    [
      '- [ ] a\n  text\n    deep\n\n- [ ] b\n',
      '- [ ] a\n  text\n    deep\n  Result: ok\n\n- [ ] b\n',
    ],
    ['- [ ] a\n\tResult: old\n\t- [ ] b\n', '- [ ] a\n\tResult: old\n\tResult: ok\n\t- [ ] b\n'],
  ])('[NOTE63] a result is added behind the text of its task: %j', (before, after) => {
    expect(added(before, ' ok ')).toBe(after);
  });

  test('[NOTE63] one that would be read as something else is refused', () => {
    expect(
      addCompletionLine(noteOf('- [ ] a\n\t```\n\topen\n'), '@10', 'Result', 'ok'),
    ).toMatchObject({
      ok: false,
      code: 'bad_body',
    });
    expect(addCompletionLine(noteOf('- [ ] a\n'), '@10', 'Result', 'a\nb')).toMatchObject({
      code: 'bad_value',
    });
    expect(addCompletionLine(noteOf('- [ ] a\n'), '@10', 'Result', ' ')).toMatchObject({
      code: 'bad_value',
    });
    expect(addCompletionLine(noteOf('- [ ] a\n'), '@11', 'Result', 'ok')).toMatchObject({
      code: 'unknown_task',
    });
  });

  test('[NOTE63] in any note it adds one line and changes no other', () => {
    let edits = 0;
    fc.assert(
      fc.property(notes, fc.nat(9), titles, (text, at, title) => {
        const note = parseNote('p', text);
        const task = note.board.tasks[at % Math.max(1, note.board.tasks.length)];
        const result = task && addCompletionLine(note, task.key, 'Result', title);
        if (!task || !result?.ok) return;
        edits += 1;
        const [before, after] = [rawLines(text), rawLines(result.text)];
        const tidy = (lines: readonly string[]) =>
          lines.map((line) => line.replace(/[\r\n]+$/, ''));
        const put = tidy(after).findIndex((line, i) => line !== tidy(before)[i]);
        expect(tidy(after).toSpliced(put, 1)).toEqual(tidy(before));
        const now = parseNote('p', result.text).board.tasks;
        expect(now.map(({ title: said }) => said)).toEqual(
          note.board.tasks.map(({ title: said }) => said),
        );
        expect(
          readCompletionLines(now[note.board.tasks.indexOf(task)] ?? { body: [] }).results.at(-1),
        ).toBe(title.trim());
      }),
      { numRuns: 2000 },
    );
    expect(edits).toBeGreaterThan(400);
  });
});
