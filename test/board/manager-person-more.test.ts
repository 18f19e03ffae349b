import { PERSON } from '../../src/core/board/history/actor';
import { expect, test } from 'vitest';
import type { Op } from '../../src/core/board/op';
import type { Task } from '../../src/core/board/task';
import { boardPathOf, ManagerFixture } from './manager-fixture';

const path = boardPathOf('build');
const archive = '.opencode/todos/ses_1/build-tasks.archive.md';

async function planned(): Promise<ManagerFixture> {
  const fixture = new ManagerFixture();
  await fixture.call(
    'build',
    { type: 'init', title: 'Search' },
    { type: 'add', title: 'Choose', phase: 'Groundwork' },
    { type: 'add', title: 'Build', dependsOn: [1], phase: 'Groundwork', body: 'below 40 MB' },
    { type: 'add', title: 'Segment', parent: 2 },
    { type: 'add', title: 'Ship', dependsOn: [2], phase: 'Release' },
  );
  return fixture;
}

async function named(fixture: ManagerFixture): Promise<(title: string, nth?: number) => Task> {
  const tasks = await fixture.board('build');
  return (title, nth = 0) => {
    const found = tasks.filter((task) => task.title === title)[nth];
    if (found === undefined) throw new Error(`no task ${title}`);
    return found;
  };
}

const less = (text: string): string => text.replace(/^(?:rev|next): .*\n/gm, '');

test('[TASKS68] a person moves, removes, connects, renumbers and sets all fields of tasks, and titles the board', async () => {
  const fixture = await planned();
  fixture.editNote('build', (text) => `${text}- [ ] Loose\n- [ ] Pasted 🆔 a4rg-4 ^a4rg-4\n`);
  const task = await named(fixture);
  const before = less(fixture.text('build'));
  const answer = await fixture.manager.commit(path, PERSON, [
    { type: 'init', title: 'Find' },
    { type: 'depend', id: task('Loose'), dependsOn: [task('Choose'), task('Ship')] },
    { type: 'undepend', id: task('Ship'), dependsOn: [task('Build')] },
    {
      type: 'update',
      id: task('Ship'),
      risk: 'high',
      due: '2026-12-01',
      body: 'at dawn',
    },
    { type: 'renumber', id: task('Pasted') },
    { type: 'move', id: task('Ship'), after: task('Choose') },
    { type: 'move', id: task('Segment'), parent: task('Ship') },
    { type: 'remove', id: task('Build'), cascade: true },
  ]);
  expect(answer).toMatchObject({ ok: true, board: { title: 'Find', rev: 2 } });
  expect(
    (await fixture.board('build')).map(({ n, title, depth, dependsOn, risk }) => [
      ...[n, title, depth, dependsOn.join()],
      risk,
    ]),
  ).toEqual([
    [1, 'Choose', 0, '', null],
    [4, 'Ship', 0, '', 'high'],
    [3, 'Segment', 1, '', null],
    [5, 'Loose', 0, 'a4rg-1,a4rg-4', null],
    [6, 'Pasted', 0, '', null],
  ]);
  expect(fixture.text('build')).toContain('\tat dawn\n');
  const [entry] = await fixture.manager.history(path);
  expect(entry?.said).toEqual([
    'the board is called "Find"',
    '#5 Loose waits for #1, #4',
    '#4 Ship no longer waits for "Build"',
    '#4 Ship has another risk, due, body',
    '#4 Pasted has a number of its own',
    '#4 Ship stands behind "Choose"',
    '#3 Segment stands under "Ship"',
    'removed #2 Build',
  ]);
  expect(await fixture.manager.undo(answer.ok ? answer.change : '')).toMatchObject({ ok: true });
  expect(less(fixture.text('build'))).toBe(
    before.replace('- [ ] Loose\n', '- [ ] Loose 🆔 a4rg-5 ^a4rg-5\n'),
  );
});

test('[TASKS77] a circle is told to a person by titles', async () => {
  const fixture = await planned();
  const task = await named(fixture);
  const refused = async (operation: Op) => {
    const answer = await fixture.manager.commit(path, PERSON, [operation]);
    return answer.ok ? '' : answer.message;
  };
  const depend = { type: 'depend', id: task('Choose'), dependsOn: [task('Ship')] } as const;
  expect(await refused(depend)).toMatch(
    /^This would make "Choose" wait for itself: "Choose", .*"Choose"\.$/,
  );
  expect(await refused(depend)).not.toContain('#');
  const move = { type: 'move', id: task('Choose'), parent: task('Ship') } as const;
  expect(await refused(move)).toMatch(/^There "Choose" would wait for itself/);
  expect(await refused(move)).not.toContain('#');
});

