import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { isUnderReview } from '../../src/core/board/facts';
import { PERSON } from '../../src/core/board/history/actor';
import type { Task } from '../../src/core/board/task';
import { GROUPS, type Group } from '../../src/core/metrics/figures';
import type { Metrics } from '../../src/core/metrics/metrics';
import { boardPathOf, ManagerFixture } from '../board/manager-fixture';
import { fc } from '../seeded';
import { MemoryStore } from '../store/memory-store';
import { lines, put, read, STATE, turn, utcDay } from './recorded';

/** A run of another session, as a program left it. */
const RUN = 'r3an7vuhn';
const run = readFileSync(
  join(import.meta.dirname, `../corpus/before-07/vault/${STATE}/runs/${RUN}/run.json`),
  'utf8',
).replaceAll('ses_df612ab3affeEVsD5v08962710', 'ses_2');

const START = Date.parse('2026-10-30T08:00:00Z');
const MINUTE = 60_000;

const n = fc.integer({ min: 1, max: 5 });
const status = fc.constantFrom(
  ...(['pending', 'pending', 'in_progress', 'completed', 'completed', 'cancelled'] as const),
);
const set = fc.record({ type: fc.constant('update'), id: n, status });
const depend = fc.record({
  type: fc.constant('update'),
  id: n,
  dependsOn: fc.array(n.map(String), { maxLength: 2 }),
});
const operation = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({ type: fc.constant('add'), title: fc.constantFrom('A', 'B', 'C') }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      type: fc.constant('add'),
      title: fc.constant('W'),
      dependsOn: n.map((one) => [String(one)]),
    }),
  },
  fc.record({ type: fc.constant('add'), title: fc.constant('Sub'), parent: n, status }),
  { weight: 8, arbitrary: set.map((one) => ({ ...one, force: true, reason: 'model' })) },
  {
    weight: 3,
    arbitrary: fc.record({
      type: fc.constant('complete'),
      id: n,
      force: fc.constant(true),
      reason: fc.constant('x'),
    }),
  },
  { weight: 3, arbitrary: depend },
  fc.record({ type: fc.constant('update'), id: n, title: fc.constantFrom('D', 'E') }),
  fc.record({
    type: fc.constant('update'),
    id: n,
    body: fc.constantFrom('One.', 'Sent back: not by the person.'),
  }),
  fc.record({ type: fc.constant('move'), id: n, after: n }),
  fc.record({ type: fc.constant('remove'), id: n, cascade: fc.constant(true) }),
  fc.constant({ type: 'archive' }),
  fc.record({ type: fc.constant('restore'), id: n }),
);

const BOARDS = [
  { session: 'ses_1', agent: 'build' },
  { session: 'ses_1', agent: 'plan' },
  { session: 'ses_2', agent: 'build' },
];

const step = fc.record({
  board: fc.constantFrom(...BOARDS),
  wait: fc.integer({ min: 0, max: 24 * 60 }),
  act: fc.oneof(
    { weight: 8, arbitrary: fc.array(operation, { minLength: 1, maxLength: 3 }) },
    {
      weight: 8,
      arbitrary: fc.constantFrom(
        'review',
        'send back',
        'send back',
        'accept',
        'undo',
        'redo',
        'type',
      ),
    },
  ),
  nth: n,
});

/** The initial plan of each board. */
const PLANS = BOARDS.map((board): Step => {
  const plan = ['A', 'B', 'C'].map((title) => ({ type: 'add', title }));
  return {
    board,
    wait: 1,
    nth: 1,
    act: [...plan, { type: 'add', title: 'W', dependsOn: ['1', '2'] }] as never,
  };
});

type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

/** A program's change to a board, with the whole board before and after it. */
interface Seen {
  readonly board: string;
  readonly at: number;
  readonly session: string;
  readonly agent: string;
  readonly before: readonly Task[];
  readonly after: readonly Task[];
  /** an undo or redo of a change */
  readonly again: boolean;
  /** by the person, in a view */
  readonly person: boolean;
}

/** Boards on which a seeded history is played; its actions are seen only from outside. */
class Played extends ManagerFixture {
  readonly seen: Seen[] = [];
  /** boards whose note the person edited: their history then doesn't know what tasks waited for */
  readonly typed = new Set<string>();

  constructor(private readonly time: { now: number } = { now: START }) {
    const { now } = { now: () => time.now };
    super(new MemoryStore(), { clock: { now, today: () => utcDay(now()), after: () => () => {} } });
  }

