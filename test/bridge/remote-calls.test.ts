import { describe, expect, test } from 'vitest';
import type { FromDraft } from '../../src/core/engine/engine';
import { RemoteCalls } from '../../src/bridge/server/remote-calls';
import { WireError } from '../../src/protocol/wire-error';
import { ManualClock } from './manual-clock';

function setup() {
  const clock = new ManualClock();
  const calls = new RemoteCalls(clock);
  const sent: FromDraft[] = [];
  const client = clientOf((draft) => void sent.push(draft));
  return { clock, calls, sent, client };
}

function clientOf(send: (draft: FromDraft) => void) {
  return { send, withdraw: () => undefined };
}

const audit = { approved: true, dryRun: false, ms: 1 };
const never = new AbortController().signal;

function payload(callId: string, originSessionId = 'ses_1') {
  return { callId, tool: 'tasks', args: {}, agent: 'build', messageId: 'm', originSessionId };
}

describe('calls that are out at clients', () => {
  test('[BRIDGE42] the first answer counts, and only from the client that has the call', async () => {
    const { calls, client } = setup();
    const outcome = calls.call(client, payload('c1'), never);
    const result = { callId: 'c1', ok: true, output: 'one', audit };
    expect(
      calls.answer(
        clientOf(() => undefined),
        'ses_1',
        result,
      ),
    ).toBe(false);
    expect(calls.answer(client, 'ses_2', result)).toBe(false);
    expect(calls.answer(client, 'ses_1', result)).toBe(true);
    expect(calls.answer(client, 'ses_1', { ...result, output: 'two' })).toBe(false);
    expect(await outcome).toEqual({ kind: 'result', result });
  });

  test('[BRIDGE42] calls of the same id in two sessions are two calls', async () => {
    const { calls, client } = setup();
    const one = calls.call(client, payload('c1', 'ses_1'), never);
    const two = calls.call(client, payload('c1', 'ses_2'), never);
    calls.answer(client, 'ses_2', { callId: 'c1', ok: true, output: 'second', audit });
    calls.answer(client, 'ses_1', { callId: 'c1', ok: true, output: 'first', audit });
    expect(await one).toMatchObject({ result: { output: 'first' } });
    expect(await two).toMatchObject({ result: { output: 'second' } });
  });

  test('[BRIDGE43] a call without an answer in 30 seconds is cancelled at the client and given up', async () => {
    const { clock, calls, sent, client } = setup();
    const outcome = calls.call(client, payload('c1'), never);
    clock.advance(29_999);
    expect(sent.map(({ type }) => type)).toEqual(['tool.call']);
    clock.advance(1);
    expect(await outcome).toEqual({ kind: 'timeout' });
    expect(sent.map(({ type }) => type)).toEqual(['tool.call', 'tool.cancel']);
    expect(calls.answer(client, 'ses_1', { callId: 'c1', ok: true, audit })).toBe(false);
  });

  test('[BRIDGE46] while a person is asked the time does not run; afterwards it begins anew', async () => {
    const { clock, calls, sent, client } = setup();
    const outcome = calls.call(client, payload('c1'), never);
    clock.advance(29_000);
    calls.handleWaiting(client, 'ses_1', { callId: 'c1' });
    clock.advance(86_400_000);
    calls.handleWaiting(client, 'ses_1', { callId: 'c1', ms: 600_000 });
    clock.advance(629_999);
    calls.handleWaiting(client, 'ses_1', { callId: 'c1', ms: 0 });
    clock.advance(29_999);
    expect(sent.map(({ type }) => type)).toEqual(['tool.call']);
    clock.advance(1);
    expect(await outcome).toEqual({ kind: 'timeout' });
    expect(sent.map(({ type }) => type)).toEqual(['tool.call', 'tool.cancel']);
    calls.handleWaiting(client, 'ses_1', { callId: 'c1' });
  });

  test('[MCP16] who gave the call hears that a person is asked, so that other calls need not wait', () => {
    const { calls, client } = setup();
    const heard: string[] = [];
    void calls.call(client, payload('c1'), never, () => heard.push('waits'));
    calls.handleWaiting(client, 'ses_2', { callId: 'c1' });
    expect(heard).toEqual([]);
    calls.handleWaiting(client, 'ses_1', { callId: 'c1', ms: 600_000 });
    calls.handleWaiting(client, 'ses_1', { callId: 'c1', ms: 0 });
    expect(heard).toEqual(['waits']);
  });

  test('[BRIDGE46] only the client that has the call may say so, and only of that call', async () => {
    const { clock, calls, client } = setup();
    const outcome = calls.call(client, payload('c1'), never);
    calls.handleWaiting(
      clientOf(() => undefined),
      'ses_1',
      { callId: 'c1' },
    );
    calls.handleWaiting(client, 'ses_2', { callId: 'c1' });
    calls.handleWaiting(client, 'ses_1', { callId: 'c2' });
    clock.advance(30_000);
    expect(await outcome).toEqual({ kind: 'timeout' });
  });

  test('[BRIDGE46] a person who is asked takes longer than their time: the call is given up', async () => {
    const { clock, calls, client } = setup();
    const outcome = calls.call(client, payload('c1'), never);
    calls.handleWaiting(client, 'ses_1', { callId: 'c1', ms: 600_000 });
    clock.advance(630_000);
    expect(await outcome).toEqual({ kind: 'timeout' });
  });

  test('[BRIDGE46] the longest time is one that a timer can wait', async () => {
    const { calls, client, clock } = setup();
    const waits: number[] = [];
    const after = clock.after.bind(clock);
    clock.after = (ms, task) => {
      waits.push(ms);
      return after(ms, task);
    };
    void calls.call(client, payload('c1'), never);
    calls.handleWaiting(client, 'ses_1', { callId: 'c1', ms: Number.MAX_SAFE_INTEGER });
    expect(waits).toEqual([30_000, 2 ** 31 - 1]);
  });

  test('[BRIDGE46] [LINK20] a client that dies while a person is asked is noticed', async () => {
    const { clock, calls, client } = setup();
    const outcome = calls.call(client, payload('c1'), never);
    calls.handleWaiting(client, 'ses_1', { callId: 'c1' });
    calls.handleDisconnect(client);
    clock.advance(15_000);
    expect(await outcome).toEqual({ kind: 'lost' });
  });

  test('[LINK20] the calls of a client that stays away 15 s are lost, not those of others', async () => {
    const { clock, calls, client, sent } = setup();
    const other = clientOf(() => undefined);
    const lost = [
      calls.call(client, payload('c1'), never),
      calls.call(client, payload('c2'), never),
    ];
    const kept = calls.call(other, payload('c3'), never);
    calls.handleDisconnect(client);
    clock.advance(15_000);
    expect(await Promise.all(lost)).toEqual([{ kind: 'lost' }, { kind: 'lost' }]);
    // A returning client is told, so that it stops asking its person.
    const given = sent.filter(({ type }) => type === 'tool.cancel');
    expect(given.map(({ payload: said }) => said)).toMatchObject([
      { callId: 'c1' },
      { callId: 'c2' },
    ]);
    calls.answer(other, 'ses_1', { callId: 'c3', ok: true, audit });
    expect(await kept).toMatchObject({ kind: 'result' });
  });

  test('[LINK20] a client that comes back is sent its calls again and may still answer', async () => {
    const { clock, calls, client, sent } = setup();
    const outcome = calls.call(client, payload('c1'), never);
    calls.handleDisconnect(client);
    clock.advance(14_999);
    calls.handleReconnect(client);
    clock.advance(10_000);
    expect(sent.map(({ type, payload: said }) => [type, said])).toEqual([
      ['tool.call', payload('c1')],
      ['tool.call', payload('c1')],
    ]);
    const result = { callId: 'c1', ok: true, output: 'done', audit };
    expect(calls.answer(client, 'ses_1', result)).toBe(true);
    expect(await outcome).toEqual({ kind: 'result', result });
    calls.handleReconnect(client);
    expect(sent).toHaveLength(2);
  });

  test('[BRIDGE43] an abort, also one that was there before, cancels the call', async () => {
    const { calls, sent, client } = setup();
    const abort = new AbortController();
    const outcome = calls.call(client, payload('c1'), abort.signal);
    abort.abort();
    expect(await outcome).toEqual({ kind: 'cancelled' });
    expect(await calls.call(client, payload('c2'), abort.signal)).toEqual({ kind: 'cancelled' });
    const types = ['tool.call', 'tool.cancel', 'tool.call', 'tool.cancel'];
    expect(sent.map(({ type }) => type)).toEqual(types);
  });

  test('[BRIDGE43] a call that can’t be sent is refused, and nothing is out', async () => {
    const { clock, calls } = setup();
    const client = clientOf(() => {
      throw new WireError('too_large', 'too large');
    });
    const refused = async () => calls.call(client, payload('c1'), never);
    await expect(refused()).rejects.toMatchObject({ code: 'too_large' });
    clock.advance(60_000);
    expect(calls.answer(client, 'ses_1', { callId: 'c1', ok: true, audit })).toBe(false);
  });
});
