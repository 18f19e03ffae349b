import { describe, expect, test } from 'vitest';
import { PERSON } from '../../src/core/board/history/actor';
import { mergeBoards } from '../../src/core/board/merge/merge-boards';
import { parseNote } from '../../src/core/board/note/parse-note';
import {
  csvText,
  exportBoard,
  jsonText,
  type ExportKind,
} from '../../src/core/exchange/export-board';
import { importInto } from '../../src/core/exchange/import-into';
import { boardPathOf, clock, ManagerFixture } from './manager-fixture';
import { Mirror, todo } from './mirror-fixture';

const PATH = boardPathOf('build');
const WAITING = '- [/] Build [review:: 2026-11-21] 🆔 a4rg-1 ^a4rg-1';

async function inReview(): Promise<ManagerFixture> {
  const fixture = new ManagerFixture();
  await fixture.call('build', { type: 'init', title: 'S' }, { type: 'add', title: 'Build' });
  await fixture.manager.review(PATH, 'all');
  await fixture.call('build', { type: 'complete', id: 1 });
  return fixture;
}

describe('a list of todowrite and a review', () => {
  const reviewed = (): Mirror => {
    const mirror = new Mirror();
    mirror.list(todo('Build', 'in_progress'));
    mirror.editAsPerson((text) => text.replace('rev:', 'review: all\nrev:'));
    mirror.list(todo('Build', 'completed'));
    return mirror;
  };

  test('[REVIEW9] what it calls completed waits for the person, a new entry too', () => {
    const mirror = reviewed();
    expect(mirror.lines).toEqual(['- [/] Build [review:: 2026-11-21] 🔼']);
    mirror.list(todo('Build', 'completed'), todo('Ship', 'completed'));
    expect(mirror.lines[1]).toBe('- [/] Ship [review:: 2026-11-21] 🔼');
  });

  test('[REVIEW9] what else it calls it then, and that it is gone from the list, changes nothing', () => {
    const mirror = reviewed();
    const [waiting] = mirror.lines;
    for (const status of ['pending', 'in_progress', 'cancelled', 'completed']) {
      mirror.list(todo('Build', status), todo('Ship'));
      expect(mirror.lines[0]).toBe(waiting);
    }
    mirror.list(todo('Ship'), todo('Test'));
    expect(mirror.lines[0]).toBe(waiting);
  });

  test('[REVIEW9] a list that still calls it completed after it was sent back says it no second time', () => {
    const mirror = reviewed();
    mirror.editAsPerson((text) => text.replace(' [review:: 2026-11-21]', ''));
    mirror.list(todo('Build', 'completed'));
    expect(mirror.lines).toEqual(['- [/] Build 🔼']);
    mirror.list(todo('Build', 'in_progress'));
    mirror.list(todo('Build', 'completed'));
    expect(mirror.lines).toEqual(['- [/] Build [review:: 2026-11-21] 🔼']);
  });
});

describe('what keeps a review', () => {
  test('[REVIEW11] a checkpoint brings it back with its line', async () => {
    const fixture = await inReview();
    const made = await fixture.manager.checkpoints.add(PATH, { by: 'user', label: 'now' });
    if (!made.ok) throw new Error(made.message);
    await fixture.manager.commit(PATH, PERSON, [{ type: 'accept', id: 1 }]);
    const back = await fixture.manager.checkpoints.rollBack(PATH, made.checkpoint.n, PERSON);
    expect(back.ok).toBe(true);
    expect(fixture.text('build')).toContain(WAITING);
  });

  test('[REVIEW11] the archive and the way back from it leave the line as it is', async () => {
    const fixture = await inReview();
    await fixture.manager.commit(PATH, PERSON, [{ type: 'archive', id: 1 }]);
    expect(fixture.text('build')).not.toContain('Build');
    await fixture.manager.commit(PATH, PERSON, [{ type: 'restore', id: 'a4rg-1' }]);
    expect(fixture.text('build')).toContain(WAITING);
  });

  test.each([
    ['one side accepted', '- [x] Build 🆔 a4rg-1 ✅ 2026-11-22 ^a4rg-1', WAITING],
    ['one side sent it back', '- [/] Build 🆔 a4rg-1 ^a4rg-1\n\tSent back: more', WAITING],
    ['one side renamed it', '- [/] Build all [review:: 2026-11-21] 🆔 a4rg-1 ^a4rg-1', WAITING],
  ])('[REVIEW11] a merge takes what %s', async (_, mine, theirs) => {
    const fixture = await inReview();
    const base = fixture.text('build');
    const [ours, other] = [mine, theirs].map((line) => base.replace(WAITING, line));
    for (const [one, two] of [
      [ours, other],
      [other, ours],
    ] as const) {
      const merged = mergeBoards({ base, ours: one ?? '', theirs: two ?? '' });
      expect(merged?.conflicts).toEqual([]);
      expect(merged?.text).toContain(mine);
    }
  });

  test('[REVIEW11] where one side set it and the other completed the task, it is completed', async () => {
    const fixture = await inReview();
    const now = fixture.text('build');
    const base = now.replace(' [review:: 2026-11-21]', '');
    const ticked = base.replace('- [/] Build', '- [x] Build');
    const merged = mergeBoards({ base, ours: now, theirs: ticked });
    expect(parseNote(PATH, merged?.text ?? '').board.tasks[0]).toMatchObject({
      status: 'completed',
    });
  });

  test('[REVIEW12] JSON says the day, and CSV that it waits', async () => {
    const note = parseNote(PATH, (await inReview()).text('build'));
    const { tasks } = JSON.parse(jsonText(note)) as { tasks: object[] };
    expect(tasks[0]).toMatchObject({ status: 'in_progress', review: '2026-11-21' });
    const [names, row] = csvText(note.board).split('\r\n');
    expect([names?.split(',').at(-1), row?.split(',').at(-1)]).toEqual(['review', 'yes']);
  });

  test.each(['json', 'kanban', 'notes'] satisfies ExportKind[])(
    '[REVIEW12] a task comes back from %s as one that waits',
    async (kind) => {
      const from = await inReview();
      const done = exportBoard(PATH, from.text('build'), kind);
      if (!done.ok) throw new Error(done.message);
      const fixture = new ManagerFixture();
      for (const { path, text } of done.files) fixture.store.put(`out/${path}`, text);
      const source = {
        path: kind === 'notes' ? 'out/build-tasks' : `out/${done.files[0]?.path}`,
        kind: kind === 'notes' ? ('folder' as const) : ('file' as const),
        reader: fixture.store,
      };
      const back = await importInto({ manager: fixture.manager, clock }, source);
      if (!back.ok) throw new Error(back.message);
      expect(back.boards.map(({ left }) => left)).toEqual([[]]);
      const { path } = back.boards[0] ?? { path: '' };
      const { tasks } = parseNote(path, fixture.store.files.get(path)?.text ?? '').board;
      expect(tasks).toMatchObject([{ status: 'in_progress', review: '2026-11-21' }]);
    },
  );
});
