import { describe, expect, test } from 'vitest';
import { RESEND_WINDOW, Prompts } from '../../src/obsidian/ask/prompts';
import { PendingPermissions } from '../../src/core/permission/ask';
import type { SessionRuntime } from '../../src/core/session/bridge-runtime';
import type { PermissionRequest, Session } from '../../src/core/session/session';
import { ManualClock, flushPromises } from '../wire/manual-clock';

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
  const asks = new PendingPermissions(clock);
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
  const prompts = new Prompts({
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
  const waiting = () => prompts.needs().map((need) => need.request.requestId);
  const close = () => closers.pop()?.();
  return { clock, asks, world, opened, told, announced, answers, prompts, waiting, close };
}

const ALLOW = { kind: 'permission', reply: 'once' } as const;

describe('Asker', () => {
  test('[PLUGIN47] closed, it leaves no dialog open that could not be answered any more', () => {
    const { world, prompts, told } = setUp();
    world.sessions = [session('a', request('r1'), request('r2'))];
    prompts.update();
    const [shown] = prompts.needs();
    const seen: number[] = [];
    prompts.onChange(() => {
      seen.push(prompts.needs().length);
      if (shown !== undefined) prompts.notifyGone(shown);
    });
    prompts.close();
    expect([seen, told]).toEqual([[0], []]);
  });

  test('[PLUGIN10] a request opens once by itself; closed unanswered it waits under Needs you', () => {
    const { world, opened, prompts, waiting, close } = setUp();
    world.sessions = [session('a', request('r1'))];
    prompts.update();
    prompts.update();
    close();
    prompts.update();
    expect(opened).toEqual(['r1']);
    expect(waiting()).toEqual(['r1']);
    prompts.review('r1');
    close();
    prompts.review('r1', 'deny');
    expect(opened).toEqual(['r1', 'r1', 'r1 deny']);
  });

  test('[PLUGIN10] one dialog at a time; each request is announced', () => {
    const { world, opened, announced, prompts, waiting } = setUp();
    world.sessions = [session('a', request('r1')), session('b', request('r2'))];
    prompts.update();
    prompts.review('r2');
    expect(opened).toEqual(['r1']);
    expect(announced).toEqual(['r1', 'r2']);
    expect(waiting()).toEqual(['r1', 'r2']);
  });

  test('[PLUGIN24] while the person types the dialog waits; it opens once they have finished', () => {
    const { world, opened, prompts, waiting } = setUp();
    world.busy = true;
    world.sessions = [session('a', request('r1'))];
    prompts.update();
    prompts.update();
    expect([opened, waiting()]).toEqual([[], ['r1']]);
    world.busy = false;
    prompts.openWaiting();
    prompts.openWaiting();
    expect(opened).toEqual(['r1']);
  });

  test('[PLUGIN24] a request that was answered while the person typed opens no more', () => {
    const { world, opened, prompts } = setUp();
    world.busy = true;
    world.connected = false;
    world.sessions = [session('a', request('r1'))];
    prompts.update();
    world.sessions = [session('a')];
    world.busy = false;
    prompts.update();
    prompts.openWaiting();
    expect(opened).toEqual([]);
  });

  test('[PLUGIN24] where the first is answered elsewhere meanwhile, the next opens', () => {
    const { world, opened, prompts } = setUp();
    world.busy = true;
    world.connected = false;
    world.sessions = [session('a', request('r1'))];
    prompts.update();
    world.sessions = [session('a', request('r1')), session('b', request('r2'))];
    prompts.update();
    world.sessions = [session('a'), session('b', request('r2'))];
    prompts.update();
    world.busy = false;
    prompts.openWaiting();
    expect(opened).toEqual(['r2']);
  });

  test('[PLUGIN11] an answer is sent once, with its session and words', async () => {
    const { world, answers, prompts, waiting } = setUp();
    world.sessions = [session('a', request('r1'))];
    prompts.update();
    const [need] = prompts.needs();
    if (need === undefined) throw new Error('nothing waits');
    prompts.answer(need, { kind: 'permission', reply: 'reject', message: 'not this' });
    prompts.update();
    await flushPromises();
    expect(answers).toEqual([['a', 'r1', 'reject', 'not this']]);
    expect(waiting()).toEqual([]);
  });

  test('[PLUGIN11] an answer given offline is sent when the request comes again', async () => {
    const { clock, world, answers, prompts, waiting } = setUp();
    world.sessions = [session('a', request('r1'))];
    prompts.update();
    world.connected = false;
    prompts.update();
    const [need] = prompts.needs();
    if (need === undefined) throw new Error('nothing waits');
    prompts.answer(need, ALLOW);
    expect(answers).toEqual([]);
    world.connected = true;
    world.sessions = [session('a')];
    prompts.update();
    expect(answers).toEqual([]);
    world.sessions = [session('a', request('r1'))];
    prompts.update();
    await flushPromises();
    expect(answers).toEqual([['a', 'r1', 'once', undefined]]);
    expect(waiting()).toEqual([]);
    await clock.advance(RESEND_WINDOW);
    expect(answers).toHaveLength(1);
  });

  test('[PLUGIN11] an answer that does not arrive is told, and the request waits again', async () => {
    const { world, told, prompts, waiting } = setUp();
    world.sessions = [session('a', request('r1'))];
    world.fails = true;
    prompts.update();
    const [need] = prompts.needs();
    if (need === undefined) throw new Error('nothing waits');
    prompts.answer(need, ALLOW);
    expect(waiting()).toEqual([]);
    await flushPromises();
    expect(waiting()).toEqual(['r1']);
    expect(told).toHaveLength(1);
  });

  test('[PLUGIN12] a list that is empty right after a connection answers nothing', async () => {
    const { clock, world, prompts, waiting } = setUp();
    world.sessions = [session('a', request('r1'))];
    prompts.update();
    await clock.advance(RESEND_WINDOW);
    world.connected = false;
    prompts.update();
    world.connected = true;
    world.sessions = [session('a')];
    prompts.update();
    expect(waiting()).toEqual(['r1']);
    await clock.advance(RESEND_WINDOW);
    expect(waiting()).toEqual([]);
  });
});
