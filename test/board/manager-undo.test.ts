import { PERSON } from '../../src/core/board/history/actor';
import { describe, expect, test } from 'vitest';
import { TodoManager, type Actor } from '../../src/core/board/todo-manager';
import { boardPathOf, clock, codes, ManagerFixture, messages, seededIds } from './manager-fixture';

const path = boardPathOf('build');
const build: Actor = { kind: 'agent', name: 'build' };
const person: Actor = { kind: 'person' };

async function planned(): Promise<ManagerFixture> {
  const fixture = new ManagerFixture();
  await fixture.call(
    'build',
    { type: 'init', title: 'Search' },
    { type: 'add', title: 'Choose', phase: 'Groundwork' },
    { type: 'add', title: 'Build', dependsOn: [1], phase: 'Groundwork' },
    { type: 'add', title: 'Segment', parent: 2, body: 'by words' },
    { type: 'add', title: 'Ship', dependsOn: [1, 2], phase: 'Release' },
  );
  return fixture;
}

/** Another manager over the same notes, as in another process. */
function other({ store }: ManagerFixture): TodoManager {
  return new TodoManager({ store, clock, ids: seededIds(7) });
}

/** The note without its counters. */
function said(fixture: ManagerFixture): string {
  return fixture.text('build').replace(/^(?:rev|next): .*\n/gm, '');
}

async function target(fixture: ManagerFixture, title: string) {
  const found = (await fixture.board('build')).find((one) => one.title === title);
  if (found === undefined) throw new Error(`no task ${title}`);
  return found;
}

