import { expect, test } from 'vitest';
import { newNote } from '../../src/core/board/note/new-note';
import { parseNote } from '../../src/core/board/note/parse-note';
import { planProgress, type PlanProgress } from '../../src/core/board/plan-progress';

const fresh = newNote({ session: 's', agent: 'build', title: 'T', prefix: 'k3f9' });

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
  );
  expect(progress).toMatchObject({ total: 8, completed: 2, failed: 1, skipped: 2, pending: 2 });
  expect(progress.current.map(({ title }) => title)).toEqual(['b']);
  expect(progress.ratio).toBeCloseTo(2 / 7);
  expect(of()).toMatchObject({ total: 0, ratio: 0, current: [] });
  expect(of('- [-] a')).toMatchObject({ total: 1, ratio: 1 });
  expect(of('- [x] a')).toMatchObject({ ratio: 1 });
});

test('[FACT21] what is left is the open tasks without open sub-tasks, in minutes if one is estimated', () => {
  expect(of('- [x] a', '- [ ] b', '- [/] c').remaining).toEqual({ tasks: 2, minutes: null });
  expect(of('- [ ] a [estimate:: 30m]', '- [/] b', '- [!] c', '- [x] d').remaining).toEqual({
    tasks: 2,
    minutes: 90,
  });
  expect(
    of('- [ ] a [estimate:: 4h]', '\t- [ ] a1 [estimate:: 2h]', '\t- [x] a2 [estimate:: 1h]')
      .remaining,
  ).toEqual({ tasks: 1, minutes: 120 });
  expect(of('- [x] a [estimate:: 4h]').remaining).toEqual({ tasks: 0, minutes: null });
});
