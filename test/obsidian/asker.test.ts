import { describe, expect, test } from 'vitest';
import { EXPECT_AGAIN, Prompts } from '../../src/obsidian/ask/prompts';
import { PendingAsks } from '../../src/core/permission/ask';
import type { SessionRuntime } from '../../src/core/session/session-runtime';
import type { PermissionRequest, Session } from '../../src/core/session/session';
import { ManualClock, settled } from '../wire/manual-clock';

function request(requestId: string, part: Partial<PermissionRequest> = {}): PermissionRequest {
  const base = { permission: 'bash', patterns: ['ls'], always: ['ls *'], metadata: {} };
  return { requestId, ...base, ...part };
}

function session(id: string, ...permissions: PermissionRequest[]): Session {
  const state = { kind: 'busy' } as const;
  const rest = { parentId: null, agent: 'build', questions: [], lastActive: 1 };
  return { id, title: `Session ${id}`, state, permissions, ...rest };
}

function setUp() {
  const clock = new ManualClock();
  const asks = new PendingAsks(clock);
  const world = { sessions: [] as Session[], connected: true, fails: false, busy: false };
  const opened: string[] = [];
  const told: string[] = [];
  const announced: string[] = [];
  const answers: unknown[][] = [];
  const closers: (() => void)[] = [];
  const unused = () => Promise.reject(new Error('not used'));
  const runtime: Pick<SessionRuntime, 'answerPermission' | 'answerQuestion'> = {
    answerQuestion: unused,
    answerPermission: (...given) => {
      answers.push(given);
      return world.fails ? Promise.reject(new Error('lost')) : Promise.resolve();
    },
  };
  const asker = new Prompts({
    clock,
    runtime,
    sessions: () => world.sessions,
    asks,
    task: () => undefined,
    connected: () => world.connected,
    open: (_, { requestId, step }, closed) => {
      opened.push(step === 'ask' ? requestId : `${requestId} ${step}`);
      closers.push(closed);
    },
    busy: () => world.busy,
    tell: (message) => void told.push(message),
    announce: (need) => void announced.push(need.request.requestId),
  });
  const waiting = () => asker.needs().map((need) => need.request.requestId);
  const close = () => closers.pop()?.();
  return { clock, asks, world, opened, told, announced, answers, asker, waiting, close };
}

const ALLOW = { kind: 'permission', reply: 'once' } as const;

describe('Asker', () => {
  test('[PLUGIN47] closed, it leaves no dialog open that could not be answered any more', () => {
    const { world, asker, told } = setUp();
    world.sessions = [session('a', request('r1'), request('r2'))];
    asker.look();
    const [shown] = asker.needs();
    const seen: number[] = [];
    asker.onChange(() => {
      seen.push(asker.needs().length);
      if (shown !== undefined) asker.gone(shown);
    });
    asker.close();
    expect([seen, told]).toEqual([[0], []]);
  });

  test('[PLUGIN10] a request opens once by itself; closed unanswered it waits under Needs you', () => {
    const { world, opened, asker, waiting, close } = setUp();
    world.sessions = [session('a', request('r1'))];
    asker.look();
    asker.look();
    close();
    asker.look();
    expect(opened).toEqual(['r1']);
    expect(waiting()).toEqual(['r1']);
    asker.review('r1');
    close();
    asker.review('r1', 'deny');
    expect(opened).toEqual(['r1', 'r1', 'r1 deny']);
  });

  test('[PLUGIN10] one dialog at a time; each request is announced', () => {
    const { world, opened, announced, asker, waiting } = setUp();
    world.sessions = [session('a', request('r1')), session('b', request('r2'))];
    asker.look();
    asker.review('r2');
    expect(opened).toEqual(['r1']);
    expect(announced).toEqual(['r1', 'r2']);
    expect(waiting()).toEqual(['r1', 'r2']);
  });

  test('[PLUGIN24] while the person types the dialog waits; it opens once they have finished', () => {
    const { world, opened, asker, waiting } = setUp();
    world.busy = true;
    world.sessions = [session('a', request('r1'))];
    asker.look();
    asker.look();
    expect([opened, waiting()]).toEqual([[], ['r1']]);
    world.busy = false;
    asker.freed();
    asker.freed();
    expect(opened).toEqual(['r1']);
  });

  test('[PLUGIN24] a request that was answered while the person typed opens no more', () => {
    const { world, opened, asker } = setUp();
    world.busy = true;
    world.connected = false;
    world.sessions = [session('a', request('r1'))];
    asker.look();
    world.sessions = [session('a')];
    world.busy = false;
    asker.look();
    asker.freed();
    expect(opened).toEqual([]);
  });

  test('[PLUGIN24] where the first is answered elsewhere meanwhile, the next opens', () => {
    const { world, opened, asker } = setUp();
    world.busy = true;
    world.connected = false;
    world.sessions = [session('a', request('r1'))];
    asker.look();
    world.sessions = [session('a', request('r1')), session('b', request('r2'))];
    asker.look();
    world.sessions = [session('a'), session('b', request('r2'))];
    asker.look();
    world.busy = false;
    asker.freed();
    expect(opened).toEqual(['r2']);
  });

  test('[PLUGIN11] an answer is sent once, with its session and words', async () => {
    const { world, answers, asker, waiting } = setUp();
    world.sessions = [session('a', request('r1'))];
    asker.look();
    const [need] = asker.needs();
    if (need === undefined) throw new Error('nothing waits');
    asker.answer(need, { kind: 'permission', reply: 'reject', message: 'not this' });
    asker.look();
    await settled();
    expect(answers).toEqual([['a', 'r1', 'reject', 'not this']]);
    expect(waiting()).toEqual([]);
  });

  test('[PLUGIN11] an answer given offline is sent when the request comes again', async () => {
    const { clock, world, answers, asker, waiting } = setUp();
    world.sessions = [session('a', request('r1'))];
    asker.look();
    world.connected = false;
    asker.look();
    const [need] = asker.needs();
    if (need === undefined) throw new Error('nothing waits');
    asker.answer(need, ALLOW);
    expect(answers).toEqual([]);
    world.connected = true;
    world.sessions = [session('a')];
    asker.look();
    expect(answers).toEqual([]);
    world.sessions = [session('a', request('r1'))];
    asker.look();
    await settled();
    expect(answers).toEqual([['a', 'r1', 'once', undefined]]);
    expect(waiting()).toEqual([]);
    await clock.advance(EXPECT_AGAIN);
    expect(answers).toHaveLength(1);
  });

  test('[PLUGIN11] an answer that does not arrive is told, and the request waits again', async () => {
    const { world, told, asker, waiting } = setUp();
    world.sessions = [session('a', request('r1'))];
    world.fails = true;
    asker.look();
    const [need] = asker.needs();
    if (need === undefined) throw new Error('nothing waits');
    asker.answer(need, ALLOW);
    expect(waiting()).toEqual([]);
    await settled();
    expect(waiting()).toEqual(['r1']);
    expect(told).toHaveLength(1);
  });

  test('[PLUGIN12] a list that is empty right after a connection answers nothing', async () => {
    const { clock, world, asker, waiting } = setUp();
    world.sessions = [session('a', request('r1'))];
    asker.look();
    await clock.advance(EXPECT_AGAIN);
    world.connected = false;
    asker.look();
    world.connected = true;
    world.sessions = [session('a')];
    asker.look();
    expect(waiting()).toEqual(['r1']);
    await clock.advance(EXPECT_AGAIN);
    expect(waiting()).toEqual([]);
  });
});
