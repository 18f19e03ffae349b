import { describe, expect, test } from 'vitest';
import { StoreError } from '../../src/core/ports';
import { boardPathOf, clock, ManagerFixture, seededIds } from './manager-fixture';
import { TodoManager } from '../../src/core/board/todo-manager';
import { MemoryStore } from '../store/memory-store';
import { todo } from './mirror-fixture';

const caller = { sessionId: 'ses_1', agent: 'build', sessionTitle: 'The session' };
const STATE = '.opencode/agent-task-boards/sessions/ses_1/todos.json';

describe('the mirror of todowrite', () => {
  test('[MIRROR8] ends with the first call of tasks, also for programs that start later', async () => {
    const fixture = new ManagerFixture();
    expect(await fixture.manager.mirrorTodos(caller, [todo('A')])).toMatchObject({
      mirrored: true,
    });
    await fixture.callIn('ses_2', 'build', { type: 'list' });
    await fixture.manager.mirrorTodos(caller, [todo('A'), todo('B')]);
    expect(await fixture.tasks('build')).toEqual(['A: pending', 'B: pending']);
    await fixture.call('build', { type: 'list' });
    const late = new ManagerFixture(fixture.store);
    for (const { manager } of [fixture, late]) {
      const done = await manager.mirrorTodos(caller, [todo('A', 'completed')]);
      expect(done).toEqual({ ok: true, mirrored: false, left: [] });
    }
    expect(await fixture.tasks('build')).toEqual(['A: pending', 'B: pending']);
  });

  test('[MIRROR8] a list that is not mirrored writes nothing, not even for an agent without a board', async () => {
    const fixture = new ManagerFixture();
    await fixture.call('build', { type: 'list' });
    const before = new Map(fixture.store.files);
    await fixture.manager.mirrorTodos({ ...caller, agent: 'plan' }, [todo('A')]);
    await fixture.manager.mirrorTodos({ ...caller, sessionId: 'ses_2' }, []);
    expect(new Map(fixture.store.files)).toEqual(before);
  });

  test('[MIRROR8] what the agent wrote by todowrite, the tool tasks then works on', async () => {
    const fixture = new ManagerFixture();
    await fixture.manager.mirrorTodos(caller, [todo('A'), todo('B')]);
    const answer = await fixture.call('build', { type: 'complete', id: 'A' });
    expect(answer.ok).toBe(true);
    expect(await fixture.tasks('build')).toEqual(['A: completed', 'B: pending']);
  });

  test('[MIRROR9] a list makes the board, as an import in the history; an empty one makes none', async () => {
    const fixture = new ManagerFixture();
    expect(await fixture.manager.mirrorTodos(caller, [])).toMatchObject({ mirrored: false });
    expect(fixture.paths()).toEqual([]);
    await fixture.manager.mirrorTodos(caller, [todo('A')]);
    const board = await fixture.manager.load(boardPathOf('build'));
    expect(board).toMatchObject({ title: 'The session', agent: 'build', session: 'ses_1' });
    expect(await fixture.manager.history(boardPathOf('build'))).toMatchObject([
      { by: { kind: 'import', name: 'todowrite' } },
    ]);
  });

  test('[MIRROR9] a session or agent that names no board is refused', async () => {
    const { manager } = new ManagerFixture();
    const refused = [
      { ...caller, sessionId: '' },
      { ...caller, agent: 'a\nb' },
    ];
    const codes = refused.map(async (one) => manager.mirrorTodos(one, [todo('A')]));
    expect(await Promise.all(codes)).toMatchObject([
      { code: 'bad_session' },
      { code: 'bad_agent' },
    ]);
  });

  test('[MIRROR4] what a person changed stays over a restart', async () => {
    const fixture = new ManagerFixture();
    await fixture.manager.mirrorTodos(caller, [todo('A'), todo('B')]);
    fixture.editNote('build', (text) => text.replace('[ ] A', '[x] A'));
    const later = new ManagerFixture(fixture.store);
    await later.manager.mirrorTodos(caller, [todo('A', 'in_progress'), todo('B', 'in_progress')]);
    expect(await later.tasks('build')).toEqual(['A: completed', 'B: in_progress']);
  });

  test('[MIRROR7] a program that dies after any of its writes is made up for by the next one', async () => {
    const lists = [[todo('A'), todo('B')], [todo('A'), todo('B again', 'completed')], [todo('A')]];
    const whole = await mirrorAll(lists, Infinity);
    let deaths = 0;
    for (let writes = 1; ; writes += 1) {
      const { text, died } = await mirrorAll(lists, writes);
      if (!died) break;
      deaths += 1;
      expect(text).toBe(whole.text);
    }
    expect(deaths).toBeGreaterThan(8);
  });

  test('[MIRROR7] a damaged memory finds the tasks by their titles', async () => {
    const fixture = new ManagerFixture();
    await fixture.manager.mirrorTodos(caller, [todo('A'), todo('B')]);
    fixture.store.put(STATE, '{"used": 7');
    await new ManagerFixture(fixture.store).manager.mirrorTodos(caller, [
      todo('A', 'completed'),
      todo('B'),
    ]);
    expect(await fixture.tasks('build')).toEqual(['A: completed', 'B: pending']);
  });

  test('[MIRROR9] a board that a person deleted is begun anew', async () => {
    const fixture = new ManagerFixture();
    await fixture.manager.mirrorTodos(caller, [todo('A'), todo('B')]);
    fixture.store.files.delete(boardPathOf('build'));
    await fixture.manager.mirrorTodos(caller, [todo('A'), todo('B')]);
    expect(await fixture.tasks('build')).toEqual(['A: pending', 'B: pending']);
  });

  test('[MIRROR6] a broken note is not written, and mirrored again once it is repaired', async () => {
    const fixture = new ManagerFixture();
    await fixture.manager.mirrorTodos(caller, [todo('A')]);
    const good = fixture.text('build');
    fixture.editNote('build', (text) => text.replace('board: 1', 'board: 2'));
    const list = [todo('A', 'completed')];
    expect(await fixture.manager.mirrorTodos(caller, list)).toMatchObject({ code: 'broken_note' });
    fixture.editNote('build', () => good);
    await fixture.manager.mirrorTodos(caller, list);
    expect(await fixture.tasks('build')).toEqual(['A: completed']);
  });
});

