import { PERSON } from '../../src/core/board/history/actor';
import { expect, test } from 'vitest';
import { boardPathOf, codes, ManagerFixture, messages } from './manager-fixture';

async function planned(): Promise<ManagerFixture> {
  const fixture = new ManagerFixture();
  await fixture.call(
    'build',
    { type: 'add', title: 'A' },
    { type: 'add', title: 'B', dependsOn: [1] },
    { type: 'add', title: 'C', parent: 2 },
  );
  return fixture;
}

test('[TASKS60] a blocked task is neither started nor completed, with the reason', async () => {
  const fixture = await planned();
  const before = fixture.text('build');
  const answer = await fixture.call(
    'build',
    { type: 'complete', id: 2 },
    { type: 'update', id: 3, status: 'in_progress', owner: 'build' },
    { type: 'complete', id: 2, force: true },
  );
  expect(codes(answer)).toEqual(['blocked', 'blocked', 'missing_field']);
  expect(messages(answer)).toEqual([
    '#2 B can\'t be completed: it waits for #1 (pending). Do that first, or send "force": true with a reason. Ready now: #1.',
    '#3 C can\'t be started: #2 B above it waits for #1 (pending). Do that first, or send "force": true with a reason. Ready now: #1.',
    '#2 B is blocked. To have it completed all the same, send "reason" with "force".',
  ]);
  expect(fixture.text('build')).toBe(before);
});

test('[TASKS60] force with a reason does it, and the task keeps the reason', async () => {
  const fixture = await planned();
  const answer = await fixture.call('build', {
    type: 'complete',
    id: 2,
    force: true,
    reason: 'done by hand',
  });
  expect(answer.output).toContain('It still waited for #1.');
  expect((await fixture.board('build'))[1]).toMatchObject({
    status: 'completed',
    reason: 'done by hand',
  });
});

test('[TASKS60] what is lifted in the same call no longer blocks; a failed prerequisite does, a cancelled one does not', async () => {
  const fixture = await planned();
  const answer = await fixture.call(
    'build',
    { type: 'update', id: 1, status: 'failed', reason: 'no key' },
    { type: 'complete', id: 2 },
    { type: 'update', id: 1, status: 'cancelled' },
    { type: 'update', id: 2, status: 'in_progress' },
    { type: 'update', id: 1, status: 'pending' },
    { type: 'update', id: 2, dependsOn: [], status: 'completed' },
  );
  expect(codes(answer)).toEqual(['ok', 'blocked', 'ok', 'ok', 'ok', 'ok']);
});

test('[TASKS60] a person completes a waiting task', async () => {
  const fixture = await planned();
  const [, task] = await fixture.board('build');
  if (task === undefined) throw new Error('no task');
  const { id, line, title } = task;
  const done = await fixture.manager.commit(boardPathOf('build'), PERSON, [
    { type: 'update', id: { id, line, title }, status: 'completed' },
  ]);
  expect(done.ok).toBe(true);
  expect(await fixture.tasks('build')).toContain('B: completed');
});
