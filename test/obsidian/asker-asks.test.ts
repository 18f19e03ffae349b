import { describe, expect, test } from 'vitest';
import { PendingPermissions } from '../../src/core/permission/ask';
import type { Session } from '../../src/core/session/session';
import { REPLACEMENT_WAIT, Prompts, SAME_NOTICE_WINDOW } from '../../src/obsidian/ask/prompts';
import { itemOrigin, itemShort } from '../../src/obsidian/model/attention';
import { itemTask, stateLine } from '../../src/obsidian/session/state-line';
import { boardOf } from '../board/note-sample';
import { ManualClock, flushPromises } from '../wire/manual-clock';
import { makeAsk } from './ask-fixture';
import { session } from './sidebar-fixture';

function setUp() {
  const clock = new ManualClock();
  const asks = new PendingPermissions(clock);
  const world = { sessions: [session('ses_1')] as Session[], connected: true, busy: false };
  const opened: string[] = [];
  const told: string[] = [];
  const announced: string[] = [];
  const queues: Prompts[] = [];
  const unused = () => Promise.reject(new Error('not used'));
  const prompts = new Prompts({
    ...{ clock, asks, task: () => undefined },
    runtime: { answerPermission: unused, answerQuestion: unused },
    sessions: () => world.sessions,
    connected: () => world.connected,
    open: (queue, { requestId }) => {
      opened.push(requestId);
      queues.push(queue);
    },
    busy: () => world.busy,
    tell: (message) => void told.push(message),
    announce: (need) => void announced.push(need.request.requestId),
  });
  const waiting = () => prompts.needs().map((need) => need.request.requestId);
  const need = (id: string) => {
    const found = prompts.needs().find((one) => one.request.requestId === id);
    if (found === undefined) throw new Error(`${id} does not wait`);
    return found;
  };
  return { clock, asks, world, opened, told, announced, prompts, waiting, need };
}

