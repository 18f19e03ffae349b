import { describe, expect, test } from 'vitest';
import { exportBoard } from '../../src/core/exchange/export-board';
import { importInto, type ImportedBoards } from '../../src/core/exchange/import-into';
import { parseNote } from '../../src/core/board/note/parse-note';
import { BODY } from './layout-sample';
import { clock, ManagerFixture } from './manager-fixture';
import { HEADER } from './note-sample';
import type { Fault } from '../../src/core/fault';

describe('one note per task, and back', () => {
  const path = '.opencode/todos/ses_1/build-tasks.md';

  function exported(fixture: ManagerFixture, folder = 'out'): void {
    const done = exportBoard(path, fixture.store.files.get(path)?.text ?? '', 'notes');
    if (!done.ok) throw new Error(done.message);
    for (const file of done.files) fixture.store.put(`${folder}/${file.path}`, file.text);
  }

  function back(fixture: ManagerFixture): Promise<ImportedBoards | Fault> {
    const source = { path: 'out/build-tasks', kind: 'folder', reader: fixture.store } as const;
    return importInto({ manager: fixture.manager, clock }, source);
  }

  function edit(fixture: ManagerFixture, name: string, from: string, to: string): void {
    const file = `out/build-tasks/${name}`;
    const text = fixture.store.files.get(file)?.text ?? '';
    expect(text).toContain(from);
    fixture.store.put(file, text.replace(from, to));
  }

  test('[EXP13] a board that is gone comes back byte by byte; one that is there keeps what was done to it', async () => {
    const fixture = new ManagerFixture();
    fixture.store.put(path, HEADER + BODY);
    exported(fixture);
    fixture.store.files.delete(path);
    expect(await back(fixture)).toMatchObject({
      ok: true,
      kind: 'notes',
      boards: [{ path, added: 4, there: 0 }],
    });
    expect(fixture.store.files.get(path)?.text).toBe(HEADER + BODY);

    await fixture.call('build', { type: 'complete', id: '3' });
    edit(fixture, 'k3f9-2.md', 'title: "Build the index #search"', 'title: Index it');
    expect(await back(fixture)).toMatchObject({ ok: true, boards: [{ path, left: [] }] });
    const { tasks } = parseNote(path, fixture.store.files.get(path)?.text ?? '').board;
    expect(tasks.map(({ title, status }) => `${title} ${status}`)).toEqual([
      'Choose the tokeniser completed',
      'Index it in_progress',
      'Segment text completed',
      'no id yet pending',
    ]);
  });

  /** Messages about the folder as a whole. */
  function whole(done: ImportedBoards | Fault): readonly string[] {
    if (!done.ok) throw new Error(done.message);
    const left = done.boards.flatMap((board) => board.left);
    return left.filter(({ what }) => what !== 'a change').map(({ why }) => why);
  }

  function removeInFolder(fixture: ManagerFixture): void {
    const index = fixture.store.files.get('out/build-tasks/index.md')?.text ?? '';
    const line = /^.*%%task k3f9-3 .*\n/m;
    expect(index).toMatch(line);
    fixture.store.put('out/build-tasks/index.md', index.replace(line, ''));
    fixture.store.files.delete('out/build-tasks/k3f9-3.md');
  }

  test('[EXP13] places and removals that a board does not take over are told', async () => {
    const fixture = new ManagerFixture();
    fixture.store.put(path, HEADER + BODY);
    exported(fixture);
    await fixture.call('build', { type: 'complete', id: '3' });
    removeInFolder(fixture);
    expect(await back(fixture)).toMatchObject({
      boards: [{ left: [{ what: '1 task, as k3f9-3' }] }],
    });
    expect(fixture.store.files.get(path)?.text).toContain('k3f9-3');
  });

  test('[EXP14] a board that is as it was exported follows order, headings, free text and removals', async () => {
    const fixture = new ManagerFixture();
    fixture.store.put(path, HEADER + BODY);
    exported(fixture);
    removeInFolder(fixture);
    edit(fixture, 'index.md', '- [[k3f9-1]] %%task k3f9-1 0%%\n', '');
    edit(fixture, 'index.md', 'The end.', '## Later\n\n- [[k3f9-1]] %%task k3f9-1 0%%');
    edit(fixture, 'index.md', 'Anything.', 'My own words.');
    edit(fixture, 'k3f9-2.md', 'title: "Build the index #search"', 'title: Index it');
    const done = await back(fixture);
    expect(done).toMatchObject({ ok: true, boards: [{ path, added: 0, there: 3 }] });
    expect(whole(done)).toEqual([]);
    const text = fixture.store.files.get(path)?.text ?? '';
    expect(parseNote(path, text).board.tasks.map(({ title, phase }) => [title, phase])).toEqual([
      ['Index it', 'Groundwork'],
      ['no id yet', 'Groundwork'],
      ['Choose the tokeniser', 'Later'],
    ]);
    expect(text).toContain('My own words.');
    expect(text).not.toContain('The end.');
    const again = await back(fixture);
    expect(again).toMatchObject({ boards: [{ change: undefined }] });
    expect(whole(again)).toEqual([]);
    if (!done.ok) throw new Error(done.message);
    await fixture.manager.undo(done.boards[0]?.change ?? '');
    expect(fixture.store.files.get(path)?.text.split('\n').slice(9)).toEqual(BODY.split('\n'));
  });

  test.each([
    ['free text', 'Anything.', 'My own words.'],
    ['a heading', '## Groundwork', '## Foundations'],
    ['front matter', 'title: Offline search', 'title: Search'],
  ])('[EXP14] %s of index.md that a changed board does not follow is told', async (_, from, to) => {
    const fixture = new ManagerFixture();
    fixture.store.put(path, HEADER + BODY);
    exported(fixture);
    await fixture.call('build', { type: 'complete', id: '3' });
    expect(await back(fixture)).toMatchObject({ boards: [{ left: [] }] });
    edit(fixture, 'index.md', from, to);
    expect(whole(await back(fixture))).toEqual([
      expect.stringContaining('the board was changed since the export'),
    ]);
    const text = fixture.store.files.get(path)?.text;
    expect(text).toContain(from);
    expect(text).not.toContain(to);
  });

  test('[EXP14] what only the board changed is not told as left', async () => {
    const fixture = new ManagerFixture();
    fixture.store.put(path, HEADER + BODY);
    exported(fixture);
    await fixture.call('build', { type: 'add', title: 'New on the board' });
    await fixture.call('build', { type: 'move', id: '2', after: null });
    expect(await back(fixture)).toMatchObject({ ok: true, boards: [{ left: [] }] });
  });

  test('[EXP13] where board and notes both changed the same, nothing is written', async () => {
    const fixture = new ManagerFixture();
    fixture.store.put(path, HEADER + BODY);
    exported(fixture);
    await fixture.call('build', { type: 'update', id: '2', title: 'Their title' });
    const before = fixture.store.files.get(path)?.text;
    edit(fixture, 'k3f9-2.md', 'title: "Build the index #search"', 'title: My title');
    const done = await back(fixture);
    expect(done).toMatchObject({ ok: false, code: 'conflict' });
    expect(!done.ok && done.message).toContain('"Build the index #search" (k3f9-2)');
    expect(fixture.store.files.get(path)?.text).toBe(before);
  });
});
