import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { PERSON } from '../../src/core/board/history/actor';
import { figuresCsv } from '../../src/core/metrics/figures';
import { MetricsReader } from '../../src/core/metrics/metrics';
import { StoreError } from '../../src/core/ports';
import { DiskStore } from '../../src/node/disk-store';
import { boardPathOf, ManagerFixture } from '../board/manager-fixture';
import { MemoryStore } from '../store/memory-store';
import { intentAt, lines, outcomeAt, put, read, STATE, turn, utcDay } from './recorded';

const TEN = Date.parse('2026-11-20T10:00:00Z');

describe('figures of turns', () => {
  test('[METRIC1] [METRIC2] turns, tokens, cost and times are added up; what a record does not say is not counted as zero', async () => {
    const store = new MemoryStore();
    const { tokens: _, cost: __, ...untold } = turn();
    const acp = turn({ engine: 'acp', tokens: { in: 40_000, out: 0 }, agent: 'gemini' });
    await put(
      store,
      'usage/2026-11.jsonl',
      lines([turn(), turn({ cost: undefined }), untold, acp]),
    );
    const { rows, total } = (await read(store)).figures({ by: 'agent' });
    expect(rows.map(({ key }) => key)).toEqual(['build', 'gemini']);
    expect(rows[0]).toMatchObject({
      ...{ turns: 3, tokenTurns: 2, tokensIn: 200, tokensOut: 20, tokensCached: 10 },
      ...{ pricedTurns: 1, cost: 0.25 },
      ...{ workingMs: 30_000, waitedPersonMs: 60_000, waitedModelMs: 90_000 },
      ...{ calls: 9, failures: 3 },
      ...{ auditedCalls: null, asked: null, done: null, leadMs: null, blockedMs: null },
    });
    expect(rows[1]).toMatchObject({ turns: 1, tokenTurns: 0, tokensIn: null, tokensOut: null });
    expect(total).toMatchObject({ turns: 4, tokenTurns: 2, cost: 0.5 });
  });

  test('[METRIC2] an answer of no tokens is known to have none, unless its agent speaks ACP', async () => {
    const store = new MemoryStore();
    const silent = { tokens: { in: 500, out: 0 } };
    await put(
      store,
      'usage/2026-11.jsonl',
      lines([turn(silent), turn({ ...silent, engine: 'acp' })]),
    );
    const { rows } = (await read(store)).figures({ by: 'engine' });
    const known = rows.map(({ key, tokenTurns, tokensIn }) => [key, tokenTurns, tokensIn]);
    expect(known.sort()).toEqual([
      ['acp', 0, null],
      ['opencode', 1, 500],
    ]);
  });

  test('[METRIC2] nothing recorded is no row, and no figure', async () => {
    const found = (await read(new MemoryStore())).figures({ by: 'day' });
    expect(found).toMatchObject({ from: null, to: null, rows: [], broken: 0, waits: [] });
    expect(new Set(Object.values(found.total))).toEqual(new Set([null]));
  });

  test('[USAGE1] turns of a device’s own file count as well', async () => {
    const store = new MemoryStore();
    await put(store, 'usage/2026-11.jsonl', lines([turn()]));
    await put(store, 'usage/2026-11.device-1.jsonl', lines([turn({ engine: 'model' })]));
    await put(store, 'usage/2026-11.a.b.jsonl', lines([turn()]));
    const { rows, total } = (await read(store)).figures({ by: 'engine' });
    expect(rows.map(({ key }) => key)).toEqual(expect.arrayContaining(['model']));
    expect(total.turns).toBe(2);
  });

  test('[METRIC4] lines that are none are told and left out, and so is a file that can’t be read', async () => {
    const store = new MemoryStore();
    const broken = ['{"v":1', '[]', '{"v":2,"session":"s"}', ''].join('\n');
    const text = `${lines([turn()])}${broken}\n${lines([turn()])}{"v":1,"ses`;
    await put(store, 'usage/2026-11.jsonl', text);
    await put(store, 'usage/2026-10.jsonl', lines([turn()]));
    const stat = store.stat.bind(store);
    store.stat = (path) =>
      path.endsWith('2026-10.jsonl') ? Promise.reject(new StoreError('io', 'no')) : stat(path);
    const found = (await read(store)).figures({ by: 'day' });
    expect(found).toMatchObject({ broken: 3, unread: [`${STATE}/usage/2026-10.jsonl`] });
    expect(found.total.turns).toBe(2);
  });

  test('[METRIC3] days count from the first to the last that is asked for, both included', async () => {
    const store = new MemoryStore();
    const on = (day: number) => turn({ end: Date.parse(`2026-11-${day}T23:59:59Z`) });
    await put(store, 'usage/2026-11.jsonl', lines([on(20), on(21), on(21), on(22)]));
    const found = (await read(store)).figures({ by: 'day', from: '2026-11-21', to: '2026-11-21' });
    expect(found.rows.map(({ key, turns }) => [key, turns])).toEqual([['2026-11-21', 2]]);
    expect(found.total.turns).toBe(2);
  });
});

