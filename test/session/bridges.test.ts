import { beforeEach, describe, expect, test } from 'vitest';
import { BridgeRuntime } from '../../src/core/session/bridge-runtime';
import { connectionDetails } from '../../src/obsidian/app/diagnostics';
import { flushPromises } from '../wire/manual-clock';
import { SeveralBridges } from '../wire/several-bridges';

let s: SeveralBridges;
let runtime: BridgeRuntime;

beforeEach(() => {
  s = new SeveralBridges();
  runtime = new BridgeRuntime(s.bridges, { unique: () => 'request', random: () => 0 });
});

describe('several bridges', () => {
  test('[CONN50] each has a connection, and its sessions are known', async () => {
    const [one, two] = [s.add(4001, 'a'), s.add(4002, 'b', 'c')];
    await s.connect();
    expect([one.connections, two.connections]).toEqual([1, 1]);
    expect(s.sessions.all().map(({ id }) => id)).toEqual(['b', 'c', 'a']);
    expect(one.all('session.attach').map(({ sessionId }) => sessionId)).toEqual(['a']);
    one.send({ type: 'progress.update', sessionId: 'a', payload: { kind: 'busy' } });
    two.send({ type: 'progress.update', sessionId: 'c', payload: { kind: 'busy' } });
    await flushPromises();
    expect(s.heard.map(({ sessionId }) => sessionId)).toEqual(['a', 'c']);
  });

  test('[CONN50] one that comes later is found within 2 s, and the others don’t notice', async () => {
    const one = s.add(4001, 'a');
    await s.connect();
    const before = s.sessions.get('a');
    const two = s.add(4002, 'b');
    await s.clock.advance(2_000);
    expect([one.connections, two.connections]).toEqual([1, 1]);
    expect(s.sessions.get('a')).toBe(before);
    expect(s.title('b')).toBe('b of 4002');
  });

  test('[CONN50] no more than sixteen at once; the next comes when one goes', async () => {
    const all = Array.from({ length: 18 }, (_, n) => s.add(4001 + n, `s${n}`));
    const sixteen = Array<number>(16).fill(1);
    await s.connect();
    await s.clock.advance(2_000);
    expect(all.map(({ connections }) => connections)).toEqual([0, 0, ...sixteen]);
    s.remove(4018);
    await s.clock.advance(2_000);
    expect(all.map(({ connections }) => connections)).toEqual([0, 1, ...sixteen]);
  });

  test('[CONN57] the state is the best of them', async () => {
    expect(s.bridges.state).toEqual({ kind: 'disconnected', reason: 'off' });
    await s.connect();
    expect(s.bridges.state).toEqual({ kind: 'disconnected', reason: 'no_bridge' });
    s.add(4001, 'a');
    await s.clock.advance(2_000);
    expect(s.bridges.state.kind).toBe('connected');
    expect(s.bridges.state.among).toBeUndefined();
    const two = s.add(4002, 'b');
    await s.clock.advance(2_000);
    expect(s.bridges.state).toMatchObject({ kind: 'connected', among: { up: 2, of: 2 } });
    two.isListening = false;
    two.closeConnection(1006);
    await flushPromises();
    expect(s.bridges.state).toMatchObject({ kind: 'connected', among: { up: 1, of: 2 } });
    expect(s.bridges.all.map(({ state: { kind } }) => kind)).toEqual(['connected', 'reconnecting']);
    s.remove(4001);
    await flushPromises();
    expect(s.bridges.state).toMatchObject({ kind: 'reconnecting', among: { up: 0, of: 2 } });
  });

  test('[CONN57] a bridge that refuses the token does not hide one that is connected', async () => {
    const [one] = [s.add(4001, 'a'), s.add(4002, 'b')];
    one.token = 'another';
    await s.connect();
    expect(s.bridges.state).toMatchObject({ kind: 'connected', among: { up: 1, of: 2 } });
    s.remove(4002);
    await s.clock.advance(250);
    await s.clock.advance(500);
    expect(s.bridges.state).toMatchObject({ kind: 'failed', code: 'token' });
  });

  test('[CONN58] a person can copy how each stands and what was dropped', async () => {
    const [one, two] = [s.add(4001, 'a'), s.add(4002, 'b')];
    await s.connect();
    two.isListening = false;
    two.closeConnection(1006);
    one.sendRaw('no frame');
    await flushPromises();
    expect(connectionDetails(s.bridges).split('\n')).toEqual([
      'bridge-1: reconnecting',
      'bridge-2: connected, bridge 0.1.0, OpenCode 1.18.33',
      'Messages dropped: duplicate 0, gap 0, refused 1, foreign 0, endedSession 0, unknownSession 0',
    ]);
  });

  test('[CONN55] one that goes leaves the sessions of the others as they are', async () => {
    const [, two] = [s.add(4001, 'a'), s.add(4002, 'b')];
    await s.connect();
    s.remove(4001);
    await flushPromises();
    expect([s.sessions.get('a')?.away, s.sessions.get('b')?.away]).toEqual([true, undefined]);
    two.send({ type: 'progress.update', sessionId: 'b', payload: { kind: 'busy' } });
    await flushPromises();
    expect(s.sessions.get('b')?.state).toEqual({ kind: 'busy' });
    await expect(runtime.send('a', 'Hello')).rejects.toMatchObject({ code: 'cancelled' });
    s.add(4003, 'a');
    await s.clock.advance(2_000);
    expect(s.sessions.get('a')).toMatchObject({ title: 'a of 4003' });
    expect(s.sessions.get('a')?.away).toBeUndefined();
    expect(s.sessions.get('b')?.state).toEqual({ kind: 'busy' });
  });

  test('[CONN61] the calls of a process that is gone are cancelled, those of others go on', async () => {
    const [one, two] = [s.add(4001, 'a'), s.add(4002, 'b')];
    await s.connect();
    const call = { tool: 'tasks', args: {}, agent: 'x', messageId: 'm' };
    one.send({
      type: 'tool.call',
      sessionId: 'a',
      payload: { ...call, callId: '1', originSessionId: 'a' },
    });
    one.send({
      type: 'tool.call',
      sessionId: 'a',
      payload: { ...call, callId: '2', originSessionId: 'a' },
    });
    two.send({
      type: 'tool.call',
      sessionId: 'b',
      payload: { ...call, callId: '1', originSessionId: 'b' },
    });
    await flushPromises();
    const audit = { approved: true, dryRun: false, ms: 1 };
    const answer = { callId: '2', ok: true, output: 'done', audit };
    expect(s.bridges.send({ type: 'tool.result', sessionId: 'a', payload: answer })).toBe(true);
    two.closeConnection(1006);
    await s.clock.advance(2_000);
    const cancelled = () =>
      s.heard.flatMap((one) =>
        one.type === 'tool.cancel' ? [[one.sessionId, one.payload.callId]] : [],
      );
    expect([cancelled(), two.connections]).toEqual([[], 2]);
    s.remove(4001);
    await s.clock.advance(2_000);
    expect(cancelled()).toEqual([['a', '1']]);
  });

  test('[CONN61] also where another process has come in its place by then', async () => {
    const one = s.add(4001, 'a');
    await s.connect();
    const call = { callId: '1', tool: 'tasks', args: {}, agent: 'x', messageId: 'm' };
    one.send({ type: 'tool.call', sessionId: 'a', payload: { ...call, originSessionId: 'a' } });
    await flushPromises();
    s.add(4002, 'a');
    s.remove(4001);
    await s.clock.advance(2_000);
    expect(s.title('a')).toBe('a of 4002');
    expect(s.heard.filter(({ type }) => type === 'tool.cancel')).toHaveLength(1);
  });

  test('[CONN15] disconnected all are, without a timer, until a person connects', async () => {
    const both = [s.add(4001, 'a'), s.add(4002, 'b')];
    await s.connect();
    s.bridges.disconnect();
    await flushPromises();
    expect(s.clock.timers).toBe(0);
    expect(s.bridges.state).toEqual({ kind: 'disconnected', reason: 'off' });
    s.bridges.retryNow();
    await s.clock.advance(10_000);
    expect(both.map(({ connections }) => connections)).toEqual([1, 1]);
    await s.connect();
    expect(both.map(({ connections }) => connections)).toEqual([2, 2]);
    s.bridges.close();
    s.bridges.close();
    expect(s.clock.timers).toBe(0);
  });

  test('[CONN54] a session starts at the newest bridge, or at the chosen one', async () => {
    const [one, two] = [s.add(4001, 'a'), s.add(4002, 'b')];
    await s.connect();
    const newest = runtime.start({ title: 'Newest' });
    await flushPromises();
    expect(two.all('session.start').map(({ payload }) => payload.title)).toEqual(['Newest']);
    two.created('n', 'Newest', 'request');
    expect(await newest).toEqual({ sessionId: 'n' });
    const older = s.bridges.all[1]?.id;
    const chosen = runtime.start({
      title: 'Chosen',
      ...(older !== undefined && { bridge: older }),
    });
    await flushPromises();
    expect(one.all('session.start').map(({ payload }) => payload)).toEqual([
      { requestId: 'request', title: 'Chosen' },
    ]);
    one.created('o', 'Chosen', 'request');
    expect(await chosen).toEqual({ sessionId: 'o' });
    await expect(runtime.start({ bridge: 'bridge-9' })).rejects.toMatchObject({
      code: 'cancelled',
      message: 'This program is no longer connected.',
    });
    const sent = runtime.send('o', 'Go on');
    await flushPromises();
    expect(one.all('session.message').map(({ sessionId }) => sessionId)).toEqual(['o']);
    one.send({ type: 'progress.update', sessionId: 'o', payload: { kind: 'busy' } });
    await sent;
  });
});
