import { PERSON } from '../../src/core/board/history/actor';
import { describe, expect, test } from 'vitest';
import { boardPathOf, codes, ManagerFixture, messages } from './manager-fixture';

const path = boardPathOf('build');
const archive = '.opencode/todos/ses_1/build-tasks.archive.md';

async function planned(): Promise<ManagerFixture> {
  const fixture = new ManagerFixture();
  await fixture.call(
    'build',
    { type: 'add', title: 'Choose' },
    { type: 'add', title: 'Ship', dependsOn: [1] },
    { type: 'complete', id: 1 },
  );
  return fixture;
}

function archived(fixture: ManagerFixture): string {
  return fixture.store.files.get(archive)?.text ?? '';
}

/** How many tasks of the board and the archive have each id. */
async function standing(fixture: ManagerFixture): Promise<string[]> {
  const tasks = [...(await fixture.board('build')), ...(await fixture.manager.archived(path))];
  return tasks.map(({ n }) => `#${n}`).sort();
}

describe('taking back, where something was put back meanwhile', () => {
  test('[HIST17] a line that got its id on the way to the archive comes back once', async () => {
    const fixture = await planned();
    fixture.editNote('build', (text) => `${text}- [x] By hand\n\t- [x] Below\n`);
    await fixture.call('build', { type: 'archive', id: 'By hand' });
    expect(codes(await fixture.call('build', { type: 'undo' }))).toEqual(['ok']);
    expect(await standing(fixture)).toEqual(['#1', '#2', '#3', '#4']);
    expect(await fixture.manager.archived(path)).toEqual([]);
    expect(fixture.text('build')).not.toContain('archived:');
  });

  test('[HIST17] a line that was named and archived in one call comes back as it was, once', async () => {
    const fixture = await planned();
    fixture.editNote('build', (text) => `${text}- [x] By hand\n`);
    const before = fixture.text('build');
    const named = { type: 'update', id: 'By hand', title: 'Named' };
    await fixture.call('build', named, { type: 'archive', id: 'Named' });
    expect(await fixture.manager.archived(path)).toHaveLength(1);
    expect(codes(await fixture.call('build', { type: 'undo' }))).toEqual(['ok']);
    expect(fixture.text('build').split('---')[2]).toBe(before.split('---')[2]);
    expect(await fixture.manager.archived(path)).toEqual([]);
  });

  test('[HIST17] a task that was added and archived in one call is gone after undo, and back after redo', async () => {
    const fixture = await planned();
    const [add, done] = [
      { type: 'add', title: 'New' },
      { type: 'complete', id: 3 },
    ];
    await fixture.call('build', add, done, { type: 'archive', id: 3 });
    const agent = { kind: 'agent', name: 'build' } as const;
    expect(await fixture.manager.undoLast(path, agent)).toMatchObject({ ok: true });
    expect(await standing(fixture)).toEqual(['#1', '#2']);
    expect(fixture.text('build')).not.toContain('archived:');
    expect(await fixture.manager.redoLast(path, agent)).toMatchObject({ ok: true });
    expect(await standing(fixture)).toEqual(['#1', '#2', '#3']);
    expect(archived(fixture)).toContain('New');
  });

  test('[HIST6] what somebody else took back from the archive meanwhile does not stand twice', async () => {
    const fixture = await planned();
    await fixture.call('build', { type: 'archive', id: 1 });
    const id = (await fixture.manager.archived(path))[0]?.id ?? '';
    expect(await fixture.manager.commit(path, PERSON, [{ type: 'restore', id }])).toMatchObject({
      ok: true,
    });
    const before = fixture.text('build');
    const answer = await fixture.call('build', { type: 'undo' });
    expect(codes(answer)).toEqual(['changed_since']);
    expect(messages(answer)[0]).toContain('"Choose" is on the board again since');
    expect(fixture.text('build')).toBe(before);
  });

  test('[HIST6] a line that a person put back by hand does not stand twice', async () => {
    const fixture = await planned();
    const before = fixture.text('build');
    await fixture.call('build', { type: 'remove', id: 2 });
    fixture.editNote('build', () => before);
    expect(codes(await fixture.call('build', { type: 'undo' }))).toEqual(['changed_since']);
    expect(await standing(fixture)).toEqual(['#1', '#2']);
  });

  test('[HIST6] what a person wrote in the archive is not lost by taking it back', async () => {
    const fixture = await planned();
    await fixture.call('build', { type: 'archive', id: 1 });
    fixture.store.put(archive, archived(fixture).replace(/\n$/, '\n\tread this again\n'));
    const answer = await fixture.call('build', { type: 'undo' });
    expect(codes(answer)).toEqual(['changed_since']);
    expect(archived(fixture)).toContain('\tread this again\n');
    const by = { kind: 'agent', name: 'build' } as const;
    expect(await fixture.manager.undoLast(path, by)).toMatchObject({ code: 'changed_since' });
    expect(codes(await fixture.call('build', { type: 'restore', id: 1 }))).toEqual(['ok']);
    expect(fixture.text('build')).toContain('\tread this again\n');
  });

  test('[HIST17] what one call took back and archived again stands there once, also when that is undone', async () => {
    const fixture = await planned();
    await fixture.call('build', { type: 'archive', id: 1 });
    await fixture.call(
      'build',
      { type: 'restore', id: 1 },
      { type: 'archive', id: 1 },
      { type: 'add', title: 'More' },
    );
    expect(await standing(fixture)).toEqual(['#1', '#2', '#3']);
    expect(codes(await fixture.call('build', { type: 'undo' }))).toEqual(['ok']);
    expect((await fixture.manager.archived(path)).map(({ n }) => n)).toEqual([1]);
    expect(codes(await fixture.call('build', { type: 'restore', id: 1 }))).toEqual(['ok']);
    expect(await standing(fixture)).toEqual(['#1', '#2']);
  });
});
