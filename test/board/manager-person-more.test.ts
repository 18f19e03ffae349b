import { expect, test } from 'vitest';
import type { PersonOperation } from '../../src/core/board/todo-manager';
import type { Task } from '../../src/core/board/task';
import { boardPathOf, Fixture } from './manager-fixture';

const path = boardPathOf('build');
const archive = '.opencode/todos/ses_1/build-tasks.archive.md';

async function planned(): Promise<Fixture> {
  const fixture = new Fixture();
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

async function named(fixture: Fixture): Promise<(title: string, nth?: number) => Task> {
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
  fixture.type('build', (text) => `${text}- [ ] Loose\n- [ ] Pasted 🆔 a4rg-4 ^a4rg-4\n`);
  const task = await named(fixture);
  const before = less(fixture.text('build'));
  const answer = await fixture.manager.person(path, [
    { type: 'title', title: 'Find' },
    { type: 'depend', target: task('Loose'), on: [task('Choose'), task('Ship')] },
    { type: 'undepend', target: task('Ship'), on: [task('Build')] },
    {
      type: 'fields',
      target: task('Ship'),
      fields: { risk: 'high', due: '2026-12-01' },
      body: 'at dawn',
    },
    { type: 'renumber', target: task('Pasted') },
    { type: 'move', target: task('Ship'), after: task('Choose') },
    { type: 'move', target: task('Segment'), parent: task('Ship') },
    { type: 'remove', target: task('Build'), cascade: true },
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

test('[TASKS68] what would wait for itself, has sub-tasks, is no duplicate or has no place is refused, and nothing is done', async () => {
  const fixture = await planned();
  const task = await named(fixture);
  const before = fixture.text('build');
  const wrong: readonly (readonly [PersonOperation, string])[] = [
    [{ type: 'depend', target: task('Choose'), on: [task('Ship')] }, 'cycle'],
    [{ type: 'depend', target: task('Segment'), on: [task('Build')] }, 'cycle'],
    [{ type: 'move', target: task('Choose'), parent: task('Ship') }, 'cycle'],
    [{ type: 'move', target: task('Choose') }, 'bad_place'],
    [{ type: 'move', target: task('Build'), parent: task('Segment') }, 'bad_place'],
    [{ type: 'remove', target: task('Build') }, 'has_children'],
    [{ type: 'renumber', target: task('Build') }, 'bad_id'],
    [{ type: 'fields', target: task('Build'), fields: {}, body: '- [ ] x' }, 'bad_body'],
    [{ type: 'title', title: '' }, 'bad_title'],
    [{ type: 'archive' }, 'nothing_finished'],
    [{ type: 'restore', id: 'a4rg-9' }, 'no_archive'],
  ];
  for (const [operation, code] of wrong) {
    const answer = await fixture.manager.person(path, [
      { type: 'rename', target: task('Choose'), title: 'Other' },
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
  expect(await manager.person(path, [{ type: 'archive', target: task('Build') }])).toMatchObject({
    ok: true,
  });
  expect(store.files.get(archive)?.text).toContain(
    '- [ ] Build 🆔 a4rg-2 ⛔ a4rg-1 ^a4rg-2\n\tbelow 40 MB\n\t- [ ] Segment',
  );
  const [archived] = await manager.archived(path);
  expect(await manager.person(path, [{ type: 'restore', id: archived?.id ?? '' }])).toMatchObject({
    ok: true,
  });
  expect(await manager.archived(path)).toEqual([]);
  for (const left of [1, 0]) {
    expect(await manager.undoLast(path, { kind: 'person' })).toMatchObject({ ok: true });
    expect(await manager.archived(path)).toHaveLength(2 * left);
  }
  expect(less(fixture.text('build'))).toBe(before);
});