describe('figures of calls', () => {
  test('[METRIC6] a call counts once, in the day of its beginning, wherever its end stands; a person’s own calls do not count', async () => {
    const store = new MemoryStore();
    const night = Date.parse('2026-10-31T23:59:00Z');
    const late = { reply: 'always', answeredAt: night + 120_000 } as const;
    const own = { by: 'person', verdict: 'allow' } as const;
    await put(
      store,
      'audit/2026-10.bridge.jsonl',
      lines([intentAt('a', night), intentAt('dead', night), intentAt('own', night, own)]),
    );
    await put(
      store,
      'audit/2026-11.bridge.jsonl',
      lines([
        outcomeAt('own', night),
        outcomeAt('a', night + 130_000, late),
        outcomeAt('a', night),
      ]),
    );
    // Another writer may use the same ids.
    await put(store, 'audit/2026-11.cli.jsonl', lines([outcomeAt('dead', night)]));
    const found = (await read(store)).figures({ by: 'day' });
    expect(found.rows).toMatchObject([
      {
        ...{ key: '2026-10-31', auditedCalls: 2, auditedFailures: 0, asked: 2 },
        ...{ allowedAlways: 1, allowedOnce: 0, rejected: 0, expired: 0, answerMs: 120_000 },
        turns: null,
      },
    ]);
    expect(found.waits).toMatchObject([
      { kind: 'answer', ms: 120_000, what: 'obsidian_update_note Notes/a.md' },
    ]);
  });

  test('[METRIC6] failed and denied calls, and each answer, are counted apart', async () => {
    const store = new MemoryStore();
    const ends = [
      { result: 'failed', reply: 'once', answeredAt: TEN + 10 },
      { result: 'denied', reply: 'reject', answeredAt: TEN + 20 },
      { result: 'denied', reply: 'expired' },
      { result: 'done', reply: undefined },
    ] as const;
    const records = ends.flatMap((end, n) => {
      const verdict = end.reply === undefined ? 'allow' : 'ask';
      return [intentAt(`c${n}`, TEN, { verdict }), outcomeAt(`c${n}`, TEN + 30, end)];
    });
    await put(store, 'audit/2026-11.cli.jsonl', lines(records));
    expect((await read(store)).figures({ by: 'session' }).rows).toMatchObject([
      {
        ...{ key: 's', auditedCalls: 4, auditedFailures: 1, denied: 2, asked: 3 },
        ...{ allowedOnce: 1, allowedAlways: 0, rejected: 1, expired: 1, answerMs: 30 },
      },
    ]);
  });
});

/** A board whose clock the test sets, in minutes from ten o'clock on. */
class Timed extends ManagerFixture {
  minute = 0;

  constructor() {
    const now = () => TEN + this.minute * 60_000;
    super(new MemoryStore(), {
      clock: { now, today: () => utcDay(now()), after: () => () => undefined },
    });
  }

  async at(minute: number, ...operations: unknown[]): Promise<void> {
    this.minute = minute;
    await this.call('build', ...operations);
  }
}

