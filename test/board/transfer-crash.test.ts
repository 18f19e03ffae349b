import { describe, expect, test } from 'vitest';
import { MOVES_JOURNAL, NO_MOVES } from '../../src/core/board/pending-moves';
import { PERSON } from '../../src/core/board/history/actor';
import { STATE_ROOT } from '../../src/core/board/todo-manager';
import { StoreError } from '../../src/core/ports';
import type { MemoryStore } from '../store/memory-store';
import { boardPathOf, ManagerFixture } from './manager-fixture';

const FROM = boardPathOf('build');
const TO = boardPathOf('build', 'ses_2');
const TITLES = ['Read', 'Write', 'Draft', 'Check', 'Typed', 'Print', 'Plan', 'Send'];

type Moment = 'before' | 'after';

/** Two plans; one has a task without an id, typed by a person. */
async function planned(): Promise<ManagerFixture> {
  const world = new ManagerFixture();
  await world.call(
    'build',
    { type: 'add', title: 'Read', phase: 'First' },
    { type: 'add', title: 'Write', phase: 'First', dependsOn: [1] },
    { type: 'add', title: 'Draft', parent: 2, body: 'Words of it.' },
    { type: 'add', title: 'Check', parent: 2, dependsOn: [3] },
    { type: 'add', title: 'Print', phase: 'Last', dependsOn: [2, 1] },
  );
  await world.callIn(
    'ses_2',
    'build',
    { type: 'add', title: 'Plan' },
    { type: 'add', title: 'Send' },
  );
  world.editNote('build', (text) => text.replace(/(\n## Last)/u, '\n- [ ] Typed\n$1'));
  return world;
}

async function move(world: ManagerFixture) {
  const tasks = (await world.board('build')).filter(({ title }) =>
    ['Write', 'Typed'].includes(title),
  );
  expect(tasks).toHaveLength(2);
  return world.manager.transfer(FROM, tasks, TO);
}

/** Kills the process at its `at`-th write: nothing that it does afterwards reaches the disk. */
async function killed(
  store: MemoryStore,
  moment: Moment,
  at: number,
  work: () => Promise<unknown>,
): Promise<boolean> {
  const update = store.update.bind(store);
  const remove = store.remove.bind(store);
  let writes = 0;
  const dead = () => Promise.reject(new StoreError('io', 'The process is dead.'));
  store.update = async (path, edit) => {
    if (writes > at) return dead();
    let wrote = 0;
    const done = await update(path, (text) => {
      const after = edit(text);
      const writing = after !== undefined && after !== text;
      wrote += writing ? 1 : 0;
      return writing && writes === at && moment === 'before' ? undefined : after;
    });
    writes += wrote;
    return writes > at ? dead() : done;
  };
  store.remove = (path) => (writes > at ? dead() : remove(path));
  await work().catch((error: unknown) => {
    if (!(error instanceof StoreError)) throw error;
  });
  store.update = update;
  store.remove = remove;
  return writes > at;
}

type Restarted = ManagerFixture & { readonly told: readonly string[] };

/** Programs that start on what the crash left. */
async function restarted(store: MemoryStore): Promise<Restarted> {
  const world = new ManagerFixture(store, { ids: freshIds() });
  await world.manager.scan();
  const told = await world.manager.moves.finish();
  expect([undefined, NO_MOVES]).toContain(store.files.get(`${STATE_ROOT}/${MOVES_JOURNAL}`)?.text);
  return Object.assign(world, { told });
}

let starts = 0;
/** Names of changes are unique across restarts. */
function freshIds() {
  const start = (starts += 1);
  let count = 0;
  return { unique: () => `s${start}u${(count += 1)}`, random: () => 0.5 };
}

async function titles(world: ManagerFixture, path: string): Promise<string[]> {
  return ((await world.manager.load(path))?.tasks ?? []).map(({ title }) => title);
}

async function eachOnce(world: ManagerFixture, when: string): Promise<'moved' | 'stayed'> {
  const [old, now] = [await titles(world, FROM), await titles(world, TO)];
  expect([...old, ...now].sort(), when).toEqual([...TITLES].sort());
  expect(world.text('build') + world.text('build', 'ses_2'), when).toContain('Words of it.');
  const moved = now.includes('Write');
  for (const title of ['Draft', 'Check', 'Typed']) {
    expect(now.includes(title), `${title} ${when}`).toBe(moved);
  }
  for (const path of [FROM, TO]) {
    const board = await world.manager.load(path);
    expect(board?.broken, when).toBeNull();
    const ids = new Set(board?.tasks.map(({ id }) => id));
    for (const one of board?.tasks ?? []) {
      expect(
        one.dependsOn.filter((id) => !ids.has(id)),
        when,
      ).toEqual([]);
    }
  }
  return moved ? 'moved' : 'stayed';
}

const plain = (world: ManagerFixture) =>
  [world.text('build'), world.text('build', 'ses_2')].map((text) =>
    text.replace(/^(rev|next): \d+\n/gmu, '').replace(/- \[ \] Typed.*/u, '- [ ] Typed'),
  );

const left = (world: ManagerFixture) =>
  [...world.store.files].flatMap(([path, { text }]) =>
    path.startsWith(`${STATE_ROOT}/journal/kept/`) ? [text] : [],
  );

/** Kills the process before and after each of its writes. */
async function atEachWrite(
  prepare: () => Promise<ManagerFixture>,
  work: (world: ManagerFixture) => Promise<unknown>,
  check: (world: ManagerFixture, when: string) => Promise<string>,
): Promise<ReadonlySet<string>> {
  const ends = new Set<string>();
  for (const moment of ['before', 'after'] as const) {
    let died = true;
    let at = 0;
    for (; died; at += 1) {
      const world = await prepare();
      died = await killed(world.store, moment, at, () => work(world));
      if (died) ends.add(await check(world, `killed ${moment} write ${at}`));
    }
    expect(at).toBeGreaterThan(6);
  }
  return ends;
}

describe('a move of tasks to another board that is broken off', () => {
  test('[TASKS84] killed at any write, each task stands on one board after the next start', async () => {
    const before = plain(await planned());
    const ends = await atEachWrite(planned, move, async ({ store }, when) => {
      const world = await restarted(store);
      const end = await eachOnce(world, when);
      expect(left(world), when).toEqual([]);
      if (end === 'stayed') expect(plain(world), when).toEqual(before);
      return end;
    });
    expect([...ends].sort()).toEqual(['moved', 'stayed']);
  });

  test.each(['undo', 'redo'] as const)('[TASKS84] so it is when an %s is killed', async (what) => {
    const before = plain(await planned());
    const prepare = async () => {
      const world = await planned();
      expect((await move(world)).ok).toBe(true);
      const again = await restarted(world.store);
      if (what === 'redo') expect((await again.manager.undoLast(FROM, PERSON)).ok).toBe(true);
      return again;
    };
    const work = ({ manager }: ManagerFixture) =>
      what === 'undo' ? manager.undoLast(FROM, PERSON) : manager.redoLast(FROM, PERSON);
    const ends = await atEachWrite(prepare, work, async ({ store }, when) => {
      const world = await restarted(store);
      const end = await eachOnce(world, when);
      expect(left(world), when).toEqual([]);
      if (end === 'stayed') expect(plain(world), when).toEqual(before);
      return end;
    });
    expect([...ends].sort()).toEqual(['moved', 'stayed']);
  });

  const edits = {
    'the old board': ['old'],
    'the new board': ['new'],
    'both boards': ['old', 'new'],
  } as const;
  test.each(Object.entries(edits))(
    '[TASKS84] what a person wrote into %s meanwhile is not lost',
    async (_, where) => {
      let both = 0;
      await atEachWrite(planned, move, async ({ store }, when) => {
        const write = (path: string, line: RegExp, text: string) => {
          const file = store.files.get(path)?.text ?? '';
          if (!line.test(file)) return [];
          store.put(path, file.replace(line, text));
          return [text.replace('$&', '')];
        };
        const places = { old: FROM, new: TO };
        const words = where.flatMap((one) => [
          ...write(places[one], /Words of it\./u, `Words of ${one}`),
          ...write(places[one], /^\t- \[ \] Check.*$/mu, `$&\n\t- [ ] Sub ${one}`),
        ]);
        const stood = [FROM, TO].filter((path) => /Draft/u.test(store.files.get(path)?.text ?? ''));
        if (stood.length === 2) both += 1;
        const world = await restarted(store);
        const [old, now] = [await titles(world, FROM), await titles(world, TO)];
        const count = (title: string) => [...old, ...now].filter((one) => one === title).length;
        for (const title of TITLES) expect(count(title), `${title} ${when}`).toBe(1);
        const all = [world.text('build'), world.text('build', 'ses_2'), ...left(world)].join('\n');
        for (const word of words) expect(all, when).toContain(word.trim());
        // A copy is kept, and reported, only if both boards were changed.
        const kept = left(world);
        expect(kept.length, when).toBe(stood.length === 2 && where.length === 2 ? 1 : 0);
        if (kept.length > 0) expect(world.told.join(), when).toContain('journal/kept/');
        return 'done';
      });
      expect(both).toBeGreaterThan(3);
    },
  );

  test('[TASKS84] tasks that others added to the new board meanwhile are not taken for the moved ones', async () => {
    const world = await planned();
    // The process dies with the move in the journal, before the new board's note is written.
    await killed(world.store, 'before', 2, () => move(world));
    expect(world.store.files.get(`${STATE_ROOT}/${MOVES_JOURNAL}`)?.text).toContain('Draft');
    const added = ['A', 'B', 'C', 'D'].map((title) => ({ type: 'add', title }));
    await new ManagerFixture(world.store).callIn('ses_2', 'build', ...added);
    const again = await restarted(world.store);
    expect(again.told).toEqual([]);
    expect(await titles(again, TO)).toEqual(['Plan', 'Send', 'A', 'B', 'C', 'D']);
    expect(await titles(again, FROM)).toContain('Write');
  });

  test.each([TO, FROM])(
    '[TASKS84] a copy that a person took off %s meanwhile stays on the other board',
    async (path) => {
      let doubled = 0;
      await atEachWrite(planned, move, async ({ store }, when) => {
        const stood = [FROM, TO].every((one) => store.files.get(one)?.text.includes('] Draft'));
        const text = store.files.get(path)?.text ?? '';
        if (stood) store.put(path, text.replace(/^.*\] Draft.*\n.*Words of it\.\n/mu, ''));
        doubled += stood ? 1 : 0;
        const world = await restarted(store);
        const all = [...(await titles(world, FROM)), ...(await titles(world, TO))];
        expect(all.sort(), when).toEqual([...TITLES].sort());
        return 'done';
      });
      expect(doubled).toBeGreaterThan(3);
    },
  );

  test('[TASKS84] waits for the repair of a note that can’t be read', async () => {
    const { store } = await planned().then(async (world) => {
      await killed(world.store, 'after', 3, () => move(world));
      return world;
    });
    const whole = store.files.get(FROM)?.text ?? '';
    store.put(FROM, whole.replace('---\n', ''));
    const world = new ManagerFixture(store, { ids: freshIds() });
    await world.manager.scan();
    const told = await world.manager.moves.finish();
    expect(told.join()).toContain(`is not finished: ${FROM} has to be repaired first.`);
    store.put(FROM, whole);
    expect(await eachOnce(await restarted(store), 'repaired')).toBe('moved');
  });

  test.each(['move', 'undo', 'redo'] as const)(
    '[TASKS84] a program that starts while another one begins to %s takes nothing off both boards',
    async (what) => {
      let looked = 0;
      const ends = new Set<boolean>();
      for (let at = 0, more = true; more; at += 1) {
        const world = await planned();
        const { manager, store } = world;
        if (what !== 'move') expect((await move(world)).ok).toBe(true);
        if (what === 'redo') expect((await manager.undoLast(FROM, PERSON)).ok).toBe(true);
        const other = new ManagerFixture(store, { ids: freshIds() });
        const update = store.update.bind(store);
        let writes = 0;
        store.update = async (...given) => {
          if (writes++ === at) {
            looked += 1;
            store.update = update;
            await other.manager.moves.finish();
          }
          return update(...given);
        };
        const acts = { move, undo: () => manager.undoLast(TO, PERSON) };
        const redo = () => manager.redoLast(TO, PERSON);
        const done = await { ...acts, redo }[what](world);
        more = writes > at;
        store.update = update;
        const end = await eachOnce(await restarted(store), `looked before write ${at}`);
        expect(end).toBe(done.ok === (what !== 'undo') ? 'moved' : 'stayed');
        ends.add(done.ok);
      }
      expect(looked).toBeGreaterThan(5);
      expect(ends).toContain(true);
    },
  );
});

describe('a move of tasks to another board, after a restart', () => {
  test.each([FROM, TO])(
    '[TASKS85] one undo and one redo of %s are of both boards',
    async (path) => {
      const world = await planned();
      const before = plain(world);
      expect((await move(world)).ok).toBe(true);
      const moved = plain(world);
      const { manager, told } = await restarted(world.store);
      expect(told).toEqual([]);
      const undone = await manager.undoLast(path, PERSON);
      expect(undone).toMatchObject({ ok: true, board: { path } });
      expect(plain(world)).toEqual(before);
      const next = await restarted(world.store);
      expect(await next.manager.redoLast(path, PERSON)).toMatchObject({ ok: true });
      expect(plain(world)).toEqual(moved);
      const other = path === FROM ? TO : FROM;
      expect(await next.manager.undoLast(other, PERSON)).toMatchObject({ ok: true });
      expect(plain(world)).toEqual(before);
      expect((await next.manager.undoLast(other, PERSON)).ok).toBe(false);
    },
  );

  test('[TASKS85] an undo that one board refuses changes neither and says why', async () => {
    const world = await planned();
    const done = await move(world);
    if (!done.ok) throw new Error(done.message);
    const claimed = done.board.tasks.find(({ title }) => title === 'Write')?.n;
    await world.callIn('ses_2', 'build', { type: 'update', id: claimed, title: 'Write it' });
    const moved = plain(world);
    const again = await restarted(world.store);
    for (const path of [FROM, TO]) {
      const undone = await again.manager.undoLast(path, PERSON);
      expect(undone).toMatchObject({ ok: false, code: 'changed_since' });
      expect(undone.ok || undone.message).toContain('build changed "Write it" since');
    }
    expect(plain(world)).toEqual(moved);
    world.store.files.delete(`${STATE_ROOT}/history/ses_2/build.jsonl`);
    const lost = await (await restarted(world.store)).manager.undoLast(FROM, PERSON);
    expect(lost).toMatchObject({ ok: false, code: 'unknown_change' });
    expect(lost.ok || lost.message).toContain(`The history of the other plan (${TO}) lacks`);
    expect(plain(world)).toEqual(moved);
  });
});
