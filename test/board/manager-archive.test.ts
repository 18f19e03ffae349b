import { describe, expect, test } from 'vitest';
import { canArchive } from '../../src/core/board/archive/archive-tasks';
import { readBoardPath } from '../../src/core/board/board-path';
import { StoreError } from '../../src/core/ports';
import { boardOf } from './note-sample';
import { boardPathOf, codes, ManagerFixture, messages } from './manager-fixture';

const path = boardPathOf('build');
const archive = '.opencode/todos/ses_1/build-tasks.archive.md';

async function planned(): Promise<ManagerFixture> {
  const fixture = new ManagerFixture();
  await fixture.call(
    'build',
    { type: 'init', title: 'Search' },
    { type: 'add', title: 'Choose', phase: 'Groundwork' },
    { type: 'add', title: 'Build', dependsOn: [1], phase: 'Groundwork', body: 'below 40 MB' },
    { type: 'add', title: 'Segment', parent: 2 },
    { type: 'add', title: 'Ship', dependsOn: [1, 2], phase: 'Release' },
    { type: 'complete', id: 1 },
    { type: 'complete', id: 3 },
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

describe('archive and restore', () => {
  test('[HIST23] there is something to archive where a top-level task is finished with all below it', () => {
    const can = (...lines: string[]) => canArchive(boardOf(lines.join('\n')));
    expect(can('- [x] Read', '- [ ] Write')).toBe(true);
    expect(can('- [x] Write', '\t- [-] Draft')).toBe(true);
    expect(can('- [x] Write', '\t- [ ] Draft')).toBe(false);
    expect(can('- [ ] Write', '\t- [x] Draft')).toBe(false);
  });

  test('[HIST12] move a finished task with all that belongs to it beside the board, and back to the end of its phase', async () => {
    const fixture = await planned();
    await fixture.call('build', { type: 'complete', id: 2 });
    const lines = /^- \[x\] Build[\s\S]*?- \[x\] Segment.*$/m.exec(fixture.text('build'))?.[0];
    const answer = await fixture.call('build', { type: 'archive', id: 'Build' });
    expect(answer.output).toContain(
      '- archive: #2 Build with 1 under it is in the archive; restore brings it back.',
    );
    expect(archived(fixture)).toContain(`## Groundwork\n\n${lines}\n`);
    expect(fixture.text('build')).not.toContain('Segment');
    expect(readBoardPath('.opencode/todos', archive)).toBeUndefined();
    await fixture.manager.scan();
    expect(fixture.manager.boards().map((board) => board.path)).toEqual([path]);
    await fixture.call('build', { type: 'add', title: 'Behind', phase: 'Groundwork' });
    const back = await fixture.call('build', { type: 'restore', id: 2 });
    expect(back.output).toContain(
      '- restore: #2 "Build" is back in "Groundwork", with 1 under it.',
    );
    expect(fixture.text('build')).toContain(`Behind 🆔 a4rg-5 ^a4rg-5\n${lines}\n`);
    expect(await fixture.manager.archived(path)).toEqual([]);
  });

  test('[NOTE21] where `archived` is a person’s text, it is kept and nothing is archived', async () => {
    const fixture = await planned();
    fixture.editNote('build', (text) =>
      text.replace('\nrev:', '\narchived: last year # mine\nrev:'),
    );
    const before = fixture.text('build');
    const answer = await fixture.call('build', { type: 'archive', id: 1 });
    expect(codes(answer)).toEqual(['broken_note']);
    expect(messages(answer)[0]).toContain('"archived" in the header');
    expect(fixture.text('build')).toBe(before);
    expect(archived(fixture)).toBe('');
  });

  test('[HIST12] archive without an id takes every finished task of the top whose subtasks are finished', async () => {
    const fixture = await planned();
    const answer = await fixture.call(
      'build',
      { type: 'add', title: 'Loose', status: 'cancelled' },
      { type: 'archive' },
      { type: 'archive' },
    );
    expect(answer.output).toContain('- archive: 2 tasks moved to the archive.');
    expect(answer.output).toContain('- archive: nothing is finished with all its subtasks');
    expect(await fixture.tasks('build')).toEqual([
      'Build: pending',
      'Segment: completed',
      'Ship: pending',
    ]);
    expect((await fixture.manager.archived(path)).map(({ title }) => title)).toEqual([
      'Choose',
      'Loose',
    ]);
  });

  test('[HIST13] a task that is not finished needs force and a reason, which it keeps', async () => {
    const fixture = await planned();
    const refused = await fixture.call(
      'build',
      { type: 'archive', id: 4 },
      { type: 'archive', id: 4, force: true },
      { type: 'restore', id: 4 },
      { type: 'restore', id: 'Nothing' },
    );
    expect(codes(refused)).toEqual(['not_finished', 'missing_field', 'on_board', 'no_archive']);
    expect(messages(refused)[0]).toContain("#4 Ship can't be archived: #4 is not finished.");
    await fixture.call('build', { type: 'archive', id: 4, force: true, reason: 'not now' });
    expect(archived(fixture)).toContain('- [ ] Ship [reason:: not now]');
  });

  test('[HIST14] what is archived and finished holds nothing up; its number is never given again', async () => {
    const fixture = await planned();
    const answer = await fixture.call('build', { type: 'archive' }, { type: 'ready' });
    expect(answer.result.board?.tasks.find(({ n }) => n === 2)).toMatchObject({
      ready: true,
      dependsOn: ['a4rg-1'],
      blockedBy: [],
    });
    expect(fixture.text('build')).toContain('\narchived: 1\n');
    const named = await fixture.call('build', { type: 'depend', id: 3, dependsOn: [1] });
    expect(codes(named)).toEqual(['archived']);
    expect(messages(named)[0]).toContain('{"type": "restore", "id": "a4rg-1"} brings it back.');
    const analysis = await fixture.call('build', { type: 'analyze' });
    expect(analysis.output).not.toContain('Wait for what is not here');
    await fixture.call('build', { type: 'archive', id: 4, force: true, reason: 'not now' });
    fixture.editNote('build', (text) => text.replace(/^next: .*\n/m, ''));
    await fixture.call('build', { type: 'add', title: 'New' });
    expect(fixture.text('build')).toContain('\narchived: 1,4!\n');
    expect(fixture.text('build')).toContain('New 🆔 a4rg-5 ^a4rg-5');
    await fixture.call('build', { type: 'restore', id: 1 }, { type: 'restore', id: 4 });
    expect(fixture.text('build')).not.toContain('archived:');
    expect(await standing(fixture)).toEqual(['#1', '#2', '#3', '#4', '#5']);
  });

  test('[HIST14] an archived task that was not finished still holds up what waits for it', async () => {
    const fixture = await planned();
    const answer = await fixture.call('build', {
      type: 'archive',
      id: 2,
      force: true,
      reason: 'later',
    });
    expect(answer.result.board?.tasks.find(({ n }) => n === 4)).toMatchObject({
      blockedBy: ['a4rg-2'],
    });
  });

  test.each([
    ['archive', { type: 'archive', id: 1 }],
    ['restore', { type: 'restore', id: 1 }],
  ])(
    '[HIST15] a crash of %s between the two writes loses and doubles nothing',
    async (type, operation) => {
      const fixture = await planned();
      if (type === 'restore') await fixture.call('build', { type: 'archive', id: 1 });
      const { store } = fixture;
      const update = store.update.bind(store);
      let failed = 0;
      store.update = (file, edit) => {
        if (file !== (type === 'archive' ? path : archive)) return update(file, edit);
        failed += 1;
        return Promise.reject(new StoreError('io', 'The power is gone.'));
      };
      await fixture.call('build', operation);
      expect(failed).toBeGreaterThan(0);
      store.update = update;
      expect(await standing(fixture)).toEqual(['#1', '#1', '#2', '#3', '#4']);
      expect(await fixture.tasks('build')).toContain('Choose: completed');
      expect(codes(await fixture.call('build', { type: 'restore', id: 1 }))).toEqual(['on_board']);
      expect(codes(await fixture.call('build', { type: 'archive' }))).toEqual(['ok']);
      expect(await standing(fixture)).toEqual(['#1', '#2', '#3', '#4']);
      expect(codes(await fixture.call('build', { type: 'restore', id: 1 }))).toEqual(['ok']);
      expect(await standing(fixture)).toEqual(['#1', '#2', '#3', '#4']);
    },
  );

  test('[HIST15] what another program archives at the same time stays in the archive', async () => {
    const fixture = await planned();
    const { store } = fixture;
    const update = store.update.bind(store);
    const other = new ManagerFixture(store);
    let isFirst = true;
    store.update = async (file, edit) => {
      const text = await update(file, edit);
      if (file === path && isFirst) {
        isFirst = false;
        await other.call('build', { type: 'archive', id: 3 });
      }
      return text;
    };
    await fixture.call('build', { type: 'archive', id: 1 });
    expect(isFirst).toBe(false);
    expect(await standing(fixture)).toEqual(['#1', '#2', '#3', '#4']);
  });

  test('[HIST15] an edit between the two writes starts them anew', async () => {
    const fixture = await planned();
    const { store } = fixture;
    const update = store.update.bind(store);
    let typed = false;
    store.update = (file, edit) => {
      if (file === path && !typed) {
        typed = true;
        fixture.editNote('build', (text) => text.replace('Choose', 'Choose well'));
      }
      return update(file, edit);
    };
    await fixture.call('build', { type: 'archive', id: 1 });
    expect(typed).toBe(true);
    expect((await fixture.manager.archived(path)).map(({ title }) => title)).toEqual([
      'Choose well',
    ]);
    expect(await standing(fixture)).toEqual(['#1', '#2', '#3', '#4']);
  });

  test('[HIST16] an archive that can’t be read or written keeps the tasks on the board', async () => {
    const fixture = await planned();
    fixture.store.put(archive, '---\nboard: [\n---\n');
    const answer = await fixture.call(
      'build',
      { type: 'archive', id: 1 },
      { type: 'restore', id: 9 },
      { type: 'add', title: 'More' },
    );
    expect(codes(answer)).toEqual(['broken_note', 'broken_note', 'ok']);
    expect(await fixture.tasks('build')).toContain('Choose: completed');
    expect(archived(fixture)).toBe('---\nboard: [\n---\n');
    fixture.store.files.delete(archive);
    fixture.store.fault = new StoreError('disk_full', 'The disk is full.');
    expect(codes(await fixture.call('build', { type: 'archive', id: 1 }))).toEqual(['disk_full']);
    expect(await fixture.tasks('build')).toContain('Choose: completed');
  });

  test('[HIST17] are taken back like other changes, the archive with them', async () => {
    const fixture = await planned();
    const build = { kind: 'agent', name: 'build' } as const;
    const before = fixture.text('build').replace(/^(?:rev|next): .*\n/gm, '');
    await fixture.call('build', { type: 'archive', id: 1 });
    await fixture.call('build', { type: 'undo' });
    expect(fixture.text('build').replace(/^(?:rev|next): .*\n/gm, '')).toBe(before);
    expect(await fixture.manager.archived(path)).toEqual([]);
    expect(await fixture.manager.redoLast(path, build)).toMatchObject({ ok: true });
    expect(await standing(fixture)).toEqual(['#1', '#2', '#3', '#4']);
    await fixture.call('build', { type: 'restore', id: 1 });
    expect(await fixture.manager.undoLast(path, build)).toMatchObject({ ok: true });
    expect((await fixture.manager.archived(path)).map(({ title }) => title)).toEqual(['Choose']);
    expect(fixture.text('build')).toContain('\narchived: 1\n');
    expect(await standing(fixture)).toEqual(['#1', '#2', '#3', '#4']);
  });
});
