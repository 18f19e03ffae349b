import { expect, test } from 'vitest';
import { codes, ManagerFixture, messages } from './manager-fixture';

async function planned(): Promise<ManagerFixture> {
  const fixture = new ManagerFixture();
  await fixture.call(
    'build',
    { type: 'init', title: 'Plan' },
    { type: 'add', title: 'A', body: 'text' },
    { type: 'add', title: 'B', dependsOn: [1] },
    { type: 'add', title: 'C', parent: 1 },
  );
  return fixture;
}

const shape = async (fixture: ManagerFixture): Promise<string[]> =>
  (await fixture.board('build')).map(
    ({ title, depth, phase }) => `${depth} ${title} ${phase ?? ''}`,
  );

test('[TASKS54] add after puts a task behind another, as its sibling', async () => {
  const fixture = await planned();
  await fixture.call(
    'build',
    { type: 'add', title: 'D', after: 'A' },
    { type: 'add', title: 'E', after: 3 },
  );
  expect(await shape(fixture)).toEqual(['0 A ', '1 C ', '1 E ', '0 D ', '0 B ']);
  const answer = await fixture.call(
    'build',
    { type: 'add', title: 'F', after: 9 },
    { type: 'add', title: 'F', after: 1, parent: 2 },
  );
  expect(codes(answer)).toEqual(['unknown_task', 'bad_field']);
  expect(messages(answer)[0]).toContain('after: No task "9".');
});

test('[TASKS55] move takes a task with its subtasks after, under, or into a phase', async () => {
  const fixture = await planned();
  const answer = await fixture.call('build', { type: 'move', id: 'A', phase: 'Later' });
  expect(answer.output).toContain('- move: #1 A stands in "Later".');
  expect(await shape(fixture)).toEqual(['0 B ', '0 A Later', '1 C Later']);
  await fixture.call('build', { type: 'move', id: 3, after: 2 });
  expect(await shape(fixture)).toEqual(['0 B ', '0 C ', '0 A Later']);
  await fixture.call('build', { type: 'move', id: 2, parent: 'C' });
  expect(await shape(fixture)).toEqual(['0 C ', '1 B ', '0 A Later']);
});

test('[TASKS55, TASKS6] a move that does not fit is refused and leaves no trace', async () => {
  const fixture = await planned();
  fixture.editNote('build', (text) => text + '- [ ] typed\n');
  const before = fixture.text('build');
  const answer = await fixture.call(
    'build',
    { type: 'move', id: 1 },
    { type: 'move', id: 1, after: 2, parent: 2 },
    { type: 'move', id: 1, parent: 3 },
    { type: 'move', id: 1, after: 'typed', phase: 'x' },
    { type: 'move', id: 'typed', after: 'typed' },
    { type: 'move', id: 1, after: 7 },
  );
  expect(codes(answer)).toEqual([
    'missing_field',
    'bad_field',
    'bad_place',
    'bad_field',
    'bad_place',
    'unknown_task',
  ]);
  expect(fixture.text('build')).toBe(before);
});

test('[TASKS10, TASKS55] what would wait for itself in its new place stays', async () => {
  const fixture = await planned();
  const answer = await fixture.call('build', { type: 'move', id: 1, parent: 2 });
  expect(codes(answer)).toEqual(['cycle']);
  expect(messages(answer)).toEqual([
    'There #1 would wait for itself: what it would stand under waits for #1.',
  ]);
});

test('[TASKS32, TASKS55] what the person moved since stays where they put it', async () => {
  const fixture = await planned();
  fixture.editNote('build', (text) =>
    text.replace(/\t(- \[ \] C.*)\n/, '').replace(/$/, '- [ ] C 🆔 a4rg-3 ^a4rg-3\n'),
  );
  const answer = await fixture.call('build', { type: 'move', id: 3, parent: 2 });
  expect(codes(answer)).toEqual(['conflict']);
});