test('[METRIC17] calls and tasks in sessions of MCP clients belong to the engine mcp; their turns are not known', async () => {
  const board = new Timed();
  const session = 'mcp-claude-code-mg1x2y3z-0a1b';
  await board.callIn(
    session,
    'claude-code',
    { type: 'add', title: 'A' },
    { type: 'complete', id: 1 },
  );
  const own = { sessionId: session, agent: 'claude-code' };
  const calls = [intentAt('a', TEN, own), outcomeAt('a', TEN, { result: 'failed' })];
  const more = [intentAt('b', TEN, own), outcomeAt('b', TEN, { result: 'preview' })];
  await put(board.store, 'audit/2026-11.mcp-1.jsonl', lines([...calls, ...more]));
  await put(board.store, 'usage/2026-11.jsonl', lines([turn()]));
  expect((await read(board.store)).figures({ by: 'engine' }).rows).toMatchObject([
    { key: 'opencode', turns: 1, auditedCalls: null },
    {
      ...{ key: 'mcp', turns: null, tokensIn: null, cost: null, calls: null },
      ...{ auditedCalls: 2, auditedDone: 1, auditedFailures: 1, denied: 0, done: 1 },
    },
  ]);
});

describe('figures of tasks', () => {
  test('[METRIC7] [METRIC12] tasks done, reopened and sent back, from added to done, and waiting for others', async () => {
    const board = new Timed();
    await board.at(0, { type: 'add', title: 'A' });
    await board.at(5, { type: 'add', title: 'B', dependsOn: ['1'] }, { type: 'add', title: 'C' });
    await board.at(10, { type: 'complete', id: 1 });
    await board.at(20, { type: 'update', id: 1, status: 'pending' });
    await board.at(25, { type: 'complete', id: 1 }, { type: 'complete', id: 2 });
    await board.at(27, { type: 'update', id: 2, status: 'cancelled' });
    await board.at(30, { type: 'update', id: 3, dependsOn: ['4'] }, { type: 'add', title: 'D' });
    const path = boardPathOf('build');
    const [c, d] = (await board.manager.load(path))?.tasks.slice(2) ?? [];
    if (c === undefined || d === undefined) throw new Error('no tasks');
    await board.manager.commit(path, PERSON, [{ type: 'update', id: c, dependsOn: [d.id ?? ''] }]);
    const metrics = await read(board.store);
    const found = metrics.figures({ by: 'task' });
    expect(metrics.figures({ by: 'task', to: '2020-01-01' }).waits).toEqual([]);
    const minutes = (ms: number | null) => ms && ms / 60_000;
    const told = found.rows.map(({ title, done, reopened, sentBack, leadTasks, ...row }) => [
      ...[title, done, reopened, sentBack, leadTasks],
      ...[minutes(row.leadMs), minutes(row.blockedMs)],
    ]);
    // B waited from 5 to 10 and from 20 to 25; A was done after 10 and after 25 minutes.
    expect(told.sort()).toEqual([
      ['A', 2, 1, 0, 2, 17.5, null],
      ['B', 1, 0, 0, 1, 20, 10],
      ['C', 0, 0, 0, null, null, null],
      ['D', 0, 0, 0, null, null, null],
    ]);
    expect(found.waits.filter(({ ms }) => ms === null)).toMatchObject([
      { kind: 'blocked', from: TEN + 30 * 60_000, what: 'C' },
    ]);
  });

  test('[METRIC7] a task that is sent back counts once, for its board’s session and agent', async () => {
    const board = new Timed();
    await board.at(0, { type: 'add', title: 'A' });
    const path = boardPathOf('build');
    const id = (await board.manager.load(path))?.tasks[0]?.id ?? '';
    await board.manager.commit(path, PERSON, [{ type: 'update', id, approve: 'me' }]);
    await board.at(3, { type: 'complete', id: 1 });
    const task = (await board.manager.load(path))?.tasks[0];
    if (task === undefined) throw new Error('no task');
    const back = { type: 'send_back', id: task, words: 'Two are missing.' } as const;
    const answer = await board.manager.commit(path, PERSON, [back]);
    expect(answer).toMatchObject({ ok: true });
    expect(await board.manager.undoLast(path, PERSON)).toMatchObject({ ok: true });
    expect(await board.manager.redoLast(path, PERSON)).toMatchObject({ ok: true });
    const found = (await read(board.store)).figures({ by: 'agent' });
    expect(found.rows).toMatchObject([{ key: 'build', done: 0, sentBack: 1, leadMs: null }]);
  });
});

