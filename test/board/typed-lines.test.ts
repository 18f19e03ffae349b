import { beforeEach, describe, expect, test } from 'vitest';
import { StateFiles } from '../../src/core/board/state-file';
import { STATE_ROOT, TodoManager, type BoardChange } from '../../src/core/board/todo-manager';
import { TypedLines } from '../../src/core/board/typed-lines';
import type { Clock } from '../../src/core/ports';
import { boardPathOf, ManagerFixture, seededIds } from './manager-fixture';

const PATH = boardPathOf('build');
const TYPING = `${STATE_ROOT}/typing/ses_1/build.json`;

/** A clock that a test advances. */
class HandClock implements Clock {
  private at = 1e12;
  private alarms: { at: number; task: () => void }[] = [];

  now = () => this.at;
  today = () => '2026-11-21';
  after = (ms: number, task: () => void) => {
    const alarm = { at: this.at + ms, task };
    this.alarms.push(alarm);
    return () => (this.alarms = this.alarms.filter((one) => one !== alarm));
  };

  pass(ms: number): void {
    this.at += ms;
    for (const alarm of this.alarms.filter(({ at }) => at <= this.at)) {
      this.alarms = this.alarms.filter((one) => one !== alarm);
      alarm.task();
    }
  }
}

let clock: HandClock;
let fixture: ManagerFixture;
let lines: TypedLines;
let told: BoardChange[];

beforeEach(async () => {
  clock = new HandClock();
  fixture = new ManagerFixture(undefined, { clock });
  const add = (title: string) => ({ type: 'add', title });
  await fixture.call('build', add('Sign the build'), add('Ship'));
  told = [];
  lines = new TypedLines({
    state: new StateFiles(fixture.store, STATE_ROOT),
    clock,
    report: (change) => void told.push(change),
    log: { note: (what) => expect.unreachable(what) },
  });
  fixture.manager.onChange((change) => lines.reportChange(change));
});

/** A keystroke in the first task's line, and the save after it. */
async function type(from: string, to: string): Promise<void> {
  const before = fixture.text('build').split('\n');
  const at = before.findIndex((line) => line.includes(from));
  const line = before[at] ?? '';
  const id = /🆔 (\S+)/u.exec(line)?.[1] ?? null;
  lines.typed(PATH, { id, line: at + 1, before: line });
  await settled();
  await save((text) => text.replace(from, to));
}

async function save(change: (text: string) => string): Promise<void> {
  const done = await fixture.manager.commit(
    PATH,
    { kind: 'person' },
    (note) => [{ type: 'replace', text: change(note?.text ?? '') }],
    { said: 'Edited the note as text' },
  );
  expect(done.ok).toBe(true);
}

const settled = () => new Promise((resolve) => setImmediate(resolve));
const seen = () => fixture.store.files.get(`${STATE_ROOT}/seen/ses_1/build.md`)?.text ?? '';
const summary = () => fixture.manager.summary({ sessionId: 'ses_1', agent: 'build' });
/** Another program, such as the bridge, that shares only the disk. */
const other = () => new TodoManager({ store: fixture.store, clock, ids: seededIds(7) });

async function answer(manager = fixture.manager, ...operations: object[]) {
  const context = { sessionId: 'ses_1', agent: 'build', sessionTitle: 'The session' };
  const ops = operations.length === 0 ? [{ type: 'list' }] : operations;
  const { result } = await manager.call(context, { operations: ops });
  return {
    changed: result.changed.map(({ field, before, after }) => [field, before, after]),
    titles: result.board?.tasks.map(({ title }) => title),
    statuses: result.board?.tasks.map(({ status }) => status),
    output: result.response.output,
    errors: result.results.flatMap(({ error }) => error ?? []),
    results: result.results,
  };
}

