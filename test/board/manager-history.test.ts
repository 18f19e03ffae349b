import { PERSON } from '../../src/core/board/history/actor';
import { describe, expect, test } from 'vitest';
import { TodoManager, type Actor } from '../../src/core/board/todo-manager';
import { StoreError } from '../../src/core/ports';
import { boardPathOf, clock, ManagerFixture, seededIds } from './manager-fixture';
import type { Fault } from '../../src/core/fault';
import type { Note } from '../../src/core/board/note/note';
import type { DecideOperations, Op } from '../../src/core/board/op';

const path = boardPathOf('build');
const build: Actor = { kind: 'agent', name: 'build' };
const person: Actor = { kind: 'person' };
const historyFile = '.opencode/agent-task-boards/history/ses_1/build.jsonl';

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

async function target(fixture: ManagerFixture, title: string) {
  const found = (await fixture.board('build')).find((one) => one.title === title);
  if (found === undefined) throw new Error(`no task ${title}`);
  return found;
}

describe('the history of a board', () => {
  test('[HIST1] tells who did what, newest first, with the rev afterwards', async () => {
    const fixture = await planned();
    await fixture.call('build', { type: 'complete', id: 1 }, { type: 'list' });
    await fixture.manager.commit(path, PERSON, [
      { type: 'update', id: await target(fixture, 'Ship'), title: 'Ship it' },
    ]);
    const [third, second, first, ...more] = await other(fixture).history(path);
    expect(more).toEqual([]);
    expect(third).toMatchObject({ by: person, rev: 3, said: ['#4 Ship is called "Ship it"'] });
    expect(second).toMatchObject({
      by: build,
      rev: 2,
      undone: false,
      said: ['complete: #1 Choose: is completed. Unblocked: #2, #3.'],
    });
    expect(first?.said).toHaveLength(5);
    expect(await other(fixture).history(path, 1)).toEqual([third]);
  });

  test('[HIST2] keeps the last 200 changes in less than 1 MiB, and passes over a line that is none', async () => {
    const fixture = await planned();
    for (let at = 0; at < 210; at += 1) {
      await fixture.call('build', { type: 'update', id: 1, title: `Choose ${at}` });
    }
    const kept = fixture.store.files.get(historyFile)?.text ?? '';
    expect(kept.split('\n').length).toBeGreaterThan(200);
    expect(await fixture.manager.history(path)).toHaveLength(200);
    fixture.store.put(historyFile, `not json\n${kept}{"change": "torn`);
    await fixture.call('build', { type: 'complete', id: 1 });
    const entries = await fixture.manager.history(path);
    expect(entries).toHaveLength(200);
    expect(entries[0]?.said[0]).toContain('complete');
    const long = '漢'.repeat(19_000);
    for (let at = 0; at < 30; at += 1) {
      await fixture.call('build', { type: 'update', id: 1, body: `${at} ${long}` });
    }
    const size = new TextEncoder().encode(fixture.store.files.get(historyFile)?.text ?? '').length;
    expect(size).toBeLessThan(1024 * 1024);
  });

  test('[HIST3] that could not be written leaves the change standing, and the answer says so', async () => {
    const fixture = await planned();
    const { store } = fixture;
    const update = store.update.bind(store);
    store.update = (file, edit) =>
      file === historyFile
        ? Promise.reject(new StoreError('disk_full', 'The disk is full.'))
        : update(file, edit);
    const answer = await fixture.call('build', { type: 'complete', id: 1 });
    expect(answer.ok).toBe(true);
    expect(answer.output).toContain("it can't be undone later: The disk is full.");
    expect(
      await fixture.manager.commit(path, PERSON, [{ type: 'add', title: 'More' }]),
    ).toMatchObject({
      ok: true,
      unrecorded: { code: 'disk_full', message: 'The disk is full.' },
    });
    expect(await fixture.tasks('build')).toContain('More: pending');
  });
});

/** @param made the text that the board should have, or the reason of the refusal */
function replace(
  { manager }: ManagerFixture,
  path: string,
  by: Actor,
  said: string,
  made: (note: Note | undefined) => string | Fault,
) {
  const decide: DecideOperations = (note) => {
    const text = made(note);
    return typeof text === 'string' ? [{ type: 'replace', text }] : text;
  };
  return manager.commit(path, by, decide, { said });
}

