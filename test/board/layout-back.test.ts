import { describe, expect, test } from 'vitest';
import { exportBoard } from '../../src/core/board/export/export-board';
import { importInto, type ImportedBoards } from '../../src/core/board/import/import-into';
import { parseNote } from '../../src/core/board/note/parse-note';
import type { Fault } from '../../src/core/board/operation/read-operation';
import { BODY } from './layout-sample';
import { clock, Fixture } from './manager-fixture';
import { HEADER } from './note-sample';

describe('one note per task, and back', () => {
  const path = '.opencode/todos/ses_1/build-tasks.md';

  function exported(fixture: Fixture, folder = 'out'): void {
    const done = exportBoard(path, fixture.store.files.get(path)?.text ?? '', 'notes');
    if (!done.ok) throw new Error(done.message);
    for (const file of done.files) fixture.store.put(`${folder}/${file.path}`, file.text);
  }

  function back(fixture: Fixture): Promise<ImportedBoards | Fault> {
    const source = { path: 'out/build-tasks', kind: 'folder', reader: fixture.store } as const;
    return importInto({ manager: fixture.manager, clock }, source);
  }

  function edit(fixture: Fixture, name: string, from: string, to: string): void {
    const file = `out/build-tasks/${name}`;
    const text = fixture.store.files.get(file)?.text ?? '';
    expect(text).toContain(from);
    fixture.store.put(file, text.replace(from, to));
  }

  test('[EXP13] a board that is gone comes back byte by byte; one that is there keeps what was done to it', async () => {
    const fixture = new Fixture();
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

  test('[EXP13] places and removals that a board does not take over are told', async () => {
    const fixture = new Fixture();
    fixture.store.put(path, HEADER + BODY);
    exported(fixture);
    const index = fixture.store.files.get('out/build-tasks/index.md')?.text ?? '';
    const line = /^.*%%task k3f9-3 .*\n/m;
    expect(index).toMatch(line);
    fixture.store.put('out/build-tasks/index.md', index.replace(line, ''));
    fixture.store.files.delete('out/build-tasks/k3f9-3.md');
    expect(await back(fixture)).toMatchObject({
      boards: [{ left: [{ what: '1 task, as k3f9-3' }] }],
    });
    expect(fixture.store.files.get(path)?.text).toContain('k3f9-3');
  });

  test('[EXP13] where board and notes both changed the same, nothing is written', async () => {
    const fixture = new Fixture();
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