  async play({ board: { session, agent }, wait, act, nth }: Step): Promise<void> {
    this.time.now += wait * MINUTE;
    const path = boardPathOf(agent, session);
    const before = await this.all();
    const tasks = before.get(path) ?? [];
    const reviewed =
      act === 'send back' || act === 'accept' ? tasks.find(isUnderReview) : undefined;
    const one = reviewed ?? tasks[(nth - 1) % Math.max(1, tasks.length)];
    const by = nth % 2 ? PERSON : ({ kind: 'agent', name: agent } as const);
    if (Array.isArray(act)) {
      await this.callIn(session, agent, ...act.map((each) => ({ ...each, agent })));
    } else if (act === 'undo') await this.manager.undoLast(path, by);
    else if (act === 'redo') await this.manager.redoLast(path, by);
    else if (one !== undefined && act === 'type') this.write(path, one);
    else if (one !== undefined && reviewed === undefined) {
      const id = one.id ?? '';
      await this.manager.commit(path, PERSON, [{ type: 'update', id, approve: 'me' }]);
      await this.callIn(session, agent, { type: 'complete', id, agent });
    } else if (reviewed !== undefined) {
      const back = { type: 'send_back', id: reviewed, words: 'Two are missing.' } as const;
      const word = act === 'accept' ? ({ type: 'accept', id: reviewed } as const) : back;
      await this.manager.commit(path, PERSON, [word]);
    }
    if (act === 'type') return;
    const again = act === 'undo' || act === 'redo';
    const byPerson = again ? by === PERSON : !Array.isArray(act);
    for (const [path, after] of await this.all()) {
      const [, own = '', name = ''] = /([^/]+)\/([^/]+)-tasks\.md$/.exec(path) ?? [];
      this.seen.push({
        ...{ board: path, at: this.time.now, session: own, agent: name, again, person: byPerson },
        ...{ before: before.get(path) ?? [], after },
      });
    }
  }

  /** The tasks of each existing board. */
  private async all(): Promise<ReadonlyMap<string, readonly Task[]>> {
    const boards = new Map<string, readonly Task[]>();
    for (const path of this.paths().map((one) => `.opencode/todos/${one}`)) {
      if (!path.endsWith('-tasks.md')) continue;
      boards.set(path, (await this.manager.load(path))?.tasks ?? []);
    }
    return boards;
  }

  /** Ticks a task, or clears its box, in the note itself, as a person does. */
  private write(path: string, { id, status: was }: Task): void {
    const text = this.store.files.get(path)?.text ?? '';
    const mark = was === 'completed' ? ' ' : 'x';
    this.store.put(
      path,
      text.replace(new RegExp(`^(\\s*- \\[).(\\] .*🆔 ${id}\\b)`, 'm'), `$1${mark}$2`),
    );
    this.typed.add(path);
  }
}

/** A figure that a change of a task adds, and the task's keys. */
interface Told {
  readonly keys: Readonly<Record<Group, string | null>>;
  readonly name: 'done' | 'reopened' | 'sentBack' | 'leadTasks' | 'leadMs' | 'blockedMs';
  readonly value: number;
}

/** Tasks that were added as completed; a test asserts that there were some. */
const seenAtOnce = { count: 0 };

const sentBackOf = ({ body }: Task) => body.filter((line) => line.startsWith('Sent back: ')).length;
const isOver = (task: Task | undefined) =>
  task?.status === 'completed' || task?.status === 'cancelled';

/** Computes each figure from whole boards in turn: slow, and without any code of the program. */
function slowly(seen: readonly Seen[], runs: ReadonlyMap<string, string>) {
  const told: Told[] = [];
  const changed: Told['keys'][] = [];
  const still: { from: number; what: string }[] = [];
  for (const board of new Set(seen.map((one) => one.board))) {
    const own = seen.filter((one) => one.board === board);
    const ids = new Set(
      own.flatMap(({ before, after }) => [...before, ...after].map(({ id }) => id)),
    );
    for (const id of ids) {
      const added = own.find(({ before, after }) => !has(before, id) && has(after, id));
      let since: number | undefined;
      let title = '';
      for (const change of own) {
        const { at, session, agent, before, after, again, person: byPerson } = change;
        const keys = {
          ...{ day: utcDay(at), session, agent, model: null, engine: null, task: id },
          run: runs.get(session) ?? null,
        };
        const tell = (name: Told['name'], value: number) => void told.push({ keys, name, value });
        const [was, is] = [before, after].map((tasks) => tasks.find((one) => one.id === id));
        title = is?.title ?? title;
        if (is && (was?.status !== is.status || was.title !== is.title)) changed.push(keys);
        if (was && is && was.status !== 'completed' && is.status === 'completed') {
          tell('done', 1);
          if (added !== undefined) {
            tell('leadTasks', 1);
            tell('leadMs', at - added.at);
          }
        }
        if (change === added && !again && is?.status === 'completed') {
          tell('done', 1);
          seenAtOnce.count += 1;
        }
        if (was?.status === 'completed' && is && !isOver(is)) tell('reopened', 1);
        const more = was && is ? sentBackOf(is) - sentBackOf(was) : 0;
        if (more > 0 && byPerson && !again) tell('sentBack', more);
        const waits =
          is !== undefined &&
          !isOver(is) &&
          is.dependsOn.some(
            (other) => has(after, other) && !isOver(after.find((one) => one.id === other)),
          );
        if (waits) since ??= at;
        else if (since !== undefined) {
          tell('blockedMs', at - since);
          since = undefined;
        }
      }
      if (since !== undefined) still.push({ from: since, what: title });
    }
  }
  return { told, still, changed };
}

