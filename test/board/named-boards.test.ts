import { expect, test } from 'vitest';
import type { NamedBy } from '../../src/core/board/names/name-boards';
import { BOARD_ROOT as ROOT, TodoManager } from '../../src/core/board/todo-manager';
import { NamedStore } from '../../src/core/board/names/named-store';
import { findArchivesAndCopies } from '../../src/core/board/board-findings';
import { MemoryStore } from '../store/memory-store';
import { boardPathOf, clock, ManagerFixture, seededIds } from './manager-fixture';

const FOLDER = 'Offline search (mple_1)';
const SESSION = 'ses_example_1';
const UNSEEN = { progress: () => undefined, cancelled: () => false };

const files = ({ store }: ManagerFixture): string[] =>
  [...store.files.keys()].filter((path) => path.startsWith(`${ROOT}/`)).sort();

const name = async ({ manager }: ManagerFixture, by: NamedBy = 'title') =>
  manager.naming.run(by, UNSEEN);

const made = async (fixture = new ManagerFixture()): Promise<ManagerFixture> => {
  const init = { type: 'init', title: 'Offline search' };
  await fixture.callIn(
    SESSION,
    'build',
    init,
    { type: 'add', title: 'A' },
    { type: 'add', title: 'B' },
  );
  await fixture.callIn(SESSION, 'build', { type: 'init', title: 'Look: around', agent: 'explore' });
  return fixture;
};

test('[PATH7] the files of a session go into a folder by the title of its first board, archives too', async () => {
  const fixture = await made();
  await fixture.callIn(
    SESSION,
    'build',
    { type: 'complete', id: 1, agent: 'build' },
    { type: 'archive', id: 1 },
  );
  expect(await name(fixture)).toMatchObject({ ok: true, kept: [], cancelled: false });
  expect(files(fixture)).toEqual([
    `${ROOT}/${FOLDER}/Look around - explore-tasks.md`,
    `${ROOT}/${FOLDER}/Offline search - build-tasks.archive.md`,
    `${ROOT}/${FOLDER}/Offline search - build-tasks.md`,
  ]);
  expect(await name(fixture)).toMatchObject({ renamed: [] });
  await name(fixture, 'session');
  expect(files(fixture)).toEqual([
    `${ROOT}/${SESSION}/build-tasks.archive.md`,
    `${ROOT}/${SESSION}/build-tasks.md`,
    `${ROOT}/${SESSION}/explore-tasks.md`,
  ]);
});

test('[PATH10] what is kept by a board’s path stays with it: seen, undo, archive, checkpoints, prefix', async () => {
  const fixture = await made();
  const path = boardPathOf('build', SESSION);
  const before = await fixture.manager.checkpoints.add(path, { by: 'user' });
  expect(before.ok).toBe(true);
  await fixture.callIn(
    SESSION,
    'build',
    { type: 'complete', id: 1, agent: 'build' },
    { type: 'archive', id: 1 },
  );
  await name(fixture);
  for (const after of [fixture, new ManagerFixture(fixture.store)]) {
    const { manager } = after;
    expect(await manager.history(path)).toHaveLength(2);
    expect(await manager.checkpoints.list(path)).toHaveLength(1);
    expect((await manager.archived(path)).map(({ title }) => title)).toEqual(['A']);
    const told = await after.callIn(SESSION, 'build', { type: 'list', agent: 'build' });
    expect(told.result.changed).toEqual([]);
    expect(told.result.board?.path).toBe(path);
  }
  const undone = await fixture.callIn(SESSION, 'build', { type: 'undo', agent: 'build' });
  expect(undone.output).not.toContain('not undone');
  expect((await fixture.manager.load(path))?.tasks.map(({ title }) => title)).toContain('A');
  expect(files(fixture).filter((file) => file.includes('(mple_1)'))).toHaveLength(
    files(fixture).length,
  );
});

test('[PATH11] reading one session opens its folder alone, found by tail and header', async () => {
  const fixture = await made();
  await fixture.callIn('other_mple_1', 'build', { type: 'init', title: 'Twin of the tail' });
  for (let n = 0; n < 20; n += 1) {
    await fixture.callIn(`ses_${n}_abcde${n}`, 'build', { type: 'init', title: `Plan ${n}` });
  }
  await name(fixture);
  const { store } = fixture;
  const { manager } = new ManagerFixture(store);
  store.reads.length = 0;
  expect((await manager.inSession(SESSION)).boards.map(({ agent }) => agent)).toEqual([
    'build',
    'explore',
  ]);
  const opened = store.reads.filter((path) => path.startsWith(`${ROOT}/`));
  expect(new Set(opened.map((path) => path.split('/').at(-2)))).toEqual(
    new Set([FOLDER, 'Twin of the tail (mple_1)']),
  );
  expect(await manager.sessionIds()).toHaveLength(22);
});

