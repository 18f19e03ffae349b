import { beforeEach, describe, expect, test } from 'vitest';
import { BridgeRuntime } from '../../src/core/session/bridge-runtime';
import type { FakeBridge } from '../wire/fake-bridge';
import { flushPromises } from '../wire/manual-clock';
import { SeveralBridges } from '../wire/several-bridges';

let s: SeveralBridges;
let runtime: BridgeRuntime;
let older: FakeBridge;
let newer: FakeBridge;

/** Two OpenCode processes on one database: both list the session, and the newer is asked first. */
beforeEach(async () => {
  s = new SeveralBridges();
  runtime = new BridgeRuntime(s.bridges, { unique: () => 'request', random: () => 0 });
  newer = s.add(4002, 'x');
  await s.connect();
  older = s.add(4001, 'x');
  await s.clock.advance(2_000);
});

const work = (bridge: FakeBridge): void =>
  bridge.send({ type: 'progress.update', sessionId: 'x', payload: { kind: 'busy' } });

const idle = (bridge: FakeBridge): void =>
  bridge.send({ type: 'progress.update', sessionId: 'x', payload: { kind: 'idle' } });

async function interrupted(): Promise<FakeBridge | undefined> {
  const before = [older, newer].map((bridge) => bridge.all('session.interrupt').length);
  await runtime.interrupt('x');
  await flushPromises();
  return [older, newer].find(
    (bridge, n) => bridge.all('session.interrupt').length > (before[n] ?? 0),
  );
}

const kinds = (): unknown[] =>
  s.heard.map(({ payload }) => ('kind' in payload ? payload.kind : undefined));

