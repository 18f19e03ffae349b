import { PERSON } from '../../src/core/board/history/actor';
import { describe, expect, test } from 'vitest';
import type { CommitResult } from '../../src/core/board/todo-manager';
import { StoreError } from '../../src/core/ports';
import type { Task } from '../../src/core/board/task';
import { boardPathOf, codes, ManagerFixture } from './manager-fixture';

const path = boardPathOf('build');

async function planned(): Promise<ManagerFixture> {
  const fixture = new ManagerFixture();
  await fixture.call(
    'build',
    { type: 'init', title: 'Search' },
    { type: 'add', title: 'Choose' },
    { type: 'add', title: 'Build', dependsOn: [1] },
    { type: 'add', title: 'Ship', dependsOn: [1, 2] },
  );
  return fixture;
}

async function task(fixture: ManagerFixture, title: string): Promise<Task> {
  const found = (await fixture.board('build')).find((one) => one.title === title);
  if (found === undefined) throw new Error(`no task ${title}`);
  return found;
}

function token(answer: CommitResult): string {
  if (!answer.ok) throw new Error(answer.message);
  return answer.change;
}

describe("a person's operations", () => {
  test('[TASKS41] tick, rename and add in one write, and tell what that frees', async () => {
    const fixture = await planned();
    fixture.store.writes.length = 0;
    const choose = await task(fixture, 'Choose');
    const answer = await fixture.manager.commit(path, PERSON, [
      { type: 'update', id: choose, status: 'completed' },
      { type: 'update', id: choose, title: 'Choose one' },
      { type: 'add', title: 'Between', after: choose },
      { type: 'add', title: 'Below', parent: choose },
      { type: 'add', title: 'Later', phase: 'Release' },
    ]);
    expect(answer).toMatchObject({ ok: true, frees: 1, board: { rev: 2 } });
    expect(fixture.store.writes.filter((one) => one === path)).toEqual([path]);
    expect(
      (await fixture.board('build')).map(({ title, depth, phase }) => [title, depth, phase]),
    ).toEqual([
      ['Choose one', 0, null],
      ['Below', 1, null],
      ['Between', 0, null],
      ['Build', 0, null],
      ['Ship', 0, null],
      ['Later', 0, 'Release'],
    ]);
  });

  test('[TASKS41] are all done or none', async () => {
    const fixture = await planned();
    const before = fixture.text('build');
    const choose = await task(fixture, 'Choose');
    const answer = await fixture.manager.commit(path, PERSON, [
      { type: 'update', id: choose, status: 'completed' },
      { type: 'update', id: choose, title: 'two\nlines' },
    ]);
    expect(answer).toMatchObject({ ok: false, code: 'bad_title' });
    expect(fixture.text('build')).toBe(before);
  });

  test('[TASKS42] find a line without an id where the view saw it, else by its title, else not', async () => {
    const fixture = await planned();
    fixture.editNote('build', (text) => `${text}- [ ] Same\n- [ ] Same\n- [ ] Lone\n`);
    const [, , , first, second, lone] = await fixture.board('build');
    if (first === undefined || second === undefined || lone === undefined) throw new Error('lines');
    fixture.editNote('build', (text) => text.replace('# Search\n', '# Search\n\nA new line.\n'));
    const { manager } = fixture;
    const done = { type: 'update', status: 'completed' } as const;
    expect(await manager.commit(path, PERSON, [{ ...done, id: second }])).toMatchObject({
      ok: false,
      code: 'unknown_task',
    });
    expect(await manager.commit(path, PERSON, [{ ...done, id: lone }])).toMatchObject({ ok: true });
    const again = (await fixture.board('build')).filter(({ title }) => title === 'Same')[1];
    if (again === undefined) throw new Error('line');
    expect(await manager.commit(path, PERSON, [{ ...done, id: again }])).toMatchObject({
      ok: true,
    });
    expect((await fixture.tasks('build')).slice(3)).toEqual([
      'Same: pending',
      'Same: completed',
      'Lone: completed',
    ]);
  });

  test('[TASKS43] on no board, a broken note or a busy store are refused with the reason', async () => {
    const fixture = await planned();
    const choose = await task(fixture, 'Choose');
    const tick = [{ type: 'update', id: choose, status: 'completed' }] as const;
    const { manager, store } = fixture;
    for (const other of ['../x', 'notes/a.md', '.opencode/todos/ses_1/build-tasks.archive.md']) {
      expect(await manager.commit(other, PERSON, tick)).toMatchObject({
        ok: false,
        code: 'unknown_board',
      });
    }
    expect(await manager.commit(boardPathOf('ghost'), PERSON, tick)).toMatchObject({
      code: 'unknown_board',
    });
    store.fault = new StoreError('busy', 'Another program is writing this note.');
    expect(await manager.commit(path, PERSON, tick)).toEqual({
      ok: false,
      code: 'busy',
      message: 'Another program is writing this note.',
    });
    fixture.editNote('build', (text) => text.replace('board: 1', 'board: [1'));
    const broken = fixture.text('build');
    expect(await manager.commit(path, PERSON, tick)).toMatchObject({
      code: 'broken_note',
      message: expect.stringContaining('This note is read-only until it is repaired.') as string,
    });
    expect(fixture.text('build')).toBe(broken);
  });
});

