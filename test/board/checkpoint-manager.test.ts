import { describe, expect, test } from 'vitest';
import { MAX_CHECKPOINTS } from '../../src/core/board/checkpoint/checkpoints';
import { PERSON } from '../../src/core/board/history/actor';
import { boardPathOf, ManagerFixture } from './manager-fixture';

const path = boardPathOf('build');
const FOLDER = '.opencode/agent-task-boards/checkpoints/ses_1/build';

async function planned(): Promise<ManagerFixture> {
  const fixture = new ManagerFixture();
  await fixture.call('build', { type: 'add', title: 'A' }, { type: 'add', title: 'B' });
  return fixture;
}

describe('checkpoints', () => {
  test('[CHECK5] are numbered, say when, by whom and why, and hold the note byte for byte', async () => {
    const fixture = await planned();
    fixture.editNote('build', (text) => `\ufeff${text}--> end`.replaceAll('\n', '\r\n'));
    const label = 'a --> b <!-- "c"';
    const first = await fixture.manager.checkpoints.add(path, { by: 'user', label });
    expect(first).toEqual({
      ok: true,
      checkpoint: { n: 1, at: 1e12, by: 'user', label, rev: 1 },
    });
    await fixture.manager.checkpoints.add(path, { by: 'system' });
    const listed = await fixture.manager.checkpoints.list(path);
    expect(listed.map(({ n, by, label: name }) => [n, by, name])).toEqual([
      [2, 'system', null],
      [1, 'user', label],
    ]);
    const kept = fixture.store.files.get(`${FOLDER}/1.md`)?.text ?? '';
    expect(kept.slice(kept.indexOf('\n') + 1)).toBe(fixture.text('build'));
  });

  test('[CHECK6] a diff tells what going back would change and changes nothing; then it is done, and undone', async () => {
    const fixture = await planned();
    await fixture.manager.checkpoints.add(path, { by: 'system', label: 'before' });
    await fixture.call(
      'build',
      { type: 'complete', id: 1 },
      { type: 'update', id: 2, title: 'B2' },
      { type: 'add', title: 'C' },
    );
    fixture.editNote('build', (text) => `${text}\nMy words.\n`);
    const before = fixture.text('build');
    const diff = await fixture.manager.checkpoints.diff(path, 1);
    const told = [
      ['status', 'completed', 'pending'],
      ['title', 'B2', 'B'],
      ['removed', 'C', null],
    ];
    expect(diff.ok && diff.changes.map((c) => [c.field, c.before, c.after])).toEqual(told);
    expect(fixture.text('build')).toBe(before);
    const done = await fixture.manager.checkpoints.rollBack(path, 1, PERSON);
    expect(done.ok && done.changes.map((c) => [c.field, c.before, c.after])).toEqual(told);
    expect(await fixture.tasks('build')).toEqual(['A: pending', 'B: pending']);
    expect(fixture.text('build')).toContain('\nMy words.\n');
    expect((await fixture.manager.history(path))[0]).toMatchObject({
      by: { kind: 'person' },
      said: ['rolled back to checkpoint 1 "before"'],
    });
    expect(await fixture.manager.undoLast(path, PERSON)).toMatchObject({ ok: true });
    expect(await fixture.tasks('build')).toEqual(['A: completed', 'B2: pending', 'C: pending']);
  });

  test('[CHECK6] a board that is gone stands again', async () => {
    const fixture = await planned();
    await fixture.manager.checkpoints.add(path, { by: 'error' });
    fixture.store.files.delete(path);
    expect(await fixture.manager.checkpoints.rollBack(path, 1, PERSON)).toMatchObject({ ok: true });
    expect(await fixture.tasks('build')).toEqual(['A: pending', 'B: pending']);
  });

  test('[CHECK7] 50 are kept: the oldest automatic ones go first, numbers are not given again', async () => {
    const fixture = await planned();
    await fixture.manager.checkpoints.add(path, { by: 'user', label: 'mine' });
    for (let i = 0; i < MAX_CHECKPOINTS + 4; i += 1) {
      await fixture.manager.checkpoints.add(path, { by: 'system' });
    }
    const numbers = (await fixture.manager.checkpoints.list(path)).map(({ n }) => n);
    expect(numbers).toEqual([...Array.from({ length: 49 }, (_, i) => 55 - i), 1]);
    expect(await fixture.manager.checkpoints.diff(path, 3)).toMatchObject({
      code: 'unknown_checkpoint',
      message: expect.stringContaining('It has 55, 54') as string,
    });
  });

  test('[CHECK7] two programs at the same time get two numbers', async () => {
    const fixture = await planned();
    const other = new ManagerFixture(fixture.store);
    const made = await Promise.all(
      ['a', 'b', 'c', 'd'].map((label, i) =>
        (i % 2 === 0 ? fixture : other).manager.checkpoints.add(path, { by: 'user', label }),
      ),
    );
    expect(made.map((one) => one.ok && one.checkpoint.n).sort()).toEqual([1, 2, 3, 4]);
    expect(await fixture.manager.checkpoints.list(path)).toHaveLength(4);
  });

  test('[CHECK4] what is no board, a broken note, a bad label and a damaged file are told', async () => {
    const fixture = await planned();
    const { manager } = fixture;
    await manager.checkpoints.add(path, { by: 'user' });
    fixture.store.put(`${FOLDER}/1.md`, 'torn');
    fixture.store.put(`${FOLDER}/x.md`, 'foreign');
    expect(await manager.checkpoints.list(path)).toEqual([]);
    expect(await manager.checkpoints.rollBack(path, 1, PERSON)).toMatchObject({
      code: 'unknown_checkpoint',
    });
    for (const bad of ['Notes/a.md', '../x-tasks.md', '.opencode/todos/ses_1/../../x-tasks.md']) {
      expect(await manager.checkpoints.add(bad, { by: 'user' })).toMatchObject({
        code: 'unknown_board',
      });
      expect(await manager.checkpoints.rollBack(bad, 1, PERSON)).toMatchObject({
        code: 'unknown_board',
      });
      expect(await manager.checkpoints.list(bad)).toEqual([]);
    }
    expect(await manager.checkpoints.add(boardPathOf('none'), { by: 'user' })).toMatchObject({
      code: 'unknown_board',
    });
    expect(await manager.checkpoints.add(path, { by: 'user', label: 'a\nb' })).toMatchObject({
      code: 'bad_title',
    });
    fixture.editNote('build', (text) => text.replace('board: 1', 'board: 2'));
    expect(await manager.checkpoints.add(path, { by: 'user' })).toMatchObject({
      code: 'broken_note',
    });
  });
});