describe('taking back', () => {
  const operations: readonly (readonly [string, readonly unknown[]])[] = [
    ['title and status', [{ type: 'update', id: 1, title: 'Chosen', status: 'in_progress' }]],
    ['fields and body', [{ type: 'update', id: 3, risk: 'high', due: '2026-12-01', body: 'a\nb' }]],
    ['a completed task', [{ type: 'complete', id: 1 }]],
    [
      'a new task, phase and subtask',
      [
        { type: 'add', title: 'New', phase: 'Later' },
        { type: 'add', title: 'Sub', parent: 'New' },
      ],
    ],
    ['a removed family', [{ type: 'remove', id: 2, cascade: true }]],
    ['a promoted family', [{ type: 'remove', id: 2, promote: true }]],
    ['a move', [{ type: 'move', id: 2, phase: 'Release' }]],
    ['a move under another', [{ type: 'move', id: 3, parent: 1 }]],
    [
      'prerequisites',
      [
        { type: 'undepend', id: 4, dependsOn: [1] },
        { type: 'depend', id: 3, dependsOn: [1] },
      ],
    ],
    ['the title of the board', [{ type: 'init', title: 'Find' }]],
    ['the archive', [{ type: 'complete', id: 1 }, { type: 'archive' }]],
    [
      'all in one',
      [
        { type: 'add', title: 'First', after: 1 },
        { type: 'remove', id: 2, cascade: true },
        { type: 'move', id: 4, after: 1 },
        { type: 'update', id: 1, title: 'Other', body: 'text' },
      ],
    ],
  ];

  test.each(operations)(
    '[HIST4] restores the bytes of %s, counters aside, and redo does it again',
    async (_, sent) => {
      const fixture = await planned();
      const before = said(fixture);
      expect(codes(await fixture.call('build', ...sent)).every((code) => code === 'ok')).toBe(true);
      const after = said(fixture);
      expect(after).not.toBe(before);
      expect(await other(fixture).undoLast(path, build)).toMatchObject({ ok: true });
      expect(said(fixture)).toBe(before);
      expect(await other(fixture).redoLast(path, build)).toMatchObject({ ok: true });
      expect(said(fixture)).toBe(after);
      expect(await fixture.manager.undoLast(path, build)).toMatchObject({ ok: true });
      expect(said(fixture)).toBe(before);
    },
  );

  test('[HIST4] leaves an empty board of what made it', async () => {
    const fixture = await planned();
    expect(await fixture.manager.undoLast(path, build)).toMatchObject({ ok: true });
    expect(said(fixture)).toMatch(/^---\n[\s\S]*\n---\n\n# Search\n$/);
    expect(await fixture.manager.undoLast(path, build)).toMatchObject({ code: 'nothing_to_undo' });
  });

  test("[HIST5] is of the actor's own last change only, across processes", async () => {
    const fixture = await planned();
    await fixture.call('build', { type: 'complete', id: 1 });
    await fixture.manager.commit(path, PERSON, [
      { type: 'update', id: await target(fixture, 'Ship'), status: 'deferred' },
    ]);
    await fixture.call('plan', { type: 'update', agent: 'build', id: 4, title: 'Publish' });
    expect(await other(fixture).undoLast(path, build)).toMatchObject({ ok: true });
    expect(await fixture.tasks('build')).toEqual([
      'Choose: pending',
      'Build: pending',
      'Segment: pending',
      'Publish: deferred',
    ]);
    expect(await other(fixture).undoLast(path, person)).toMatchObject({ code: 'changed_since' });
    expect(await fixture.manager.redoLast(path, person)).toMatchObject({ code: 'nothing_to_redo' });
  });

  test('[HIST5] of a change of an agent by its name is refused to a person', async () => {
    const fixture = await planned();
    const [entry] = await fixture.manager.history(path);
    expect(await fixture.manager.undo(entry?.change ?? '')).toMatchObject({ code: 'not_yours' });
    expect(await fixture.manager.undo('ses_1/build-tasks.md#gone')).toMatchObject({
      code: 'unknown_change',
    });
  });

  test('[HIST6] says who changed the task since, and changes nothing', async () => {
    const fixture = await planned();
    const done = await fixture.manager.commit(path, PERSON, [
      { type: 'update', id: await target(fixture, 'Ship'), status: 'deferred' },
    ]);
    await fixture.call('build', { type: 'list' }, { type: 'update', id: 4, priority: 'high' });
    const before = fixture.text('build');
    expect(await other(fixture).undo(done.ok ? done.change : '')).toMatchObject({
      ok: false,
      code: 'changed_since',
      message:
        'build changed "Ship" since, so the board stays as it is. Look at the board, and change there what you still want.',
    });
    expect(fixture.text('build')).toBe(before);
  });

  test('[HIST6] of one task is refused as a whole where another of its tasks changed', async () => {
    const fixture = await planned();
    await fixture.call(
      'build',
      { type: 'complete', id: 1 },
      { type: 'update', id: 4, title: 'Go' },
    );
    fixture.editNote('build', (text) => text.replace('Go', 'Gone'));
    const before = fixture.text('build');
    expect(await fixture.manager.undoLast(path, build)).toMatchObject({ code: 'changed_since' });
    expect(fixture.text('build')).toBe(before);
  });

  test('[HIST7] leaves what others did around it byte for byte', async () => {
    const fixture = await planned();
    await fixture.call(
      'build',
      { type: 'remove', id: 2, cascade: true },
      { type: 'add', title: 'Added', phase: 'Groundwork' },
      { type: 'add', title: 'Too', phase: 'Groundwork' },
    );
    fixture.editNote('build', (text) =>
      text
        .replace('- [ ] Choose', 'A note.\n\n- [x] Choose\n\t- [ ] typed below')
        .replace(/(- \[ \] Added.*\n)/, '$1- [ ] typed between\n')
        .replace('## Release', '## Launch'),
    );
    expect(await fixture.manager.undoLast(path, build)).toMatchObject({ ok: true });
    expect(
      (await fixture.board('build')).map(({ title, depth, phase }) => [title, depth, phase]),
    ).toEqual([
      ['Choose', 0, 'Groundwork'],
      ['typed below', 1, 'Groundwork'],
      ['Build', 0, 'Groundwork'],
      ['Segment', 1, 'Groundwork'],
      ['typed between', 0, 'Groundwork'],
      ['Ship', 0, 'Launch'],
    ]);
    expect(fixture.text('build')).toContain('A note.\n\n- [x] Choose');
  });

  test('[HIST8] is told to the agent as a change of the person', async () => {
    const fixture = await planned();
    await fixture.manager.commit(path, PERSON, [
      { type: 'update', id: await target(fixture, 'Ship'), status: 'deferred' },
    ]);
    await fixture.call('build', { type: 'list' });
    await fixture.manager.undoLast(path, person);
    const { output } = await fixture.call('build', { type: 'list' });
    expect(output).toContain('#4 Ship: pending, was deferred');
  });
});

describe('the operations undo and history', () => {
  test("[HIST9] take back the agent's own last change, and say what it was, or why not", async () => {
    const fixture = await planned();
    await fixture.call('build', { type: 'complete', id: 1 });
    await fixture.manager.commit(path, PERSON, [
      { type: 'update', id: await target(fixture, 'Ship'), title: 'Ship it' },
    ]);
    const answer = await fixture.call('build', { type: 'undo' }, { type: 'history' });
    expect(codes(answer)).toEqual(['ok', 'ok']);
    expect(answer.output).toContain('- undo: taken back: complete: #1 Choose: is completed.');
    expect(answer.output).toContain('you: complete: #1 Choose');
    expect(answer.output).toContain('the person: #4 Ship is called "Ship it" (rev 3)');
    expect((await fixture.tasks('build'))[0]).toBe('Choose: pending');
    expect((await fixture.tasks('build'))[3]).toBe('Ship it: pending');
    expect((await fixture.manager.history(path))[2]).toMatchObject({ undone: true });
    const none = await fixture.call('plan', { type: 'undo', agent: 'build' });
    expect(codes(none)).toEqual(['nothing_to_undo']);
  });

  test('[HIST9] undo goes alone in a call', async () => {
    const fixture = await planned();
    const answer = await fixture.call('build', { type: 'undo' }, { type: 'complete', id: 1 });
    expect(codes(answer)).toEqual(['goes_alone', 'ok']);
    expect(messages(answer)).toEqual([
      'undo goes alone: send it in a call that changes nothing else.',
    ]);
  });
});
