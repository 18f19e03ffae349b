import { expect, test } from 'vitest';
import { codes, ManagerFixture, messages } from './manager-fixture';

async function planned(): Promise<ManagerFixture> {
  const fixture = new ManagerFixture();
  await fixture.call(
    'build',
    { type: 'add', title: 'Choose' },
    { type: 'add', title: 'Build', dependsOn: [1] },
    { type: 'add', title: 'Split', parent: 2 },
  );
  return fixture;
}

test('[TASKS65] a subtask waits neither for its parent nor for what waits for that; the way is told', async () => {
  const fixture = await planned();
  const before = fixture.text('build');
  const answer = await fixture.call(
    'build',
    { type: 'depend', id: 3, dependsOn: [2] },
    { type: 'depend', id: 1, dependsOn: [2] },
    { type: 'add', title: 'Other', parent: 2, dependsOn: [2] },
  );
  expect(codes(answer)).toEqual(['cycle', 'cycle', 'cycle']);
  expect(messages(answer)).toEqual([
    'This would make #3 wait for itself: #3, #2, #3 (#2 is done after its subtask #3).',
    'This would make #1 wait for itself: #1, #2, #1.',
    'This would make #4 wait for itself: #4, #2, #4 (#2 is done after its subtask #4).',
  ]);
  expect(fixture.text('build')).toBe(before);
  const moved = await fixture.call(
    'build',
    { type: 'add', title: 'Behind', dependsOn: [2] },
    { type: 'move', id: 'Behind', parent: 2 },
  );
  expect(codes(moved)).toEqual(['ok', 'cycle']);
});

test('[TASKS66] add with parent goes without phase', async () => {
  const fixture = await planned();
  const answer = await fixture.call('build', {
    type: 'add',
    title: 'Other',
    parent: 2,
    phase: 'Later',
  });
  expect(messages(answer)).toEqual([
    'A subtask stands in the phase of its parent; send parent without phase.',
  ]);
});

test('[TASKS67] an answer says which task was meant, what is ready instead, and that a prerequisite was cancelled', async () => {
  const fixture = await planned();
  const refused = await fixture.call('build', { type: 'claim', id: 2 });
  expect(messages(refused)).toEqual([
    "#2 Build can't be started: it waits for #1 (pending). Ready now: #1.",
  ]);
  const answer = await fixture.call(
    'build',
    { type: 'update', id: 'choose ', status: 'cancelled' },
    { type: 'claim', id: 'Split' },
    { type: 'update', id: 2, status: 'in_progress' },
  );
  expect(codes(answer)).toEqual(['ok', 'ok', 'ok']);
  expect(answer.output).toContain('"choose" is #1 Choose.');
  expect(answer.output).toContain(
    'Unblocked: #2, #3, though #1 was not done: see whether they can be.',
  );
  expect(answer.output).toContain('is in_progress. #1, which it waited for, was cancelled.');
  expect(answer.output).not.toContain('"Split" is');
});