test('[TASKS68] what would wait for itself, has subtasks, is no duplicate or has no place is refused, and nothing is done', async () => {
  const fixture = await planned();
  const task = await named(fixture);
  const before = fixture.text('build');
  const wrong: readonly (readonly [Op, string])[] = [
    [{ type: 'depend', id: task('Choose'), dependsOn: [task('Ship')] }, 'cycle'],
    [{ type: 'depend', id: task('Segment'), dependsOn: [task('Build')] }, 'cycle'],
    [{ type: 'move', id: task('Choose'), parent: task('Ship') }, 'cycle'],
    [{ type: 'move', id: task('Choose') }, 'missing_field'],
    [{ type: 'move', id: task('Build'), parent: task('Segment') }, 'bad_place'],
    [{ type: 'remove', id: task('Build') }, 'has_children'],
    [{ type: 'renumber', id: task('Build') }, 'bad_id'],
    [{ type: 'update', id: task('Build'), body: '- [ ] x' }, 'bad_body'],
    [{ type: 'init', title: '' }, 'bad_title'],
    [{ type: 'archive' }, 'nothing_finished'],
    [{ type: 'restore', id: 'a4rg-9' }, 'no_archive'],
  ];
  for (const [operation, code] of wrong) {
    const answer = await fixture.manager.commit(path, PERSON, [
      { type: 'update', id: task('Choose'), title: 'Other' },
      operation,
    ]);
    expect(answer, JSON.stringify(operation)).toMatchObject({ ok: false, code });
  }
  expect(fixture.text('build')).toBe(before);
});

test('[TASKS68] a person archives what is not finished, restores it, and takes both back', async () => {
  const fixture = await planned();
  const task = await named(fixture);
  const before = less(fixture.text('build'));
  const { manager, store } = fixture;
  expect(
    await manager.commit(path, PERSON, [{ type: 'archive', id: task('Build') }]),
  ).toMatchObject({
    ok: true,
  });
  expect(store.files.get(archive)?.text).toContain(
    '- [ ] Build 🆔 a4rg-2 ⛔ a4rg-1 ^a4rg-2\n\tbelow 40 MB\n\t- [ ] Segment',
  );
  const [archived] = await manager.archived(path);
  expect(
    await manager.commit(path, PERSON, [{ type: 'restore', id: archived?.id ?? '' }]),
  ).toMatchObject({
    ok: true,
  });
  expect(await manager.archived(path)).toEqual([]);
  for (const left of [1, 0]) {
    expect(await manager.undoLast(path, { kind: 'person' })).toMatchObject({ ok: true });
    expect(await manager.archived(path)).toHaveLength(2 * left);
  }
  expect(less(fixture.text('build'))).toBe(before);
});

test('[TASKS80] a task with 🔁 that is completed says that no next occurrence is made', async () => {
  const fixture = new ManagerFixture();
  await fixture.call('build', { type: 'add', title: 'Water' }, { type: 'add', title: 'Mow' });
  fixture.editNote('build', (text) =>
    text.replace('Water', 'Water 🔁 every week').replace('Mow', 'Mow [repeat:: every day]'),
  );
  const answer = await fixture.call('build', { type: 'complete', id: 2 });
  expect(answer.output).toContain(
    'It repeats (every day), but no next occurrence is made: add one if it is needed.',
  );
  const [task] = await fixture.board('build');
  if (task === undefined) throw new Error('no task');
  const path = boardPathOf('build');
  const status = { type: 'update', id: task, status: 'completed' } as const;
  expect(await fixture.manager.commit(path, PERSON, [status])).toMatchObject({
    ok: true,
    repeats: true,
  });
  const back = { ...status, target: task, status: 'pending' } as const;
  expect(await fixture.manager.commit(path, PERSON, [back])).not.toHaveProperty('repeats');
  expect(fixture.text('build')).toContain('- [ ] Water 🔁 every week');
});