test('[METRIC19] days whose changes a long history has lost are not known, and it is told from when on they are', async () => {
  const day = 24 * 60;
  const board = new Timed();
  await board.at(0, { type: 'add', title: 'A' }, { type: 'add', title: 'B' });
  await board.at(1, { type: 'complete', id: 1 });
  const figures = async (from?: string) => (await read(board.store)).figures({ by: 'day', from });
  expect(await figures()).toMatchObject({ tasksSince: null, rows: [{ done: 1 }] });
  await board.callIn('s2', 'build', { type: 'add', title: 'C' }, { type: 'complete', id: 1 });
  const history = [...board.store.files.keys()].find((one) => one.includes('history/ses_1')) ?? '';
  await board.at(2 * day, { type: 'complete', id: 2 });
  await board.at(3 * day, { type: 'update', id: 2, status: 'pending' });
  await board.at(4 * day, { type: 'complete', id: 2 });
  await board.store.update(history, (text = '') => text.split('\n').slice(-3).join('\n'));
  const found = await figures();
  expect(found.tasksSince).toBe('2026-11-23');
  expect(found.rows.map(({ key, done, reopened }) => [key, done, reopened])).toEqual([
    ['2026-11-20', null, null],
    ['2026-11-23', 0, 1],
    ['2026-11-24', 1, 0],
  ]);
  expect((await figures('2026-11-24')).tasksSince).toBeNull();
});

describe('figures of tasks that come as completed', () => {
  test('[METRIC18] a task that is added and completed in one change is done once, and how long it took is not known', async () => {
    const board = new Timed();
    await board.at(0, { type: 'add', title: 'A' }, { type: 'complete', id: 1 });
    await board.at(4, { type: 'update', id: 1, status: 'pending' });
    await board.at(9, { type: 'complete', id: 1 });
    expect((await read(board.store)).figures({ by: 'task' }).rows).toMatchObject([
      // The second time the history knows when the task was added.
      { title: 'A', done: 2, reopened: 1, leadTasks: 1, leadMs: 9 * 60_000 },
    ]);
  });

  test('[METRIC18] what comes from the archive or by an import was done there', async () => {
    const board = new Timed();
    await board.at(0, { type: 'add', title: 'A' }, { type: 'add', title: 'B' });
    await board.at(1, { type: 'complete', id: 1 });
    await board.at(2, { type: 'archive' });
    const history = [...board.store.files.keys()].find((one) => one.includes('/history/')) ?? '';
    await board.store.update(history, () => '');
    await board.at(3, { type: 'restore', id: 1 });
    expect(await board.tasks('build')).toContain('A: completed');
    const by = { kind: 'import', name: 'Plan.md' } as const;
    const add = { type: 'add', title: 'C', status: 'completed' } as const;
    expect(await board.manager.commit(boardPathOf('build'), by, [add])).toMatchObject({ ok: true });
    expect(await board.tasks('build')).toContain('C: completed');
    expect((await read(board.store)).figures({ by: 'day' }).total).toMatchObject({
      ...{ done: 0, reopened: 0, leadTasks: null, leadMs: null },
    });
  });
});