describe('one session at two bridges', () => {
  test('[CONN51] belongs to the first that listed it, then to the one that it works in', async () => {
    expect(s.title('x')).toBe('x of 4002');
    expect(await interrupted()).toBe(newer);
    work(older);
    await flushPromises();
    expect(await interrupted()).toBe(older);
    idle(older);
    await flushPromises();
    expect(await interrupted()).toBe(older);
    work(newer);
    await flushPromises();
    expect(await interrupted()).toBe(newer);
  });

  test('[CONN51] a list with a session at work says that it runs there', async () => {
    older.sessions = [{ id: 'x', title: 'At work', status: 'busy' }];
    older.welcome();
    await flushPromises();
    expect(s.sessions.get('x')).toMatchObject({ title: 'At work', state: { kind: 'busy' } });
    expect(await interrupted()).toBe(older);
    newer.welcome();
    await flushPromises();
    expect(s.sessions.get('x')).toMatchObject({ title: 'At work', state: { kind: 'busy' } });
  });

  test('[CONN52] how it stands is said by its owner alone; the other is counted', async () => {
    work(newer);
    idle(older);
    older.send({ type: 'turn.end', sessionId: 'x', payload: { reason: 'completed' } });
    older.send({ type: 'progress.update', sessionId: 'x', payload: { kind: 'todo', todos: [] } });
    await flushPromises();
    expect(kinds()).toEqual(['busy']);
    expect(s.sessions.get('x')?.state).toEqual({ kind: 'busy' });
    expect(s.bridges.dropped.foreign).toBe(3);
    older.send({
      ...{ type: 'progress.update', sessionId: 'x' },
      payload: { kind: 'title', title: 'Renamed in the other' },
    });
    await flushPromises();
    expect(s.title('x')).toBe('Renamed in the other');
  });

  test('[CONN52] turns that run in both lose no text', async () => {
    const say = (bridge: FakeBridge, delta: string): void =>
      bridge.send({
        ...{ type: 'stream.token', sessionId: 'x' },
        payload: { messageId: 'm', partId: 'p', delta },
      });
    work(newer);
    say(newer, '1');
    work(older);
    say(older, '2');
    say(newer, '3');
    await flushPromises();
    const heard = s.heard.flatMap(({ payload }) => ('delta' in payload ? [payload.delta] : []));
    expect(heard).toEqual(['1', '2', '3']);
  });

  test('[CONN53] calls and requests are answered where they came from', async () => {
    const call = { tool: 'tasks', args: {}, agent: 'build', messageId: 'm', originSessionId: 'x' };
    older.send({ type: 'tool.call', sessionId: 'x', payload: { callId: 'call', ...call } });
    const asks = { permission: 'bash', patterns: [], always: [], metadata: {} };
    const request = (requestId: string) => ({ requestId, ...asks });
    older.send({ type: 'permission.request', sessionId: 'x', payload: request('per') });
    older.send({
      ...{ type: 'question.request', sessionId: 'x' },
      payload: { requestId: 'que', questions: [] },
    });
    work(newer);
    await flushPromises();
    expect(await interrupted()).toBe(newer);
    const audit = { approved: true, dryRun: false, ms: 1 };
    const answer = { callId: 'call', ok: true, output: 'done', audit };
    const waiting = { callId: 'call', ms: 1 };
    expect(s.bridges.send({ type: 'tool.waiting', sessionId: 'x', payload: waiting })).toBe(true);
    expect(s.bridges.send({ type: 'tool.result', sessionId: 'x', payload: answer })).toBe(true);
    await runtime.answerPermission('x', 'per', 'once');
    await runtime.answerQuestion('x', 'que', [['A']]);
    await flushPromises();
    const answers = ({ received }: FakeBridge): string[] =>
      received.map(({ type }) => type).filter((type) => /waiting|result|response/.test(type));
    expect(answers(older)).toEqual([
      'tool.waiting',
      'tool.result',
      'permission.response',
      'question.response',
    ]);
    expect(answers(newer)).toEqual([]);
  });

  test('[CONN53] two bridges may give their calls the same id', async () => {
    const third = s.add(4003, 'z');
    await s.clock.advance(2_000);
    const call = { callId: 'call_1', tool: 'tasks', args: {}, agent: 'build', messageId: 'm' };
    older.send({ type: 'tool.call', sessionId: 'x', payload: { ...call, originSessionId: 'x' } });
    third.send({ type: 'tool.call', sessionId: 'z', payload: { ...call, originSessionId: 'z' } });
    await flushPromises();
    const audit = { approved: true, dryRun: false, ms: 1 };
    const answer = { callId: 'call_1', ok: true, output: 'done', audit };
    for (const sessionId of ['x', 'z']) {
      expect(s.bridges.send({ type: 'tool.result', sessionId, payload: answer })).toBe(true);
    }
    await flushPromises();
    const answered = [older, newer, third].map((bridge) =>
      bridge.all('tool.result').map(({ sessionId }) => sessionId),
    );
    expect(answered).toEqual([['x'], [], ['z']]);
  });

  test('[CONN53] a session that rests goes to the other bridge where its own is not connected', async () => {
    newer.isListening = false;
    newer.closeConnection(1006);
    await flushPromises();
    expect(s.sessions.get('x')?.away).toBeUndefined();
    expect(await interrupted()).toBe(older);
  });

  test('[CONN53] a list of another bridge does not take a working session away meanwhile', async () => {
    work(newer);
    await flushPromises();
    newer.isListening = false;
    newer.closeConnection(1006);
    await flushPromises();
    older.welcome();
    await flushPromises();
    expect(s.sessions.get('x')).toMatchObject({ away: true, state: { kind: 'busy' } });
    await expect(runtime.send('x', 'Hello')).rejects.toMatchObject({ code: 'cancelled' });
  });

  test('[CONN53] one that works is not run a second time elsewhere while its own may come back', async () => {
    work(newer);
    await flushPromises();
    newer.isListening = false;
    newer.closeConnection(1006);
    await flushPromises();
    expect(s.sessions.get('x')?.away).toBe(true);
    await expect(runtime.send('x', 'Hello')).rejects.toMatchObject({ code: 'cancelled' });
    expect(older.all('session.message')).toEqual([]);
    s.remove(4002);
    await s.clock.advance(15_000);
    expect(s.sessions.get('x')).toMatchObject({ state: { kind: 'idle' } });
    expect(s.sessions.get('x')?.away).toBeUndefined();
    expect(await interrupted()).toBe(older);
  });

  test('[CONN55] closed where it ran, its turn is cut and it goes on elsewhere', async () => {
    work(newer);
    newer.send({ type: 'session.end', sessionId: 'x', payload: { reason: 'closed' } });
    await flushPromises();
    expect(s.heard.map(({ type }) => type)).toEqual(['progress.update', 'turn.end']);
    expect(s.sessions.get('x')?.state).toEqual({ kind: 'idle' });
    expect(await interrupted()).toBe(older);
    older.send({ type: 'session.end', sessionId: 'x', payload: { reason: 'closed' } });
    await flushPromises();
    expect(s.sessions.get('x')?.state).toEqual({ kind: 'ended', reason: 'closed' });
  });

  test('[CONN55] deleted in one, it is deleted for all', async () => {
    older.send({ type: 'session.end', sessionId: 'x', payload: { reason: 'deleted' } });
    work(newer);
    await flushPromises();
    expect(s.sessions.get('x')?.state).toEqual({ kind: 'ended', reason: 'deleted' });
    expect(s.bus.counters.endedSession).toBe(1);
  });

  test('[CONN56] a connection whose bridge is gone takes over the next', async () => {
    const names = s.bridges.all.map(({ id }) => id);
    s.remove(4002);
    await s.clock.advance(500);
    const next = s.add(4003, 'x', 'y');
    await s.clock.advance(2_000);
    expect(next.connections).toBe(1);
    expect(s.bridges.all.map(({ id }) => id)).toEqual(names);
    expect(s.title('y')).toBe('y of 4003');
    expect([older.connections, s.bridges.state.among]).toEqual([1, { up: 2, of: 2 }]);
  });
});
