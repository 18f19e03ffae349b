import { expect, test } from 'vitest';
import { codes, ManagerFixture, messages } from './manager-fixture';

async function planned(): Promise<ManagerFixture> {
  const fixture = new ManagerFixture();
  await fixture.call(
    'build',
    { type: 'add', title: 'A', body: 'One.\nTwo.', risk: 'high', phase: 'P' },
    { type: 'add', title: 'B', dependsOn: [1] },
    { type: 'add', title: 'C', parent: 2 },
    { type: 'add', title: 'D', priority: 'critical', owner: 'explore' },
  );
  return fixture;
}

test('[TASKS58] get tells all that a task says, and what waits for it', async () => {
  const fixture = await planned();
  const before = fixture.text('build');
  const answer = await fixture.call('build', { type: 'get', id: 'A' });
  expect(answer.output).toContain(
    '- get: #1 A: pending.\n  risk: high\n  phase: P\n  blocks: a4rg-2\n  ready\n  | One.\n  | Two.\n',
  );
  expect(answer.result.results[0]?.result).toMatchObject({
    id: 'a4rg-1',
    risk: 'high',
    body: ['One.', 'Two.'],
    blocks: ['a4rg-2'],
    ready: true,
    parent: null,
  });
  expect(fixture.text('build')).toBe(before);
});

test('[TASKS58] a read gives no id', async () => {
  const fixture = await planned();
  fixture.editNote('build', (text) => `${text}- [ ] typed\n`);
  const before = fixture.text('build');
  const answer = await fixture.call('build', { type: 'get', id: 'typed' }, { type: 'get', id: 9 });
  expect(codes(answer)).toEqual(['ok', 'unknown_task']);
  expect(fixture.text('build')).toBe(before);
});

test('[TASKS58] ready tells what can be started, the most urgent first', async () => {
  const fixture = await planned();
  const answer = await fixture.call('build', { type: 'ready' });
  expect(answer.output).toContain(
    '- ready: 2 can be started.\n  #4 D (critical; of explore)\n  #1 A\n',
  );
});

test('[TASKS59] claim makes the caller the owner and starts the task', async () => {
  const fixture = await planned();
  const answer = await fixture.call('explore', { type: 'claim', id: 1, agent: 'build' });
  expect(answer.output).toContain('- claim: #1 A is yours (explore) and in_progress.');
  expect((await fixture.board('build'))[0]).toMatchObject({
    owner: 'explore',
    status: 'in_progress',
  });
  expect((await fixture.call('explore', { type: 'claim', id: 1, agent: 'build' })).ok).toBe(true);
});

test("[TASKS59] another's, the person's, a finished or a blocked task is not claimed", async () => {
  const fixture = await planned();
  await fixture.call(
    'build',
    { type: 'add', title: 'E', owner: 'me' },
    { type: 'add', title: 'F', status: 'done' },
  );
  const before = fixture.text('build');
  const answer = await fixture.call(
    'build',
    { type: 'claim', id: 4 },
    { type: 'claim', id: 5 },
    { type: 'claim', id: 6 },
    { type: 'claim', id: 2 },
    { type: 'claim', id: 3 },
  );
  expect(codes(answer)).toEqual(['owned', 'owned_by_person', 'finished', 'blocked', 'blocked']);
  expect(messages(answer).slice(3)).toEqual([
    "#2 B can't be started: it waits for #1 (pending). Ready now: #1, #4, #5.",
    "#3 C can't be started: #2 B above it waits for #1 (pending). Ready now: #1, #4, #5.",
  ]);
  expect(fixture.text('build')).toBe(before);
});