describe('what our own tools ask', () => {
  test('[ASK1] opens once by itself, is announced, and waits until it is answered', async () => {
    const { asks, opened, announced, prompts, waiting, need } = setUp();
    const end = asks.ask(makeAsk('r1'));
    prompts.update();
    expect([opened, announced, waiting()]).toEqual([['r1'], ['r1'], ['r1']]);
    prompts.answer(need('r1'), { kind: 'ask', answer: { reply: 'reject', message: 'no' } });
    expect(waiting()).toEqual([]);
    expect(await end).toEqual({ reply: 'reject', message: 'no' });
  });

  test('[ASK1] waits while the person types, and stands among what OpenCode asks', () => {
    const { asks, world, opened, prompts, waiting } = setUp();
    const permission = {
      ...{ requestId: 'p1', permission: 'bash', patterns: ['ls'], always: [], metadata: {} },
    };
    world.busy = true;
    world.sessions = [
      session('other', { permissions: [{ ...permission, requestId: 'p0' }] }),
      session('ses_1', { permissions: [permission] }),
    ];
    void asks.ask(makeAsk('lost', { sessionId: 'nobody knows it' }));
    void asks.ask(makeAsk('r1'));
    void asks.ask(makeAsk('none', { sessionId: undefined, agent: 'plan' }));
    expect([opened, waiting()]).toEqual([[], ['p0', 'p1', 'r1', 'lost', 'none']]);
    expect(prompts.needs().map(itemOrigin)).toEqual([
      'build in Session other',
      'build in Session ses_1',
      'build in Session ses_1',
      'build in nobody knows it',
      'plan',
    ]);
    world.busy = false;
    prompts.openWaiting();
    expect(opened).toHaveLength(1);
  });

  test('[ASK1] the line of its session says so', () => {
    const around = { online: true, today: '2026-11-22' };
    const line = (asks: ReturnType<typeof makeAsk>[]) =>
      stateLine(session('ses_1'), [], { ...around, asks });
    expect(line([makeAsk('r1')])).toMatchObject({ text: 'Needs you', detail: 'Edit a note' });
    expect(line([makeAsk('r1', { sessionId: 'other' })]).text).not.toBe('Needs you');
  });

  test('[ASK2] names the task that the agent is at, on its own board first', () => {
    const board = { ...boardOf('- [/] Write <b>it</b>\u202e\n'), session: 'ses_1', agent: 'build' };
    const other = { ...boardOf('- [/] Plan\n'), session: 'ses_1', agent: 'plan' };
    const { asks, need } = setUp();
    void asks.ask(makeAsk('r1'));
    expect(itemTask(need('r1'), [other, board])).toBe('Write <b>it</b>');
    expect(itemTask(need('r1'), [other])).toBe('Plan');
    expect(itemTask(need('r1'), [{ ...board, session: 'ses_2' }])).toBeUndefined();
  });

  test('[ASK10] while the note is looked at anew the request stays and takes no answer', async () => {
    const { asks, told, prompts, waiting, need } = setUp();
    const first = asks.ask(makeAsk('r1'));
    const shown = need('r1');
    asks.end('r1', { reply: 'changed' });
    expect(await first).toEqual({ reply: 'changed' });
    expect([waiting(), prompts.stale(shown)]).toEqual([['r1'], true]);
    prompts.allowOnce('r1');
    expect(told).toEqual(['The note changed. You are asked again.']);
    const second = asks.ask(makeAsk('r2', { replaces: 'r1' }));
    expect([waiting(), prompts.stale(need('r2'))]).toEqual([['r2'], false]);
    prompts.allowOnce('r2');
    expect(await second).toEqual({ reply: 'once' });
  });

  test('[ASK10] where no new change comes it is over', async () => {
    const { asks, clock, told, prompts, waiting, need } = setUp();
    void asks.ask(makeAsk('r1'));
    const shown = need('r1');
    asks.end('r1', { reply: 'changed' });
    prompts.onChange(() => waiting().length === 0 && prompts.notifyGone(shown));
    await clock.advance(REPLACEMENT_WAIT - 1);
    expect(waiting()).toEqual(['r1']);
    await clock.advance(1);
    expect(waiting()).toEqual([]);
    expect(told).toEqual(['The note changed, so your answer is no longer needed.']);
  });

  test.each([
    [{ reply: 'cancelled' }, 'The call was cancelled, so your answer is no longer needed.'],
    [{ reply: 'once' }, 'This was answered elsewhere.'],
  ] as const)('[ASK11] %j away from the dialog closes it with a notice', (end, words) => {
    const { asks, told, prompts, need } = setUp();
    void asks.ask(makeAsk('r1'));
    const shown = need('r1');
    prompts.onChange(() => prompts.notifyGone(shown));
    if (end.reply === 'once') asks.answer('r1', end);
    else asks.end('r1', end);
    expect(told).toEqual([words]);
  });

  test('[ASK11] what one session ends together is one notice; another session, and later, are others', async () => {
    const { asks, clock, told, prompts } = setUp();
    const cancel = (ids: readonly string[], sessionId: string) => {
      for (const id of ids) void asks.ask(makeAsk(id, { sessionId }));
      // Like the dialog: when the shown request is gone, it shows the next.
      let shown = prompts.needs()[0];
      const undo = prompts.onChange(() => {
        const there = prompts.needs();
        if (shown === undefined || there.includes(shown)) return;
        prompts.notifyGone(shown);
        shown = there[0];
      });
      for (const id of ids) asks.end(id, { reply: 'cancelled' });
      undo();
    };
    cancel(['r1', 'r2', 'r3'], 'ses_1');
    expect(told).toHaveLength(1);
    cancel(['r4', 'r5'], 'ses_2');
    expect(told).toHaveLength(2);
    cancel(['r6', 'r7'], 'ses_1');
    await clock.advance(SAME_NOTICE_WINDOW);
    cancel(['r8'], 'ses_1');
    expect(told).toHaveLength(4);
    expect(new Set(told)).toEqual(
      new Set(['The call was cancelled, so your answer is no longer needed.']),
    );
  });

  test('[ASK11] a denial since nobody answered is told once, shown or not', async () => {
    const { asks, clock, told, prompts, waiting, need } = setUp();
    void asks.ask(makeAsk('r1', { expiresAt: clock.now() + 1_000 }));
    const shown = need('r1');
    const undo = prompts.onChange(() => prompts.notifyGone(shown));
    await clock.advance(1_000);
    undo();
    const words = (path: string) =>
      `Nobody answered in time, so this was denied: Edit a note, ${path}.`;
    expect(told).toEqual([words('Projects/Offline search/Index format.md')]);
    void asks.ask(makeAsk('r2', { path: 'B.md', expiresAt: clock.now() + 1_000 }));
    await clock.advance(1_000);
    expect([waiting(), told[1]]).toEqual([[], words('B.md')]);
  });

  test('[ASK11] an answer that comes too late is told, and nothing is allowed', () => {
    const { asks, told, prompts, need } = setUp();
    void asks.ask(makeAsk('r1'));
    const late = need('r1');
    asks.end('r1', { reply: 'cancelled' });
    prompts.answer(late, { kind: 'ask', answer: { reply: 'once' } });
    expect(told).toEqual(['Your answer is no longer needed. Nothing was allowed.']);
  });

  test('[ASK12] is answered without a connection, and a connection that comes does not end it', async () => {
    const { asks, clock, world, prompts, waiting, need } = setUp();
    world.connected = false;
    const end = asks.ask(makeAsk('r1'));
    expect(prompts.connected(need('r1'))).toBe(false);
    world.connected = true;
    prompts.update();
    await clock.advance(10_000);
    expect(waiting()).toEqual(['r1']);
    world.sessions = [{ ...session('ses_1'), away: true }];
    prompts.update();
    expect(prompts.connected(need('r1'))).toBe(false);
    prompts.allowOnce('r1');
    await flushPromises();
    expect(await end).toEqual({ reply: 'once' });
  });

  test('[ASK1] after it is closed nothing of it is heard any more', () => {
    const { asks, opened, prompts, need } = setUp();
    prompts.close();
    void asks.ask(makeAsk('r1'));
    expect(opened).toEqual([]);
    expect(() => need('r1')).toThrow();
    expect(itemShort({ kind: 'ask', session: undefined, request: makeAsk('x') })).toBe(
      'Edit a note',
    );
  });
});