describe('a board written as a whole', () => {
  const text = (title: string): string =>
    `---\nboard: 1\nsession: ses_1\nagent: build\ntitle: T\nprefix: k3f9\nnext: 2\nrev: 0\n---\n\n- [ ] ${title} 🆔 k3f9-1 ^k3f9-1\n`;
  const from: Actor = { kind: 'import', name: 'tasks.json' };

  test('[HIST10] is made, changed, told to listeners and kept, in one write each', async () => {
    const fixture = new ManagerFixture();
    const heard: string[] = [];
    fixture.manager.onChange(({ by, changedKeys }) => heard.push(`${by} ${changedKeys.join()}`));
    const made = await replace(fixture, path, from, 'imported tasks.json', (note) => {
      expect(note).toBeUndefined();
      return text('One');
    });
    expect(made).toMatchObject({ ok: true, board: { rev: 0 } });
    const changed = await replace(fixture, path, from, 'imported it again', (note) =>
      (note?.text ?? '').replace('One', 'Two'),
    );
    expect(changed).toMatchObject({ ok: true, board: { rev: 1 } });
    expect(heard).toEqual(['import k3f9-1', 'import k3f9-1']);
    const { result } = await fixture.call('other', { type: 'list' });
    expect(result.board?.agent).toBe('build');
    expect((await fixture.manager.history(path)).map(({ said }) => said)).toEqual([
      ['imported it again'],
      ['imported tasks.json'],
    ]);
    expect(await fixture.manager.undo(changed.ok ? changed.change : '')).toMatchObject({
      ok: true,
    });
    expect(fixture.text('build')).toBe(text('One').replace('rev: 0', 'rev: 2'));
  });

  test('[HIST18] what an agent writes so is no news to it, what a person changed meanwhile is', async () => {
    const fixture = await planned();
    fixture.editNote('build', (written) => written.replace('- [ ] Ship', '- [>] Ship'));
    const by: Actor = { kind: 'agent', name: 'build' };
    const done = await replace(fixture, path, by, 'renamed', (note) =>
      (note?.text ?? '').replace('Choose', 'Chosen'),
    );
    expect(done).toMatchObject({ ok: true });
    const { result } = await fixture.call('build', { type: 'list' });
    expect(result.changed).toMatchObject([{ n: 4, field: 'status', after: 'deferred' }]);
  });

  test('[HIST22] is one operation, the first where there is no note; others go on from its text', async () => {
    const fixture = new ManagerFixture();
    const add = { type: 'add', title: 'Two' } as const;
    const whole = { type: 'replace', text: text('One') } as const;
    expect(await fixture.manager.commit(path, PERSON, [add, whole])).toMatchObject({
      code: 'unknown_board',
    });
    expect(fixture.paths()).toEqual([]);
    expect((await fixture.manager.commit(path, PERSON, [whole, add])).ok).toBe(true);
    expect(await fixture.tasks('build')).toEqual(['One: pending', 'Two: pending']);
    expect((await fixture.manager.history(path)).map(({ said }) => said)).toEqual([
      ['replaced the whole text', 'added "Two"'],
    ]);
  });

  test('[HIST21] all operations are made or none, and none writes nothing', async () => {
    const fixture = new ManagerFixture();
    const decide =
      (...ops: Op[]): DecideOperations =>
      () =>
        ops as ReturnType<DecideOperations>;
    const archived = text('One').replace('next: 2', 'next: 2\narchived: 5-6');
    const whole = { type: 'replace', text: archived } as const;
    const gone = { type: 'remove', id: 'k3f9-9' } as const;
    expect((await fixture.manager.commit(path, from, decide(whole, gone))).ok).toBe(false);
    expect(fixture.paths()).toEqual([]);
    await fixture.manager.commit(path, from, [whole]);
    const writes = fixture.store.writes.length;
    const done = await fixture.manager.commit(path, from, decide(), { said: 'nothing' });
    expect(done).toMatchObject({ ok: true, board: { rev: 0 } });
    const removed = await fixture.manager.commit(
      path,
      from,
      decide({ type: 'remove', id: 'k3f9-1' }, gone),
    );
    expect(removed.ok).toBe(false);
    expect(fixture.store.writes.slice(writes)).toEqual([]);
    expect(await fixture.manager.history(path)).toHaveLength(1);
  });

  test('[HIST11] is refused on a broken note, as a broken note, and by the caller', async () => {
    const fixture = new ManagerFixture();
    const edit = (change: string | undefined) =>
      replace(fixture, path, from, 'x', () =>
        change === undefined ? { ok: false, code: 'no', message: 'Not so.' } : change,
      );
    expect(await edit('no header')).toMatchObject({ code: 'broken_note' });
    expect(fixture.paths()).toEqual([]);
    expect(await edit(undefined)).toEqual({ ok: false, code: 'no', message: 'Not so.' });
    fixture.store.put(path, '---\nboard: [\n---\n');
    expect(await edit(text('One'))).toMatchObject({ code: 'broken_note' });
    expect(fixture.text('build')).toBe('---\nboard: [\n---\n');
    expect(await replace(fixture, 'a.md', from, 'x', () => text('One'))).toMatchObject({
      code: 'unknown_board',
    });
  });
});
