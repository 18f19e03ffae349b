import { describe, expect, test } from 'vitest';
import { codes, ManagerFixture, messages } from './manager-fixture';

const plan = [
  { type: 'init', title: 'Search' },
  { type: 'add', title: 'Choose' },
  { type: 'add', title: 'Build', dependsOn: [1] },
  { type: 'add', title: 'Split', parent: 'Build' },
  { type: 'add', title: 'Ship', dependsOn: ['#2', 'Choose'], phase: 'Release' },
];

async function planned(): Promise<ManagerFixture> {
  const fixture = new ManagerFixture();
  expect((await fixture.call('build', ...plan)).ok).toBe(true);
  return fixture;
}

describe('an operation of tasks', () => {
  test.each(['done', 'Done', 'complete', 'COMPLETED', 'finished'])(
    '[TASKS8] the status "%s" is completed',
    async (status) => {
      const fixture = await planned();
      await fixture.call('build', { type: 'update', id: 1, status });
      expect((await fixture.board('build'))[0]).toMatchObject({
        status: 'completed',
        mark: 'x',
        done: '2026-11-21',
      });
    },
  );

  test.each([
    ['in-progress', 'in_progress'],
    ['In Progress', 'in_progress'],
    ['todo', 'pending'],
    ['canceled', 'cancelled'],
    ['skipped', 'cancelled'],
    ['failed', 'failed'],
    ['on hold', 'deferred'],
  ])('[TASKS8] the status "%s" is %s', async (status, stored) => {
    const fixture = await planned();
    await fixture.call('build', { type: 'update', id: 1, status });
    expect((await fixture.board('build'))[0]?.status).toBe(stored);
  });

  test('[TASKS9] a task that nothing fits gets the nearest titles, an ambiguous title the ids', async () => {
    const fixture = await planned();
    const answer = await fixture.call(
      'build',
      { type: 'complete', id: 'Biuld' },
      { type: 'complete', id: 99 },
      { type: 'add', title: 'Choose' },
      { type: 'complete', id: 'Choose' },
      { type: 'complete', id: 5 },
      { type: 'get', id: 99 },
    );
    expect(codes(answer)).toEqual([
      ...['unknown_task', 'unknown_task', 'ok', 'ambiguous', 'ok', 'unknown_task'],
    ]);
    expect(messages(answer)).toEqual([
      'No task "Biuld". Did you mean #2 Build?',
      'No task "99". Tasks here: #1 Choose, #2 Build, #3 Split and 1 more.',
      '2 tasks are called "Choose": #1, #5. Send an id.',
      // Finished tasks are listed last, but named and counted as well.
      'No task "99". Tasks here: #1 Choose, #2 Build, #3 Split and 2 more.',
    ]);
  });

  test('[TASKS9] a title that is a number is found where no task has that number', async () => {
    const fixture = await planned();
    const answer = await fixture.call(
      'build',
      { type: 'add', title: '2027' },
      { type: 'complete', id: 2027 },
      { type: 'complete', id: '1' },
    );
    expect(codes(answer)).toEqual(['ok', 'ok', 'ok']);
    expect(await fixture.tasks('build')).toContain('2027: completed');
    expect(await fixture.tasks('build')).toContain('Choose: completed');
  });

  test('[TASKS10] what would wait for itself is refused, with the way; also for its own subtasks', async () => {
    const fixture = await planned();
    const before = fixture.text('build');
    const answer = await fixture.call(
      'build',
      { type: 'update', id: 1, dependsOn: [1] },
      { type: 'update', id: 1, dependsOn: [4] },
      { type: 'update', id: 2, dependsOn: [3] },
    );
    expect(codes(answer)).toEqual(['cycle', 'cycle', 'cycle']);
    expect(messages(answer)).toEqual([
      'This would make #1 wait for itself: #1, #1.',
      'This would make #1 wait for itself: #1, #4, #1.',
      'This would make #2 wait for itself: #2, #3 (#3 is a subtask of #2, and waits with it).',
    ]);
    expect(fixture.text('build')).toBe(before);
  });

  test('[TASKS11] dependsOn of update replaces the list; an empty one clears it', async () => {
    const fixture = await planned();
    await fixture.call('build', { type: 'update', id: 4, dependsOn: ['Split', 3, '#3'] });
    expect((await fixture.board('build'))[3]?.dependsOn).toEqual(['a4rg-3']);
    await fixture.call('build', { type: 'update', id: 4, dependsOn: [] });
    expect((await fixture.board('build'))[3]?.dependsOn).toEqual([]);
  });

  test('[TASKS12] completing a task with open subtasks succeeds, names them, and they keep their status', async () => {
    const fixture = await planned();
    const answer = await fixture.call('build', {
      type: 'complete',
      id: 2,
      force: true,
      reason: 'known',
    });
    expect(answer.output).toContain(
      '- complete: #2 Build: reason known, is completed. Its open subtasks keep their status: #3. It still waited for #1.',
    );
    expect(await fixture.tasks('build')).toEqual([
      'Choose: pending',
      'Build: completed',
      'Split: pending',
      'Ship: pending',
    ]);
  });

  test('[TASKS12] an answer says what was unblocked', async () => {
    const fixture = await planned();
    const answer = await fixture.call('build', { type: 'complete', id: 1 });
    expect(answer.output).toContain('- complete: #1 Choose: is completed. Unblocked: #2, #3.');
  });

  test('[TASKS13] what the person approves stays in progress, what is theirs needs force', async () => {
    const fixture = await planned();
    fixture.editNote('build', (text) =>
      text
        .replace('Choose 🆔', 'Choose [approve:: me] 🆔')
        .replace('Ship 🆔', 'Ship [owner:: me] 🆔'),
    );
    const answer = await fixture.call(
      'build',
      { type: 'complete', id: 1 },
      { type: 'update', id: 4, status: 'done' },
    );
    expect(codes(answer)).toEqual(['ok', 'owned_by_person']);
    expect(await fixture.tasks('build')).toContain('Choose: in_progress');
    expect(await fixture.tasks('build')).toContain('Ship: pending');
    await fixture.call('build', { type: 'complete', id: 4, force: true, reason: 'told to' });
    expect(await fixture.tasks('build')).toContain('Ship: completed');
  });

  test('[TASKS14] remove takes a leaf away; a task with subtasks or text under it stays', async () => {
    const fixture = await planned();
    fixture.editNote('build', (text) =>
      text.replace('^a4rg-1\n', '^a4rg-1\n\tMind the licence.\n'),
    );
    const answer = await fixture.call(
      'build',
      { type: 'remove', id: 2 },
      { type: 'remove', id: 4 },
      { type: 'add', title: 'Next' },
    );
    expect(codes(answer)).toEqual(['has_children', 'ok', 'ok']);
    expect(codes(await fixture.call('build', { type: 'remove', id: 1 }))).toEqual(['has_body']);
    expect((await fixture.board('build')).map(({ n }) => n)).toEqual([1, 2, 3, 5]);
  });

  test('[TASKS15] a second init changes the title only, and says so', async () => {
    const fixture = await planned();
    const before = fixture.text('build');
    const answer = await fixture.call('build', { type: 'init', title: 'Find: all' });
    expect(answer.output).toContain(
      '- init: the board exists already; its title is now "Find: all", nothing else was changed.',
    );
    expect(fixture.text('build')).toBe(
      before
        .replace('title: Search', 'title: "Find: all"')
        .replace('# Search', '# Find: all')
        .replace('rev: 1', 'rev: 2'),
    );
    expect(answer.result.results[0]?.result).toEqual({ title: 'Find: all', made: false });
  });

  test('[TASKS16] a note that can not be read is never written; its reason is the error', async () => {
    const fixture = await planned();
    fixture.editNote('build', (text) => text.replace('board: 1', 'board: [1'));
    const before = fixture.text('build');
    const answer = await fixture.call('build', { type: 'add', title: 'x' }, { type: 'list' });
    expect(codes(answer)).toEqual(['broken_note', 'broken_note']);
    expect(messages(answer)[0]).toContain('until it is repaired. Line 3: the header');
    expect(fixture.text('build')).toBe(before);
  });

  test('[TASKS17] a store that refuses fails the operations of its board with its code', async () => {
    const fixture = await planned();
    const before = fixture.text('build');
    const { StoreError } = await import('../../src/core/ports');
    fixture.store.fault = new StoreError('disk_full', 'the disk is full.');
    const answer = await fixture.call('build', { type: 'complete', id: 1 }, { type: 'list' });
    expect(codes(answer)).toEqual(['disk_full', 'disk_full']);
    expect(fixture.text('build')).toBe(before);
    expect((await fixture.call('build', { type: 'complete', id: 1 })).ok).toBe(true);
  });

  test('[TASKS18] a title is kept exactly as it was given', async () => {
    const fixture = new ManagerFixture();
    const titles = [
      '"quoted" and \'single\'',
      'emoji 🆔 a-1 ⛔ b-2 📅 2026-01-01 👩‍👩‍👧',
      'ends in ^x1',
      '[ ] brackets [x] [[link]] ![img](y)',
      '- [ ] a task in a task',
      'تقرير عن البحث',
      '<b>html</b> <!-- comment',
      '`code` ```fence',
      '%% hidden',
      '# heading',
      '$math$ \\ &#127380; &amp;',
      'x'.repeat(500),
      '[owner:: me] [reason:: x]',
      '1. one',
      '> quote',
      '---',
      '{"json": true}',
    ];
    const answer = await fixture.call('build', ...titles.map((title) => ({ type: 'add', title })));
    expect(codes(answer)).toEqual(titles.map(() => 'ok'));
    expect((await fixture.board('build')).map(({ title }) => title)).toEqual(titles);
    const renamed = titles.map((title, at) => ({
      type: 'update',
      id: at + 1,
      title: `${title} 2`.slice(0, 500),
    }));
    expect((await fixture.call('build', ...renamed)).ok).toBe(true);
    expect((await fixture.board('build')).map(({ title }) => title)).toEqual(
      renamed.map(({ title }) => title),
    );
  });
});
