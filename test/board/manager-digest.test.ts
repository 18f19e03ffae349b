import { PERSON } from '../../src/core/board/history/actor';
import { describe, expect, test } from 'vitest';
import { StoreError } from '../../src/core/ports';
import { codes, ManagerFixture, messages } from './manager-fixture';

const SEEN = '.opencode/agent-task-boards/seen/ses_1/build.md';

async function planned(): Promise<ManagerFixture> {
  const fixture = new ManagerFixture();
  await fixture.call(
    'build',
    { type: 'init', title: 'Search' },
    { type: 'add', title: 'Choose' },
    { type: 'add', title: 'Build', dependsOn: [1] },
    { type: 'add', title: 'Split', parent: 2 },
    { type: 'add', title: 'Ship' },
  );
  return fixture;
}

describe('what a person changed since the agent last looked', () => {
  test('[TASKS28] is told by task and field, once, and is in the result', async () => {
    const fixture = await planned();
    fixture.editNote('build', (text) =>
      text
        .replace('[ ] Choose', '[x] Choose')
        .replace('- [ ] Build', '- [ ] Build it all')
        .replace(' ⛔ a4rg-1', '')
        .replace('- [ ] Ship 🆔 a4rg-4 ^a4rg-4', '- [ ] Typed by hand')
        .replace('title: Search', 'title: Find')
        .replace('^a4rg-3\n', '⏫ ^a4rg-3\n\t\tMind the accents.\n'),
    );
    const answer = await fixture.call('build', { type: 'list' });
    expect(answer.output).toContain(
      [
        'Changed by the person since you last looked:',
        '- the board is called "Find", was "Search"',
        '- #1 Choose: completed, was pending',
        '- #2 Build it all: was called "Build"',
        '- #2 Build it all: dependsOn nothing, was "a4rg-1"',
        '- #3 Split: priority "high", was "normal"',
        '- #3 Split: body "Mind the accents.", was nothing',
        '- added "Typed by hand" (no id yet: name it by its title)',
        '- removed #4 Ship',
      ].join('\n'),
    );
    expect(answer.result.changed).toHaveLength(8);
    expect(answer.result.changed[1]).toEqual({
      id: 'a4rg-1',
      n: 1,
      title: 'Choose',
      field: 'status',
      before: 'pending',
      after: 'completed',
    });
    const again = await fixture.call('build', { type: 'list' });
    expect(again.result.changed).toEqual([]);
    expect(again.output).not.toContain('Changed by the person');
  });

  test("[TASKS29] the agent's own operations are none, whoever carried them out", async () => {
    const fixture = await planned();
    await fixture.call('build', { type: 'complete', id: 1 });
    await fixture.call('plan', { type: 'add', title: 'More', agent: 'build' });
    const answer = await new ManagerFixture(fixture.store).call('build', { type: 'list' });
    expect(answer.result.changed).toEqual([]);
  });

  test('[TASKS29] a person who ticks through a view is told, without the id that the view gave', async () => {
    const fixture = await planned();
    fixture.editNote('build', (text) => `${text}- [ ] Typed\n`);
    await fixture.call('build', { type: 'list' });
    const typed = (await fixture.board('build')).find(({ title }) => title === 'Typed');
    if (typed === undefined) throw new Error('no such line');
    const done = await fixture.manager.commit('.opencode/todos/ses_1/build-tasks.md', PERSON, [
      { type: 'update', id: typed, status: 'completed' },
    ]);
    expect(done.ok).toBe(true);
    const answer = await fixture.call('build', { type: 'list' });
    expect(answer.result.changed.map(({ id, field, after }) => [id, field, after])).toEqual([
      ['a4rg-5', 'status', 'completed'],
    ]);
  });

  test('[TASKS30] what the agent saw is replaced with each answer on that board, and by nothing else', async () => {
    const fixture = await planned();
    const first = fixture.store.files.get(SEEN)?.text;
    expect(first).toBe(fixture.text('build'));
    fixture.editNote('build', (text) => text.replace('[ ] Choose', '[x] Choose'));
    await fixture.manager.scan();
    await fixture.manager.summary({ sessionId: 'ses_1', agent: 'build' });
    await fixture.call('build', { type: 'add', title: 'x', agent: 'plan' });
    await fixture.manager.call({ sessionId: 'ses_1', agent: 'build' }, { operations: [] });
    expect(fixture.store.files.get(SEEN)?.text).toBe(first);
    await fixture.call('build', { type: 'nonsense' }, { type: 'list', agent: 'build' });
    expect(fixture.store.files.get(SEEN)?.text).toBe(fixture.text('build'));
  });

  test('[TASKS30] a call in which nothing fits is a look all the same', async () => {
    const fixture = await planned();
    fixture.editNote('build', (text) => text.replace('[ ] Choose', '[x] Choose'));
    const answer = await fixture.call('build', { type: 'nonsense' });
    expect(answer.result.changed).toHaveLength(1);
    expect(answer.output).toContain('[x] #1 Choose');
    expect(fixture.store.files.get(SEEN)?.text).toBe(fixture.text('build'));
  });

  test('[TASKS31] without what it saw, or with a damaged file of it, nothing counts as changed', async () => {
    const fixture = await planned();
    fixture.editNote('build', (text) => text.replace('[ ] Choose', '[x] Choose'));
    fixture.store.files.delete(SEEN);
    expect((await fixture.call('build', { type: 'list' })).result.changed).toEqual([]);
    fixture.store.put(SEEN, '---\nboard: [');
    expect((await fixture.call('build', { type: 'list' })).result.changed).toEqual([]);
  });

  test('[TASKS32] where both changed a field the person’s value stays; the same value, or another field, is done', async () => {
    const fixture = await planned();
    fixture.editNote('build', (text) =>
      text.replace('[ ] Choose', '[>] Choose').replace('- [ ] Ship', '- [x] Ship it'),
    );
    const answer = await fixture.call(
      'build',
      { type: 'complete', id: 1 },
      { type: 'update', id: 1, title: 'Choose one' },
      { type: 'complete', id: 4 },
      { type: 'update', id: 4, title: 'Ship now' },
      { type: 'remove', id: 4 },
    );
    expect(codes(answer)).toEqual(['conflict', 'ok', 'ok', 'conflict', 'conflict']);
    expect(messages(answer)[0]).toBe(
      'The person set status of #1 to "deferred" since you last looked (rev 1); that stays. Yours was not applied; send it again only if you still want it.',
    );
    expect(answer.result.results[0]?.error).toMatchObject({
      conflict: {
        id: 'a4rg-1',
        field: 'status',
        yours: 'completed',
        theirs: 'deferred',
        rev: 1,
      },
    });
    expect(answer.result.results[0]?.error?.conflicts).toBeUndefined();
    expect(await fixture.tasks('build')).toEqual([
      'Choose one: deferred',
      'Build: pending',
      'Split: pending',
      'Ship it: completed',
    ]);
    expect((await fixture.call('build', { type: 'complete', id: 1 })).ok).toBe(true);
  });

  test('[TASKS33] a task that a person renamed is found by the title that the agent saw', async () => {
    const fixture = await planned();
    fixture.editNote('build', (text) => text.replace('- [ ] Ship', '- [ ] Deliver'));
    const answer = await fixture.call('build', { type: 'complete', id: 'Ship' });
    expect(codes(answer)).toEqual(['ok']);
    expect(await fixture.tasks('build')).toContain('Deliver: completed');
  });

  test('[TASKS33] of one that a person removed, the error says that', async () => {
    const fixture = await planned();
    fixture.editNote('build', (text) => text.replace('- [ ] Ship 🆔 a4rg-4 ^a4rg-4\n', ''));
    const answer = await fixture.call('build', { type: 'complete', id: 4 });
    expect(messages(answer)[0]).toContain('It was there when you last looked; it was removed.');
  });

  test('[TASKS34] if what it saw can not be kept, the operations stand and the answer says so', async () => {
    const fixture = await planned();
    const { store } = fixture;
    const update = store.update.bind(store);
    store.update = (path, edit) => {
      if (path === SEEN) return Promise.reject(new StoreError('disk_full', 'the disk is full.'));
      return update(path, edit);
    };
    const answer = await fixture.call('build', { type: 'complete', id: 1 });
    expect(codes(answer)).toEqual(['ok']);
    expect(answer.output).toContain('could not be kept: the disk is full.');
    expect(await fixture.tasks('build')).toContain('Choose: completed');
  });

  test('[TASKS34] a disk that was full once is no reason to forget for ever', async () => {
    const fixture = new ManagerFixture();
    const { store } = fixture;
    const update = store.update.bind(store);
    let full = true;
    store.update = (path, edit) =>
      full && path === SEEN
        ? Promise.reject(new StoreError('disk_full', 'the disk is full.'))
        : update(path, edit);
    const first = await fixture.call('build', { type: 'add', title: 'Choose' });
    expect(first.output).toContain('could not be kept: the disk is full.');
    full = false;
    const second = await fixture.call('build', { type: 'add', title: 'Build' });
    expect(second.output).not.toContain('could not be kept');
    expect(await store.read(SEEN)).toContain('Build');
  });
});