/** Dies after this many writes: nothing later is carried out. */
class DyingStore extends MemoryStore {
  constructor(private writesLeft: number) {
    super();
  }

  override async update(
    path: string,
    edit: (text: string | undefined) => string | undefined,
  ): Promise<string | undefined> {
    const before = this.writes.length;
    if (this.writesLeft <= 0) throw new StoreError('io', 'dead');
    const text = await super.update(path, edit);
    this.writesLeft -= this.writes.length - before;
    return text;
  }
}

/** Mirrors three lists, the last twice; after a crash a new program goes on with the same files. */
async function mirrorAll(
  lists: readonly ReturnType<typeof todo>[][],
  writes: number,
): Promise<{ text: string; died: boolean }> {
  const store = new DyingStore(writes);
  let manager = new TodoManager({ store, clock, ids: seededIds() });
  let died = false;
  for (const list of [...lists, ...lists.slice(-1)]) {
    const done = await manager.mirrorTodos(caller, list).catch(() => undefined);
    if (done?.ok === true || died) continue;
    died = true;
    const alive = new MemoryStore();
    for (const [path, { text }] of store.files) alive.put(path, text);
    manager = new TodoManager({ store: alive, clock, ids: seededIds() });
    await manager.mirrorTodos(caller, list);
  }
  const board = await manager.load(boardPathOf('build'));
  return {
    text: board?.tasks.map(({ n, title, status }) => `${n} ${title} ${status}`).join('\n') ?? '',
    died,
  };
}
