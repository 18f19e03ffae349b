import { expect, test } from 'vitest';
import { codes, ManagerFixture } from './manager-fixture';

async function planned(): Promise<ManagerFixture> {
  const fixture = new ManagerFixture();
  await fixture.call(
    'build',
    { type: 'add', title: 'A', body: 'text' },
    { type: 'add', title: 'B', parent: 1 },
    { type: 'add', title: 'C', dependsOn: [2] },
  );
  return fixture;
}

test('[TASKS57] cascade takes subtasks and text along, and names those that waited', async () => {
  const fixture = await planned();
  const answer = await fixture.call('build', { type: 'remove', id: 1, cascade: true });
  expect(answer.output).toContain(
    '- remove: #1 A is gone, with 1 subtask. #3 still waits for what is gone: undepend it, or give it another prerequisite.',
  );
  expect(await fixture.tasks('build')).toEqual(['C: pending']);
  expect(fixture.text('build')).not.toContain('text');
});

test('[TASKS57] promote keeps the subtasks in its place', async () => {
  const fixture = await planned();
  const answer = await fixture.call('build', { type: 'remove', id: 1, promote: true });
  expect(answer.output).toContain('- remove: #1 A is gone, its subtasks took its place.');
  expect((await fixture.board('build')).map(({ title, depth }) => [title, depth])).toEqual([
    ['B', 0],
    ['C', 0],
  ]);
});

test('[TASKS57] both at once, or a subtask that the person touched, is refused', async () => {
  const fixture = await planned();
  fixture.editNote('build', (text) => text.replace('[ ] B', '[x] B'));
  const before = fixture.text('build');
  const answer = await fixture.call(
    'build',
    { type: 'remove', id: 1, cascade: true, promote: true },
    { type: 'remove', id: 1, cascade: true },
  );
  expect(codes(answer)).toEqual(['bad_field', 'conflict']);
  expect(fixture.text('build')).toBe(before);
});