describe("undo of a person's change", () => {
  test('[TASKS44] puts the lines back as they were, dates included, and takes away what was added', async () => {
    const fixture = await planned();
    fixture.editNote('build', (text) =>
      text.replace('- [ ] Choose 🆔 a4rg-1', '- [x] Choose 🆔 a4rg-1 ✅ 2020-01-01'),
    );
    const before = fixture.text('build');
    const choose = await task(fixture, 'Choose');
    const change = token(
      await fixture.manager.commit(path, PERSON, [
        { type: 'update', id: choose, status: 'pending' },
        { type: 'update', id: choose, title: 'Other' },
        { type: 'add', title: 'New', after: choose },
      ]),
    );
    expect(fixture.text('build')).toContain('- [ ] Other 🆔 a4rg-1 ^a4rg-1\n');
    expect(await fixture.manager.undo(change)).toMatchObject({ ok: true, board: { rev: 3 } });
    expect(fixture.text('build')).toBe(
      before.replace('rev: 1', 'rev: 3').replace('next: 4', 'next: 5'),
    );
    expect(await fixture.manager.undo(change)).toMatchObject({ ok: false, code: 'already_undone' });
  });

  test('[TASKS44] leaves what the agent did to other tasks', async () => {
    const fixture = await planned();
    const choose = await task(fixture, 'Choose');
    const change = token(
      await fixture.manager.commit(path, PERSON, [
        { type: 'update', id: choose, status: 'failed' },
      ]),
    );
    await fixture.call(
      'build',
      { type: 'complete', id: 2, force: true, reason: 'known' },
      { type: 'add', title: 'More' },
    );
    expect(await fixture.manager.undo(change)).toMatchObject({ ok: true });
    expect(await fixture.tasks('build')).toEqual([
      'Choose: pending',
      'Build: completed',
      'Ship: pending',
      'More: pending',
    ]);
  });

  test('[TASKS45] is refused with the reason where a task changed since, and changes nothing', async () => {
    const fixture = await planned();
    const [choose, build] = [await task(fixture, 'Choose'), await task(fixture, 'Build')];
    const change = token(
      await fixture.manager.commit(path, PERSON, [
        { type: 'update', id: build, status: 'in_progress' },
        { type: 'update', id: choose, status: 'completed' },
      ]),
    );
    await fixture.call('build', { type: 'list' }, { type: 'update', id: 1, title: 'Chosen' });
    fixture.editNote('build', (text) => text.replace('Chosen', 'Taken'));
    const before = fixture.text('build');
    expect(await fixture.manager.undo(change)).toMatchObject({
      ok: false,
      code: 'changed_since',
      message:
        'build changed "Taken" since, so the board stays as it is. Look at the board, and change there what you still want.',
    });
    expect(fixture.text('build')).toBe(before);
  });

  test('[TASKS45] of an added task that has subtasks by now is refused', async () => {
    const fixture = await planned();
    const change = token(
      await fixture.manager.commit(path, PERSON, [{ type: 'add', title: 'New' }]),
    );
    expect(
      codes(await fixture.call('build', { type: 'add', title: 'Sub', parent: 'New' })),
    ).toEqual(['ok']);
    expect(await fixture.manager.undo(change)).toMatchObject({ ok: false, code: 'has_children' });
    expect(await fixture.tasks('build')).toContain('New: pending');
  });
});