test('[PATH11] a header that names another session, or can’t be read, brings no tasks under it', async () => {
  const fixture = await made();
  await name(fixture);
  const file = `${ROOT}/${FOLDER}/Offline search - build-tasks.md`;
  const text = fixture.store.files.get(file)?.text ?? '';
  fixture.store.put(file, text.replace(SESSION, 'ses_stranger'));
  const { manager } = new ManagerFixture(fixture.store);
  expect((await manager.inSession('ses_stranger')).boards).toEqual([]);
  expect((await manager.inSession(SESSION)).boards.map(({ agent }) => agent)).toContain('build');
  fixture.store.put(file, 'no header');
  fixture.store.put(`${ROOT}/${FOLDER}/Look around - explore-tasks.md`, 'none either');
  const later = new ManagerFixture(fixture.store);
  const told = await later.callIn(SESSION, 'build', { type: 'add', title: 'C', agent: 'build' });
  expect(told.output).toContain('broken_note');
  expect(files(later)).toHaveLength(2);
});

test('[PATH12] new boards are named at once where that is set; a later title renames nothing', async () => {
  const store = new MemoryStore();
  const notes = new NamedStore(store, ROOT, true);
  const manager = new TodoManager({ store: notes, clock, ids: seededIds() });
  const call = (agent: string, ...operations: object[]) =>
    manager.call({ sessionId: SESSION, agent }, { operations });
  await call('build', { type: 'init', title: 'Offline search' }, { type: 'add', title: 'A' });
  await call('build', { type: 'init', title: 'Another title' });
  await call('build', { type: 'init', title: 'Look', agent: 'explore' });
  const there = [...store.files.keys()].filter((path) => path.startsWith(`${ROOT}/`)).sort();
  expect(there).toEqual([
    `${ROOT}/${FOLDER}/Look - explore-tasks.md`,
    `${ROOT}/${FOLDER}/Offline search - build-tasks.md`,
  ]);
  expect((await manager.inSession(SESSION)).boards[0]?.title).toBe('Another title');
  expect(notes.fileOf(boardPathOf('build', SESSION))).toBe(there[1]);
  expect(notes.plainPath(there[1] ?? '')).toBe(boardPathOf('build', SESSION));
});

test('[PATH14] a second note of a board is no board; the repairs show it', async () => {
  const fixture = await made();
  await name(fixture);
  const back = `${ROOT}/${SESSION}/build-tasks.md`;
  const text = fixture.store.files.get(`${ROOT}/${FOLDER}/Offline search - build-tasks.md`)?.text;
  fixture.store.put(back, text?.replace('A', 'Old A') ?? '');
  const { manager } = new ManagerFixture(fixture.store);
  await manager.scan();
  expect(manager.boards().map(({ tasks }) => tasks[0]?.title)).toEqual(['A', undefined]);
  expect(await findArchivesAndCopies(manager.notes, ROOT)).toEqual([
    { kind: 'sync-copy', path: back },
  ]);
});

test('[PATH15] a renaming that was broken off anywhere leaves every board where it is found, and is finished', async () => {
  const whole = await made();
  await name(whole);
  for (let dies = 1; dies <= 2; dies += 1) {
    const fixture = await made();
    const { store, manager } = fixture;
    const rename = store.rename.bind(store);
    let left = dies;
    store.rename = (from, to) =>
      (left -= 1) > 0 ? rename(from, to) : Promise.reject(new Error('killed'));
    await expect(name(fixture)).rejects.toThrow('killed');
    store.rename = rename;
    const next = new ManagerFixture(store);
    expect((await next.manager.inSession(SESSION)).boards).toHaveLength(2);
    expect(
      (await next.callIn(SESSION, 'build', { type: 'complete', id: 1, agent: 'build' })).output,
    ).toContain('#1');
    if (left <= 0 && files(fixture).some((path) => path.includes(`/${SESSION}/`))) {
      expect(await next.manager.naming.finish()).toBeGreaterThan(0);
    }
    expect(files(next)).toEqual(files(whole));
    expect(await manager.naming.finish()).toBe(0);
  }
});
