import { describe, expect, test } from 'vitest';
import { importInto } from '../../src/core/exchange/import-into';
import { parseNote } from '../../src/core/board/note/parse-note';
import type { ImportSource } from '../../src/core/exchange/imported-plan';
import { corpus, fileOf, folderOf, planOf } from './import-fixture';
import { clock, ManagerFixture } from './manager-fixture';

describe('an import', () => {
  const into = (fixture: ManagerFixture) => ({ manager: fixture.manager, clock });

  test('[IMP21] each plan goes on the board of its session and agent, or the one that is named', async () => {
    const fixture = new ManagerFixture();
    const done = await importInto(into(fixture), corpus('todo-sessions'));
    expect(done).toMatchObject({
      ok: true,
      kind: 'todo-sessions',
      boards: [
        { path: '.opencode/todos/project-alpha/build-tasks.md', added: 2, there: 0 },
        { path: '.opencode/todos/8df7e6bf/qa-tasks.md', added: 1, there: 0 },
      ],
    });
    const named = await importInto(into(fixture), corpus('kanban/Garden.md'), {
      session: 'ses_1',
      agent: 'plan',
    });
    expect(named).toMatchObject({ boards: [{ path: '.opencode/todos/ses_1/plan-tasks.md' }] });
    const nobody = await importInto(into(fixture), corpus('task-notes'));
    expect(nobody).toMatchObject({ boards: [{ path: '.opencode/todos/imported/build-tasks.md' }] });
  });

  test('[IMP21] it is one write, kept in the history as the import’s, and taken back whole', async () => {
    const fixture = new ManagerFixture();
    await fixture.call('build', { type: 'init', title: 'Mine' }, { type: 'add', title: 'Own' });
    const [path = ''] = [...fixture.store.files.keys()].filter((one) => one.endsWith('-tasks.md'));
    const writes = fixture.store.writes.filter((one) => one === path).length;
    const before = fixture.store.files.get(path)?.text ?? '';
    const done = await importInto(into(fixture), corpus('task-master/tasks.json'), {
      session: 'ses_1',
      agent: 'build',
    });
    if (!done.ok) throw new Error(done.message);
    expect(done.boards.map(({ path: at, added }) => [at, added])).toEqual([
      [path, 5],
      [path, 1],
    ]);
    expect(fixture.store.writes.filter((one) => one === path)).toHaveLength(writes + 2);
    const [last, first] = await fixture.manager.history(path);
    expect(last).toMatchObject({
      by: { kind: 'import', name: 'task-master' },
      said: ['imported 1 task of feature'],
    });
    for (const { change } of [...done.boards].toReversed()) {
      expect(await fixture.manager.undo(change ?? '')).toMatchObject({ ok: true });
    }
    expect(first?.change).toBe(done.boards[0]?.change);
    const { tasks } = parseNote(path, fixture.store.files.get(path)?.text ?? '').board;
    expect(tasks.map(({ title }) => title)).toEqual(['Own']);
    expect(before).toContain('Own');
  });

  test('[IMP21] again, it writes nothing', async () => {
    const fixture = new ManagerFixture();
    await importInto(into(fixture), corpus('backlog'));
    const writes = fixture.store.writes.length;
    expect(await importInto(into(fixture), corpus('backlog'))).toMatchObject({
      boards: [{ added: 0, there: 6, change: undefined }],
    });
    expect(fixture.store.writes.filter((path) => path.endsWith('-tasks.md'))).toHaveLength(1);
    expect(fixture.store.writes.length).toBe(writes);
  });

  test('[IMP17] what was archived since is not brought back', async () => {
    const fixture = new ManagerFixture();
    const wish = { session: 'ses_1', agent: 'build' };
    await importInto(into(fixture), corpus('backlog'), wish);
    await importInto(into(fixture), corpus('kanban/Garden.md'), wish);
    const answer = await fixture.call('build', { type: 'archive' });
    expect(answer.result.results[0]).toMatchObject({ success: true });
    const [path = ''] = [...fixture.store.files.keys()].filter((one) => one.endsWith('-tasks.md'));
    const before = fixture.store.files.get(path)?.text;
    expect(before).not.toContain('Old work');
    expect(before).not.toContain('Draw a plan');
    for (const [source, there] of [
      ['backlog', 6],
      ['kanban/Garden.md', 7],
    ] as const) {
      const again = await importInto(into(fixture), corpus(source), wish);
      expect(again).toMatchObject({ boards: [{ added: 0, there }] });
    }
    expect(fixture.store.files.get(path)?.text).toBe(before);
  });

  test('[IMP17] a second project with the same ids loses no task; sources without a project count by titles', async () => {
    const fixture = new ManagerFixture();
    const take = async (project: string, ...titles: readonly string[]) => {
      const files = titles.map((subject, at) => {
        return [`.tasks/task_${at + 1}.json`, JSON.stringify({ id: at + 1, subject })] as const;
      });
      const source = { ...folderOf(Object.fromEntries(files)), place: `/home${project}/.tasks` };
      const done = await importInto(into(fixture), { ...source, path: 'in/.tasks' });
      if (!done.ok) throw new Error(done.message);
      return done.boards.map(({ added, there }) => [added, there]);
    };
    const board = '.opencode/todos/imported/build-tasks.md';
    expect(await take('/shop', 'Lay bricks', 'Paint')).toEqual([[2, 0]]);
    // As an earlier version wrote it.
    const text = fixture.store.files.get(board)?.text ?? '';
    expect(text).toContain('[source:: task-files/shop/.tasks/1]');
    fixture.store.put(board, text.replaceAll('files/shop/', 'files/'));
    expect(await take('/shop', 'Lay bricks', 'Paint it red')).toEqual([[0, 2]]);
    expect(await take('/garden', 'Dig', 'Sow', 'Paint')).toEqual([[3, 0]]);
    expect(await take('/garden', 'Dig', 'Sow', 'Paint')).toEqual([[0, 3]]);
    expect(await take('/shop', 'Lay bricks', 'Paint it red')).toEqual([[0, 2]]);
  });

  test('[IMP17] the project is that of Backlog.md’s configuration, else the folder above that of the program', async () => {
    const project = async (source: ImportSource) => (await planOf(source)).project;
    const note = '---\nid: TASK-1\ntitle: A\nstatus: To Do\n---\n';
    const files = { 'backlog/tasks/task-1 - a.md': note };
    const place = '/home/Shop/backlog';
    const named = { ...files, 'backlog/config.yml': 'project_name: Corner shop\n' };
    expect(await project({ ...folderOf(files), path: 'in/backlog', place })).toBe('Shop');
    expect(await project({ ...folderOf(named), path: 'in/backlog', place })).toBe('Corner shop');
    const master = fileOf('tasks.json', '{"master": {"tasks": [{"id": 1, "title": "A"}]}}');
    const deep = '/home/Shop/.taskmaster/tasks/tasks.json';
    expect(await project({ ...master, place: deep })).toBe('Shop');
  });

  test('[IMP21] a board that can’t be written is named; the others are taken', async () => {
    const fixture = new ManagerFixture();
    fixture.store.put('.opencode/todos/project-alpha/build-tasks.md', 'no board');
    const done = await importInto(into(fixture), corpus('todo-sessions'));
    expect(done).toMatchObject({
      ok: true,
      boards: [{ fault: { code: 'broken_note' }, added: 0 }, { added: 1 }],
    });
    const long = await importInto(into(fixture), corpus('task-notes'), { session: 'x'.repeat(99) });
    expect(long).toMatchObject({ boards: [{ fault: { code: 'bad_session' } }] });
    const empty = await importInto(into(fixture), fileOf('ses_a.json', '[]'));
    expect(empty).toMatchObject({ ok: false, code: 'empty_source' });
  });
});