describe('a line that a person is typing', () => {
  test.each(['here', 'in another program'])(
    '[TASKS78] is told as it was told last, and once when no key was pressed for 2 s: %s',
    async (where) => {
      const manager = where === 'here' ? fixture.manager : other();
      await type('Sign the build', 'PSign the build NO');
      expect(fixture.text('build')).toContain('- [ ] PSign the build NO ');
      const first = await answer(manager);
      expect(first).toMatchObject({ changed: [], titles: ['Sign the build', 'Ship'] });
      expect(first.output).not.toContain('PSign');
      expect(await summary()).not.toContain('PSign');
      expect(seen()).toContain('- [ ] Sign the build ');
      clock.pass(1_500);
      await type('PSign the build NO', 'Sign the build NOW');
      clock.pass(1_999);
      expect(await answer(manager)).toMatchObject({ changed: [] });
      clock.pass(1);
      await settled();
      expect(await summary()).toContain('Sign the build NOW');
      expect(await answer(manager)).toMatchObject({
        changed: [['title', 'Sign the build', 'Sign the build NOW']],
        titles: ['Sign the build NOW', 'Ship'],
      });
      expect(await answer(manager)).toMatchObject({ changed: [] });
      expect(fixture.store.files.has(TYPING)).toBe(false);
    },
  );

  test('[TASKS78] is told at once where the person goes on to another line', async () => {
    await type('Sign the build', 'Sign the build NOW');
    lines.left(PATH);
    await settled();
    expect(await answer()).toMatchObject({
      changed: [['title', 'Sign the build', 'Sign the build NOW']],
    });
  });

  test('[TASKS78] that is new is not there yet', async () => {
    await save((text) => `${text}- [ ] \n`);
    const at = fixture.text('build').split('\n').length - 1;
    lines.typed(PATH, { id: null, line: at, before: '' });
    await settled();
    await save((text) => text.replace('- [ ] \n', '- [ ] Half a ti\n'));
    expect(await answer()).toMatchObject({ changed: [], titles: ['Sign the build', 'Ship'] });
    expect(seen()).not.toContain('Half');
    clock.pass(2_000);
    await settled();
    expect(await answer()).toMatchObject({ changed: [['added', null, 'Half a ti']] });
  });

  test('[TASKS78] keeps what an agent does to its task meanwhile, and the person keeps the title', async () => {
    await type('Sign the build', 'PSign the build');
    const done = await answer(fixture.manager, { type: 'complete', id: 1 });
    expect(done).toMatchObject({
      titles: ['Sign the build', 'Ship'],
      statuses: ['completed', 'pending'],
    });
    expect(seen()).toMatch(/- \[x\] Sign the build .* ✅ 2026-11-21/);
    const renamed = await answer(fixture.manager, { type: 'update', id: 1, title: 'Sign it' });
    expect(renamed.output).toContain('conflict');
    expect(fixture.text('build')).toContain('- [x] PSign the build ');
    clock.pass(2_000);
    await settled();
    expect(await answer()).toMatchObject({
      changed: [['title', 'Sign the build', 'PSign the build']],
      statuses: ['completed', 'pending'],
    });
  });

  test('[TASKS78] is said by no answer to what an agent sends, a conflict neither', async () => {
    await type('Sign the build', 'PSign the build');
    const renamed = await answer(fixture.manager, { type: 'update', id: 1, title: 'Sign it' });
    expect(renamed.errors).toEqual([
      {
        ...{
          code: 'conflict',
          message: expect.stringContaining('is still typing title of #1') as string,
        },
        conflict: {
          id: 'a4rg-1',
          field: 'title',
          yours: 'Sign it',
          theirs: 'Sign the build',
          rev: 2,
        },
      },
    ]);
    const said = [JSON.stringify(renamed)];
    for (const operation of [
      { type: 'get', id: 1 },
      { type: 'ready' },
      { type: 'remove', id: 1 },
      { type: 'claim', id: 1 },
      { type: 'update', id: 1, priority: 'high' },
      { type: 'move', id: 1, after: 2 },
      { type: 'complete', id: 'Sign the build' },
    ]) {
      said.push(JSON.stringify(await answer(fixture.manager, operation)));
    }
    expect(said.filter((text) => text.includes('PSign'))).toEqual([]);
    expect(said.at(-1)).toContain('#1 Sign the build: is completed.');
    expect(fixture.text('build')).toContain('- [x] PSign the build ');
  });

  test('[TASKS78] holds back nothing else, and no longer than 2 s where its program ended', async () => {
    await type('Sign the build', 'PSign the build');
    await save((text) => text.replace('] Ship', '] Ship it'));
    expect(await answer(other())).toMatchObject({ changed: [['title', 'Ship', 'Ship it']] });
    const now = clock.now();
    clock.now = () => now + 2_001;
    expect(await answer(other())).toMatchObject({
      changed: [['title', 'Sign the build', 'PSign the build']],
    });
  });

  test('[TASKS79] stands in the conversation once, from first to last', async () => {
    for (const [from, to] of [
      ['Sign the build', 'PSign the build'],
      ['PSign the build', 'Psign the build N'],
      ['Psign the build N', 'Sign the build NOW'],
    ] as const)
      await type(from, to);
    await save((text) => text.replace('] Ship', '] Ship it'));
    const of = ({ before, board }: BoardChange) =>
      [before, board].map((one) => one?.tasks.map(({ title }) => title));
    expect(told.map(of).filter(([a, b]) => String(a) !== String(b))).toEqual([
      [
        ['Sign the build', 'Ship'],
        ['Sign the build', 'Ship it'],
      ],
    ]);
    told = [];
    clock.pass(2_000);
    expect(told.map(of)).toEqual([
      [
        ['Sign the build', 'Ship it'],
        ['Sign the build NOW', 'Ship it'],
      ],
    ]);
    expect(told[0]).toMatchObject({ by: 'person', session: 'ses_1' });
  });

  test('[TASKS79] what an agent does to its task meanwhile stands there as the agent’s, at once', async () => {
    await type('Sign the build', 'PSign the build');
    told = [];
    await answer(fixture.manager, { type: 'complete', id: 1 });
    clock.pass(2_000);
    const of = ({ by, before, board }: BoardChange) => [
      by,
      ...[before, board].map((one) => `${one?.tasks[0]?.title}: ${one?.tasks[0]?.status}`),
    ];
    expect(told.map(of)).toEqual([
      ['agent', 'Sign the build: pending', 'Sign the build: completed'],
      ['person', 'Sign the build: completed', 'PSign the build: completed'],
    ]);
  });
});
