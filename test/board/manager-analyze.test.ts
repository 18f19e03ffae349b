import { expect, test } from 'vitest';
import { ManagerFixture, boardPathOf, codes } from './manager-fixture';

const PLAN = [
  { type: 'init', title: 'T' },
  { type: 'add', title: 'A' },
  { type: 'add', title: 'B', dependsOn: [1] },
  { type: 'add', title: 'C', dependsOn: [2] },
  { type: 'add', title: 'D', dependsOn: [1] },
] as const;

test('[GRAPH17] analyze tells what to do first, and what finishing a task would free', async () => {
  const fixture = new ManagerFixture();
  await fixture.call('build', ...PLAN);
  const before = fixture.text('build');
  const answer = await fixture.call('build', { type: 'analyze', id: 1 });
  expect(answer.output.split('\n').slice(0, 7)).toEqual([
    '- analyze: 4 open of 4.',
    '  When #1 is done: frees #2, #4, makes ready #2, #4.',
    '  Critical path (3 tasks): #1 → #2 → #3.',
    '  At the same time: #1 | #2, #4 | #3.',
    '  Bottlenecks: #2.',
    '  Riskiest chain (51 % to succeed at once): #1 → #2 → #3.',
    '  Expected cost 9.6, 8.0 if nothing fails; all at once 41 % (0 of 4 assessed, others taken as medium risk).',
  ]);
  const [, prefix] = /prefix: (\w{4})/.exec(before) ?? [];
  expect(answer.result.results[0]?.result).toMatchObject({
    tasks: 4,
    analysis: {
      criticalPath: [1, 2, 3].map((n) => `${prefix ?? ''}-${n}`),
      whatIf: { frees: [2, 4].map((n) => `${prefix ?? ''}-${n}`) },
    },
  });
  expect(fixture.text('build')).toBe(before);
});

test('[GRAPH17] it sees the operations before it, tells circles first, and makes no board', async () => {
  const fixture = new ManagerFixture();
  const nothing = await fixture.call('build', { type: 'analyze' });
  expect(nothing.ok).toBe(true);
  expect(fixture.paths()).toEqual([]);
  const together = await fixture.call('build', ...PLAN, { type: 'analyze', id: '' });
  expect(together.output).toContain('- analyze: 4 open of 4.\n  Critical path (3 tasks)');
  // Only a person's edit can close a cycle; no tool can.
  fixture.editNote('build', (text) =>
    text.replace(/- \[ \] A (🆔 (\w+)-1)/u, '- [ ] A $1 ⛔ $2-3,zz'),
  );
  expect(fixture.store.files.get(boardPathOf('build'))?.text).toContain('⛔');
  const { output } = await fixture.call('build', { type: 'analyze' });
  expect(output).toContain(
    '  Wait for each other: #1 waits for #3 waits for #2 waits for #1. Remove one of these waits.\n  Wait for what is not here: #1 for zz.',
  );
  expect(codes(await fixture.call('build', { type: 'analyze', id: 99 }))).toEqual(['unknown_task']);
  const all = [1, 2, 3, 4].map((id) => ({ type: 'update', id, status: 'cancelled' }));
  await fixture.call('build', ...all);
  const done = await fixture.call('build', { type: 'analyze' });
  expect(done.output).toContain('- analyze: nothing is left to do.\n');
});

test('[GRAPH18] a long plan is counted, not listed, and many analyses are not all shown', async () => {
  const fixture = new ManagerFixture();
  const adds = Array.from({ length: 40 }, (_, i) => ({
    type: 'add',
    title: `t${i}`,
    ...(i > 0 && { dependsOn: [i] }),
  }));
  await fixture.call('build', ...adds);
  const one = await fixture.call('build', { type: 'analyze' });
  expect(one.output).toContain('#1 → #2 → #3 → #4 → #5 → #6 → #7 → #8 → and 32 more.');
  const many = await fixture.call(
    'build',
    ...Array.from({ length: 50 }, () => ({ type: 'analyze' })),
  );
  const details = many.output.split('\n').filter((line) => line.startsWith('  '));
  expect(details.some((line) => /^ {2}\(\d+ more lines\)$/.test(line))).toBe(true);
  expect(details.filter((line) => !line.endsWith('more lines)'))).toHaveLength(60);
});
