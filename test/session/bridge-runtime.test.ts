import { beforeEach, describe, expect, test } from 'vitest';
import { BridgeRuntime } from '../../src/core/session/bridge-runtime';
import { ConnectionFixture } from '../wire/connection-fixture';
import { flushPromises } from '../wire/manual-clock';

let c: ConnectionFixture;
let runtime: BridgeRuntime;

beforeEach(async () => {
  c = new ConnectionFixture();
  c.bridge.sessions = [
    { id: 'ses_1', title: 'One', status: 'idle' },
    { id: 'ses_2', title: 'Two', status: 'idle' },
  ];
  await c.connect();
  const here = () => c.connection;
  runtime = new BridgeRuntime({ forSession: here, forRequest: here, forNewSession: here }, c.ids);
});

function busy(sessionId: string): void {
  c.bridge.send({ type: 'progress.update', sessionId, payload: { kind: 'busy' } });
}

describe('start', () => {
  test('[CONN20] starts at the same time get their own sessions, in whatever order these come', async () => {
    const titles = Array.from({ length: 8 }, (_, n) => `Session ${n}`);
    const started = titles.map((title) => runtime.start({ title, agent: 'build' }));
    await flushPromises();
    const asked = c.bridge.all('session.start');
    expect(asked.map(({ payload }) => payload.title)).toEqual(titles);
    c.bridge.created('ses_terminal', 'Begun in the terminal');
    for (const { payload } of asked.toReversed()) {
      c.bridge.created(`ses of ${payload.title}`, payload.title ?? '', payload.requestId);
    }
    expect((await Promise.all(started)).map(({ sessionId }) => sessionId)).toEqual(
      titles.map((title) => `ses of ${title}`),
    );
  });

  test('[CONN20] one of two starts that is refused leaves the other alone', async () => {
    const refused = expect(runtime.start({ title: 'No' })).rejects.toMatchObject({
      code: 'internal',
    });
    const started = runtime.start({ title: 'Yes' });
    await flushPromises();
    const [no, yes] = c.bridge.all('session.start');
    const payload = { code: 'internal', message: 'No model.', retryable: false } as const;
    c.bridge.send({ type: 'error', replyTo: no?.id, payload });
    c.bridge.created('ses_yes', 'Yes', yes?.payload.requestId);
    await refused;
    expect(await started).toEqual({ sessionId: 'ses_yes' });
  });

  test('[CONN21] a start that is not answered times out after 60 s; a late answer resolves nothing', async () => {
    const timers = c.clock.timers;
    const started = expect(runtime.start()).rejects.toMatchObject({ code: 'timeout' });
    await c.clock.advance(59_999);
    expect(c.clock.timers).toBe(timers + 1);
    await c.clock.advance(1);
    await started;
    expect(c.clock.timers).toBe(timers);
    const next = runtime.start();
    await flushPromises();
    const [late, now] = c.bridge.all('session.start');
    c.bridge.created('ses_late', 'Late', late?.payload.requestId);
    c.bridge.created('ses_now', 'Now', now?.payload.requestId);
    expect(await next).toEqual({ sessionId: 'ses_now' });
  });

  test('[CONN21] a start is rejected when the connection goes', async () => {
    const started = expect(runtime.start()).rejects.toMatchObject({ code: 'cancelled' });
    await flushPromises();
    c.bridge.closeConnection(1006);
    await started;
  });
});