describe('the summary for a prompt', () => {
  test('[TASKS35] says what runs, what is ready, what failed and what a person changed', async () => {
    const fixture = await planned();
    await fixture.call(
      'build',
      { type: 'update', id: 1, status: 'in_progress' },
      { type: 'update', id: 4, status: 'failed' },
      { type: 'add', title: 'Rest' },
    );
    fixture.editNote('build', (text) => text.replace('- [ ] Rest', '- [ ] Sleep'));
    expect(await fixture.manager.summary({ sessionId: 'ses_1', agent: 'build' })).toBe(
      [
        'Your task board "Search" (board of build): 0 of 5 done.',
        'In progress:',
        '- #1 Choose',
        'Ready to start:',
        '- #5 Sleep',
        'Failed:',
        '- #4 Ship',
        'Waiting for others: 2.',
        'Changed by the person since you last looked:',
        '- #5 Sleep: was called "Rest"',
        'Keep it up to date with the tool `tasks`; {"type": "list"} shows all of it.',
      ].join('\n'),
    );
  });

  test('[TASKS35] is of the board that the agent works on, and undefined where the session has none', async () => {
    const fixture = await planned();
    const summary = await fixture.manager.summary({ sessionId: 'ses_1', agent: 'other' });
    expect(summary).toContain('board of build');
    for (const sessionId of ['ses_2', '', 'x'.repeat(100)]) {
      expect(await fixture.manager.summary({ sessionId, agent: 'build' })).toBeUndefined();
    }
    expect(fixture.paths()).toEqual(['ses_1/build-tasks.md']);
  });

  test('[TASKS35] stays under 40 lines, however large the board', async () => {
    const fixture = await planned();
    const lines = ['/', ' ', '!', 'x'].flatMap((mark) =>
      Array.from({ length: 200 }, (_, n) => `- [${mark}] ${'long '.repeat(90)}${mark}${n}\n`),
    );
    fixture.editNote('build', (text) => text + lines.join(''));
    const summary = await fixture.manager.summary({ sessionId: 'ses_1', agent: 'build' });
    expect(summary?.split('\n').length).toBeLessThanOrEqual(40);
    expect(summary?.length).toBeLessThan(6_000);
    expect(summary).toContain('- and 194 more');
  });
});
