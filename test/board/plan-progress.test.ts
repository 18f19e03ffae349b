import { expect, test } from 'vitest';
import { newNoteText } from '../../src/core/board/note/edit-header';
import { parseNote } from '../../src/core/board/note/parse-note';
import {
  planProgress,
  progressText,
  sumProgress,
  type PlanProgress,
} from '../../src/core/board/plan-progress';

const fresh = newNoteText({ session: 's', agent: 'build', title: 'T', prefix: 'k3f9' });

function of(...lines: string[]): PlanProgress {
  return planProgress(parseNote('t/s/build-tasks.md', `${fresh}\n${lines.join('\n')}\n`).board);
}

test('[FACT20] the progress of a plan counts each status, names what is at hand, and has a ratio', () => {
  const progress = of(
    '- [x] a',
    '- [/] b',
    '\t- [x] b1',
    '\t- [ ] b2',
    '- [!] c',
    '- [>] d',
    '- [-] e',
    '- [?] f',
    '- [/] g [review:: 2026-11-21]',
  );
  expect(progress).toMatchObject({ total: 9, completed: 2, failed: 1, skipped: 2, pending: 2 });
  expect(progress.current.map(({ title }) => title)).toEqual(['b']);
  expect(progress.ratio).toBeCloseTo(2 / 8);
  expect(of()).toMatchObject({ total: 0, ratio: 0, current: [] });
  expect(of('- [-] a')).toMatchObject({ total: 1, ratio: 1 });
  expect(of('- [x] a')).toMatchObject({ ratio: 1 });
});

test('[FACT21] what is left is each task that is not over, so that the numbers add up; in minutes if one is estimated', () => {
  expect(of('- [x] a', '- [ ] b', '- [/] c').remaining).toEqual({ tasks: 2, minutes: null });
  expect(of('- [ ] a [estimate:: 30m]', '- [/] b', '- [!] c', '- [x] d').remaining).toEqual({
    tasks: 2,
    minutes: 90,
  });
  expect(
    of('- [ ] a [estimate:: 4h]', '\t- [ ] a1 [estimate:: 2h]', '\t- [x] a2 [estimate:: 1h]')
      .remaining,
  ).toEqual({ tasks: 2, minutes: 120 });
  expect(of('- [x] a [estimate:: 4h]').remaining).toEqual({ tasks: 0, minutes: null });
});

test('[FACT23] the progress of several plans is their sum, in minutes where each that has work left is estimated', () => {
  const estimated = of('- [x] a', '- [ ] b [estimate:: 2h]', '- [-] c', '- [!] d');
  const plain = of('- [ ] e');
  const both = sumProgress([estimated, plain]);
  expect(both).toMatchObject({ total: 5, counted: 4, completed: 1, failed: 1, skipped: 1 });
  expect(both.ratio).toBeCloseTo(1 / 4);
  expect(both.remaining).toEqual({ tasks: 2, minutes: null });
  expect(sumProgress([estimated, of('- [x] e')]).remaining).toEqual({ tasks: 1, minutes: 120 });
  expect(sumProgress([])).toMatchObject({ total: 0, ratio: 0 });
  expect(progressText(estimated)).toBe('1 failed, 1 skipped, 1 left, 2 h of work');
  expect(progressText(plain)).toBe('1 left');
  expect(progressText(of('- [x] e'))).toBe('');
});

test('[FACT22] what a run has not let go of is not completed', () => {
  const { board } = parseNote('t/s/build-tasks.md', `${fresh}\n- [x] a 🆔 k3f9-1\n- [ ] b\n`);
  const progress = planProgress({ ...board, unchecked: new Set(['k3f9-1']) });
  expect(progress).toMatchObject({ completed: 0, ratio: 0 });
});
