import { PERSON } from '../../src/core/board/history/actor';
import { describe, expect, test } from 'vitest';
import type { BoardChange } from '../../src/core/board/todo-manager';
import { boardBlock } from '../../src/obsidian/session/session-history';
import { StoreError } from '../../src/core/ports';
import { boardPathOf, ManagerFixture } from './manager-fixture';

/** What a listener is told, in short: who, which board, the titles that changed. */
function listen(fixture: ManagerFixture): string[] {
  const heard: string[] = [];
  fixture.manager.onChange(({ by, agent, board, before, changedKeys }: BoardChange) => {
    const titles = changedKeys.map(
      (key) => board?.tasks.find((task) => task.key === key)?.title ?? key,
    );
    const kind = board === undefined ? 'gone' : before === undefined ? 'new' : 'changed';
    heard.push(`${by} ${agent} ${kind}: ${titles.join(', ')}`);
  });
  return heard;
}

const add = (title: string, agent = 'build'): object => ({ type: 'add', title, agent });

describe('changes of boards', () => {
  test('[TASKS46] each is told once, with who did it and which tasks differ', async () => {
    const fixture = new ManagerFixture();
    const heard = listen(fixture);
    await fixture.call('build', add('A'), add('B'));
    await fixture.call('build', { type: 'complete', id: 2 });
    await fixture.call('build', { type: 'list' });
    const [task] = await fixture.board('build');
    if (task === undefined) throw new Error('no task');
    await fixture.manager.commit(boardPathOf('build'), PERSON, [
      { type: 'update', id: task, title: 'A2' },
    ]);
    fixture.editNote('build', (text) =>
      `# Note\n${text}`.replace('# Note\n', '').concat('- [ ] C\n'),
    );
    await fixture.manager.scan();
    await fixture.manager.scan();
    await fixture.store.remove(boardPathOf('build'));
    await fixture.manager.scan();
    expect(heard).toEqual([
      'agent build new: A, B',
      'agent build changed: B',
      'person build changed: A2',
      'disk build changed: C',
      'disk build gone: ',
    ]);
    expect(fixture.manager.boards()).toEqual([]);
  });

  test('[TASKS46] a header that breaks and is repaired changes no task but those that were edited meanwhile', async () => {
    const fixture = new ManagerFixture();
    await fixture.call('build', add('A'), add('B'));
    const heard = listen(fixture);
    const told: number[] = [];
    fixture.manager.onChange((change) => told.push(boardBlock(change, 0)?.changes.length ?? 0));
    fixture.editNote('build', (text) => text.replace('board: 1', 'board: [1'));
    await fixture.manager.scan();
    fixture.editNote('build', (text) => text.replace('prefix', 'prefix '));
    await fixture.manager.scan();
    fixture.editNote('build', (text) =>
      text.replace('board: [1', 'board: 1').replace('[ ] B', '[x] B'),
    );
    await fixture.manager.scan();
    expect(heard.at(-1)).toBe('disk build changed: B');
    expect(heard.slice(0, -1).every((line) => line === 'disk build changed: ')).toBe(true);
    expect(told).toEqual([...heard.slice(1).map(() => 0), 1]);
    const other = new ManagerFixture(fixture.store);
    fixture.editNote('build', (text) => text.replace('board: 1', 'board: [1'));
    await other.manager.scan();
    const first = listen(other);
    fixture.editNote('build', (text) => text.replace('board: [1', 'board: 1'));
    await other.manager.scan();
    expect(first).toEqual(['disk build changed: ']);
  });

  test("[TASKS46] what stood in the file before an agent's write is told first, as the file's", async () => {
    const fixture = new ManagerFixture();
    await fixture.call('build', add('A'), add('B'));
    const heard = listen(fixture);
    fixture.editNote('build', (text) => text.replace('[ ] A', '[x] A'));
    const [task] = (await fixture.board('build')).slice(1);
    heard.length = 0;
    fixture.editNote('build', (text) => text.replace('[x] A', '[/] A'));
    if (task === undefined) throw new Error('no task');
    await fixture.manager.commit(boardPathOf('build'), PERSON, [
      { type: 'update', id: task, status: 'completed' },
    ]);
    expect(heard).toEqual(['disk build changed: A', 'person build changed: B']);
  });

  test('[TASKS47] a listener that throws hurts no other, and one that stopped hears nothing', async () => {
    const noted: string[] = [];
    const fixture = new ManagerFixture(undefined, {
      log: { note: (message) => noted.push(message) },
    });
    const stop = fixture.manager.onChange(() => {
      throw new Error('listener');
    });
    const heard = listen(fixture);
    expect((await fixture.call('build', add('A'))).ok).toBe(true);
    expect(heard).toHaveLength(1);
    expect(noted).toEqual(['A listener for board changes threw.']);
    stop();
    stop();
    await fixture.call('build', add('B'));
    expect(heard).toHaveLength(2);
    expect(noted).toHaveLength(1);
  });

  test('[TASKS48] a scan reads only what moved, and calls at the same time share one', async () => {
    const fixture = new ManagerFixture();
    for (const session of ['one', 'two', 'three']) await fixture.callIn(session, 'build', add('A'));
    const other = new ManagerFixture(fixture.store);
    await Promise.all([other.manager.scan(), other.manager.scan(), other.manager.scan()]);
    expect(other.manager.boards().map(({ session }) => session)).toEqual(['one', 'three', 'two']);
    const { reads } = fixture.store;
    reads.length = 0;
    await other.manager.scan();
    expect(reads).toEqual([]);
    fixture.store.put(
      boardPathOf('build', 'two'),
      fixture.text('build', 'two').replace('[ ]', '[x]'),
    );
    await other.manager.scan();
    expect(reads).toEqual([boardPathOf('build', 'two')]);
    expect(other.manager.boards()[2]?.tasks[0]?.status).toBe('completed');
  });

  test('[TASKS48] a young file is read again: its time and size may not tell', async () => {
    const fixture = new ManagerFixture();
    await fixture.call('build', add('A'));
    const path = boardPathOf('build');
    const file = fixture.store.files.get(path);
    const now = (file?.mtime ?? 0) + 500;
    const other = new ManagerFixture(fixture.store, {
      clock: { now: () => now, today: () => '2026-11-21', after: () => () => {} },
    });
    await other.manager.scan();
    fixture.store.files.set(path, {
      text: fixture.text('build').replace('[ ]', '[x]'),
      mtime: file?.mtime ?? 0,
    });
    await other.manager.scan();
    expect(other.manager.boards()[0]?.tasks[0]?.status).toBe('completed');
  });

  test('[TASKS49] what can not be parsed or read is listed with the reason, never left out; copies of sync tools are', async () => {
    const fixture = new ManagerFixture();
    await fixture.call('build', add('A'));
    const text = fixture.text('build');
    const folder = '.opencode/todos/ses_1';
    fixture.store.put(`${folder}/plan-tasks.md`, text.replace('board: 1', 'board: [1'));
    fixture.store.put(`${folder}/bytes-tasks.md`, text);
    fixture.store.put(`${folder}/build-tasks.archive.md`, text);
    fixture.store.put(`${folder}/build-tasks.sync-conflict-20261121-x.md`, text);
    fixture.store.put(`${folder}/build-tasks (conflicted copy).md`, text);
    fixture.store.put(`${folder}/notes.md`, text);
    fixture.store.put('.opencode/todos/loose-tasks.md', text);
    const read = fixture.store.read.bind(fixture.store);
    fixture.store.read = (path) =>
      path.includes('bytes') ? Promise.reject(new StoreError('not_utf8', 'no UTF-8')) : read(path);
    const heard = listen(fixture);
    await fixture.manager.scan();
    await fixture.manager.scan();
    expect(
      fixture.manager
        .boards()
        .map(({ path, broken }) => [path.slice(folder.length + 1), broken?.reason]),
    ).toEqual([
      ['build-tasks.md', undefined],
      ['bytes-tasks.md', 'no UTF-8'],
      ['plan-tasks.md', expect.stringContaining('Line 3')],
    ]);
    expect(heard).toEqual(['disk bytes new: ', expect.stringMatching(/^disk .* new: $/)]);
    const answer = await fixture.call('build', { type: 'list', agent: 'build' });
    expect(answer.output).toContain('- bytes: needs repair by the person');
  });
});