describe('send', () => {
  test('[CONN22] a message is taken when its session shows work, not another', async () => {
    const order: string[] = [];
    const one = runtime.send('ses_1', 'Plan it', { agent: 'plan' }).then(() => order.push('one'));
    await flushPromises();
    expect(c.bridge.all('session.message')[0]).toMatchObject({
      sessionId: 'ses_1',
      payload: { text: 'Plan it', agent: 'plan' },
    });
    busy('ses_2');
    await flushPromises();
    expect(order).toEqual([]);
    busy('ses_1');
    await one;
    expect(order).toEqual(['one']);
  });

  test('[CONN22] a message that is refused rejects with the reason', async () => {
    const sent = expect(runtime.send('ses_1', 'Plan it')).rejects.toMatchObject({
      code: 'unknown_session',
      message: 'There is no such session.',
    });
    await flushPromises();
    const replyTo = c.bridge.all('session.message')[0]?.id;
    const payload = {
      code: 'unknown_session',
      message: 'There is no such session.',
      retryable: false,
    } as const;
    c.bridge.send({ type: 'error', sessionId: 'ses_1', replyTo, payload });
    await sent;
  });

  test('[CONN22] tokens, calls and the end of a turn that ran before say nothing of a message', async () => {
    const sent = expect(runtime.send('ses_1', 'And this')).rejects.toMatchObject({
      message: 'This session is full.',
    });
    await flushPromises();
    const told = { messageId: 'm', partId: 'p', delta: 'words' };
    c.bridge.send({ type: 'stream.token', sessionId: 'ses_1', payload: told });
    const call = { callId: 'c', tool: 'bash', status: 'running' } as const;
    c.bridge.send({ type: 'tool.update', sessionId: 'ses_1', payload: call });
    c.bridge.send({ type: 'turn.end', sessionId: 'ses_1', payload: { reason: 'completed' } });
    await flushPromises();
    const replyTo = c.bridge.all('session.message')[0]?.id;
    const payload = {
      code: 'conflict',
      message: 'This session is full.',
      retryable: false,
    } as const;
    c.bridge.send({ type: 'error', sessionId: 'ses_1', replyTo, payload });
    await sent;
  });

  test('[CONN22] what shows no work takes no message', async () => {
    const sent = expect(runtime.send('ses_1', 'Plan it')).rejects.toMatchObject({
      code: 'timeout',
    });
    await flushPromises();
    c.bridge.send({ type: 'progress.update', sessionId: 'ses_1', payload: { kind: 'idle' } });
    c.bridge.send({
      type: 'progress.update',
      sessionId: 'ses_1',
      payload: { kind: 'title', title: 'Other' },
    });
    await c.clock.advance(60_000);
    await sent;
  });
});

describe('the rest', () => {
  test('[CONN23] interrupts and answers go out with their session and request', async () => {
    await runtime.interrupt('ses_1');
    await runtime.answerPermission('ses_1', 'per_1', 'reject', 'Not this file.');
    await runtime.answerPermission('ses_1', 'per_2', 'once');
    await runtime.answerQuestion('ses_2', 'que_1', [['A', 'B'], []]);
    await flushPromises();
    expect(
      c.bridge.received.slice(-4).map(({ type, sessionId, payload }) => [type, sessionId, payload]),
    ).toEqual([
      ['session.interrupt', 'ses_1', {}],
      [
        'permission.response',
        'ses_1',
        { requestId: 'per_1', reply: 'reject', message: 'Not this file.' },
      ],
      ['permission.response', 'ses_1', { requestId: 'per_2', reply: 'once' }],
      ['question.response', 'ses_2', { requestId: 'que_1', answers: [['A', 'B'], []] }],
    ]);
  });

  test('[CONN24] without a connection everything rejects, and nothing is kept for later', async () => {
    c.connection.disconnect();
    const attempts = [
      runtime.start(),
      runtime.send('ses_1', 'Hello'),
      runtime.interrupt('ses_1'),
      runtime.answerPermission('ses_1', 'per_1', 'once'),
      runtime.answerQuestion('ses_1', 'que_1', []),
      runtime.rename('ses_1', 'New'),
      runtime.remove('ses_1'),
      runtime.compact('ses_1'),
      runtime.history('ses_1', undefined, 10),
      runtime.catalog(),
    ];
    for (const attempt of attempts) {
      await expect(attempt).rejects.toMatchObject({ code: 'cancelled', retryable: true });
    }
    const before = c.bridge.received.length;
    await c.connect();
    expect(c.bridge.received.slice(before).map(({ type }) => type)).toEqual([
      'hello',
      'session.attach',
      'session.attach',
    ]);
  });
});