const has = (tasks: readonly Task[], id: string | null) => tasks.some((one) => one.id === id);

const NAMES = ['done', 'reopened', 'sentBack', 'leadTasks', 'leadMs', 'blockedMs'] as const;

/** The total of a figure; the average for `leadMs`. */
function summed(told: readonly Told[], name: Told['name']): number {
  const sum = (one: Told['name']) =>
    told.filter((each) => each.name === one).reduce((all, { value }) => all + value, 0);
  return name === 'leadMs' ? sum('leadMs') / Math.max(1, sum('leadTasks')) : sum(name);
}

test('[METRIC3] [METRIC7] figures of tasks are those of a slow recomputation from whole boards, by every group', async () => {
  const sums = { done: 0, reopened: 0, sentBack: 0, leadTasks: 0, leadMs: 0, blockedMs: 0 };
  const runs = new Map([['ses_2', RUN]]);
  const seenActs = { typed: 0, still: 0, again: 0, rows: 0 };
  const check = (played: Played, figures: (by: Group) => Metrics) => {
    const { told, still, changed } = slowly(played.seen, runs);
    const names = NAMES.filter((name) => name !== 'blockedMs' || played.typed.size === 0);
    for (const by of GROUPS) {
      const { rows, total } = figures(by);
      const keys = new Set([
        ...rows.map(({ key }) => key),
        ...told.map(({ keys: own }) => own[by]),
      ]);
      for (const key of keys) {
        const row = rows.find((one) => one.key === key);
        for (const name of names) {
          const own = told.filter(({ keys: of }) => of[by] === key);
          expect([by, key, name, row?.[name] ?? 0]).toEqual([by, key, name, summed(own, name)]);
          seenActs.rows += 1;
        }
      }
      // For a task that a program changed, done and reopened are known numbers, perhaps 0.
      for (const key of new Set(changed.map((keys) => keys[by]))) {
        const row = rows.find((one) => one.key === key);
        expect([row?.done, row?.reopened]).toEqual([expect.any(Number), expect.any(Number)]);
      }
      for (const name of names)
        expect([by, name, total[name] ?? 0]).toEqual([by, name, summed(told, name)]);
    }
    if (played.typed.size > 0) return;
    const { waits } = figures('day');
    const open = waits.filter(({ kind, ms }) => kind === 'blocked' && ms === null);
    const order = (all: readonly { from: number; what: string }[]) =>
      all.map(({ from, what }) => `${from} ${what}`).sort();
    expect(order(open)).toEqual(order(still));
    seenActs.still += still.length;
    for (const [kind, name] of [
      ['lead', 'leadMs'],
      ['blocked', 'blockedMs'],
    ] as const) {
      const longest = waits
        .filter((one) => one.kind === kind && one.ms !== null)
        .map(({ ms }) => ms ?? 0);
      const slow = told.filter((one) => one.name === name).map(({ value }) => value);
      expect([kind, Math.max(0, ...longest)]).toEqual([kind, Math.max(0, ...slow)]);
    }
  };
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { minLength: 4, maxLength: 20, size: 'max' }),
      fc.array(step, { maxLength: 20, size: 'max' }),
      async (first, second) => {
        const played = new Played();
        await put(played.store, 'usage/2026-10.jsonl', lines([turn({ session: 'ses_2' })]));
        await put(played.store, `runs/${RUN}/run.json`, run);
        for (const steps of [first, second]) {
          for (const one of [...(steps === first ? PLANS : []), ...steps]) await played.play(one);
          const recorded = await read(played.store);
          check(played, (by) => recorded.figures({ by }));
        }
        for (const path of [...played.store.files.keys()]) {
          if (path.startsWith(`${STATE}/metrics/`)) await played.store.remove(path);
        }
        const cold = await read(played.store);
        check(played, (by) => cold.figures({ by }));
        const { told } = slowly(played.seen, runs);
        for (const { name, value } of told) sums[name] += value;
        seenActs.typed += played.typed.size;
        seenActs.again += played.seen.filter(({ again }) => again).length;
      },
    ),
    { numRuns: 30 },
  );
  // Each kind of figure occurred, and not just once by chance.
  const rare = Object.entries({ ...sums, ...seenActs, atOnce: seenAtOnce.count }).filter(
    ([, value]) => value < 10,
  );
  expect(rare).toEqual([]);
});