describe('the cache of figures', () => {
  const path = `${STATE}/metrics/2026-11.json`;

  test('[METRIC5] a computer that is taken to another time zone has its days from the next reading on', async () => {
    const store = new MemoryStore();
    await put(store, 'usage/2026-11.jsonl', lines([turn()]));
    let zone = 'UTC';
    const dayOf = (at: number) => utcDay(zone === 'UTC' ? at : at + 14 * 3_600_000);
    const reader = new MetricsReader(store, dayOf, undefined, () => zone);
    const days = async () =>
      (await reader.read()).figures({ by: 'day' }).rows.map(({ key }) => key);
    expect(await days()).toEqual(['2026-11-20']);
    zone = 'Pacific/Kiritimati';
    expect(await days()).toEqual(['2026-11-21']);
  });

  test('[METRIC5] what did not change is not read again, what grew is', async () => {
    const store = new MemoryStore();
    await put(store, 'usage/2026-10.jsonl', lines([turn()]));
    await put(store, 'usage/2026-11.jsonl', lines([turn()]));
    await read(store);
    store.reads.length = 0;
    expect((await read(store)).figures({ by: 'day' }).total.turns).toBe(2);
    expect(store.reads.filter((one) => one.includes('/usage/'))).toEqual([]);
    await put(store, 'usage/2026-11.jsonl', lines([turn(), turn()]));
    expect((await read(store)).figures({ by: 'day' }).total.turns).toBe(3);
    expect(store.reads.filter((one) => one.includes('/usage/'))).toEqual([
      `${STATE}/usage/2026-11.jsonl`,
    ]);
    // As long as before, plus another.
    await put(
      store,
      'usage/2026-11.jsonl',
      lines([turn(), turn()]).replace('"calls":3', '"calls":9'),
    );
    expect((await read(store)).figures({ by: 'day' }).total.calls).toBe(15);
  });

  test.each([
    ['torn', (text: string) => text.slice(0, -20)],
    ['of another version', (text: string) => text.replace('"v":4', '"v":3')],
    ['of another time zone', (text: string) => text.replace('"zone":"UTC"', '"zone":"Asia/Tokyo"')],
    ['with words for numbers', (text: string) => text.replace('"turns":1', '"turns":"many"')],
    ['empty', () => ''],
  ])('[METRIC5] one that is %s is made anew', async (_, spoil) => {
    const store = new MemoryStore();
    await put(store, 'usage/2026-11.jsonl', lines([turn()]));
    await read(store);
    const good = store.files.get(path)?.text ?? '';
    expect(spoil(good)).not.toBe(good);
    await store.update(path, () => spoil(good));
    expect((await read(store)).figures({ by: 'day' }).total.turns).toBe(1);
    expect(store.files.get(path)?.text).toBe(good);
  });

  test('[METRIC5] a cache that can’t be written, or was deleted, changes no figure; a file that is gone leaves it', async () => {
    const store = new MemoryStore();
    await put(store, 'usage/2026-11.jsonl', lines([turn()]));
    store.fault = new StoreError('denied', 'read only');
    expect((await read(store)).figures({ by: 'day' }).total.turns).toBe(1);
    await read(store);
    await store.remove(path);
    expect((await read(store)).figures({ by: 'day' }).total.turns).toBe(1);
    await store.remove(`${STATE}/usage/2026-11.jsonl`);
    expect((await read(store)).figures({ by: 'day' }).rows).toEqual([]);
  });
});

test('[METRIC9] figures as CSV: names, CRLF, nothing that a spreadsheet would calculate, empty for what is not known', async () => {
  const store = new MemoryStore();
  const session = '=cmd|"calc"';
  await put(store, 'usage/2026-11.jsonl', lines([turn({ session, cost: undefined })]));
  const { rows, total } = (await read(store)).figures({ by: 'session' });
  const [head, row, sum, end] = figuresCsv('session', rows, total).split('\r\n');
  expect(head).toMatch(/^session,title,turns,tokenTurns,tokensIn,.*,blockedMs$/);
  expect(row).toMatch(/^"'=cmd\|""calc""",,1,1,100,10,5,0,,10000,20000,30000,3,1,,,/);
  expect(sum).toMatch(/^total,,1,/);
  expect(end).toBe('');
});

test('[METRIC8] a run has the turns of its sessions, by its goal; others belong to none', async () => {
  const vault = join(import.meta.dirname, '../corpus/before-07/vault');
  const recorded = await new MetricsReader(withoutWrites(new DiskStore(vault)), utcDay).read();
  const { rows, total } = recorded.figures({ by: 'run' });
  expect(rows.map(({ key, title, turns, tokensIn }) => [key, title, turns, tokensIn])).toEqual([
    ['r3an7vuhn', 'Make the search work offline', 7, 2_100],
    [null, undefined, 11, 2_290],
  ]);
  // Counted in the files with grep: lines of turns, and intents of agents.
  expect(total).toMatchObject({ turns: 18, auditedCalls: 67 });
});

/** Keeps the corpus unchanged. */
function withoutWrites(store: DiskStore): DiskStore {
  store.update = () => Promise.reject(new StoreError('denied', 'read only'));
  return store;
}
