import { beforeEach, describe, expect, test } from 'vitest';
import { WireError } from '../../src/protocol/wire-error';
import { flushPromises } from '../wire/manual-clock';
import { LinkedWorld, STATE } from './linked-world';

let w: LinkedWorld;

beforeEach(async () => {
  w = new LinkedWorld();
  await w.connect();
});

describe('connecting again', () => {
  test('[LINK5] what was missed comes once and in order, tokens of a part joined', async () => {
    w.token('a');
    w.token('b');
    w.pair.cut(); // both are on their way
    await flushPromises();
    expect(w.text()).toBe('');
    w.token('c');
    w.token('d');
    w.publish({ type: 'turn.end', sessionId: 'ses_1', payload: { reason: 'completed' } });
    await w.clock.advance(250);
    expect(
      w.events.map(({ type, payload }) => [type, 'delta' in payload && payload.delta]),
    ).toEqual([
      ['stream.token', 'a'],
      ['stream.token', 'b'],
      ['stream.token', 'cd'],
      ['turn.end', false],
    ]);
  });

  test('[LINK5] what had arrived does not come again, acknowledged or not', async () => {
    w.token('a');
    await flushPromises();
    await w.reconnect();
    w.token('b');
    await w.clock.advance(1000);
    await w.reconnect(() => w.token('c'));
    expect(w.text()).toBe('abc');
  });

  test('[LINK6] what the bridge may not have is sent again, and served once', async () => {
    w.connection.send({ type: 'session.interrupt', sessionId: 'ses_1', payload: {} });
    w.pair.cut();
    await flushPromises();
    expect(w.served.filter(({ type }) => type === 'session.interrupt')).toHaveLength(0);
    await w.clock.advance(250);
    expect(w.served.filter(({ type }) => type === 'session.interrupt')).toHaveLength(1);
    await w.reconnect();
    expect(w.served.filter(({ type }) => type === 'session.interrupt')).toHaveLength(1);
  });

  test('[LINK6] what was served and not acknowledged is not served again', async () => {
    w.connection.send({ type: 'session.interrupt', sessionId: 'ses_1', payload: {} });
    await flushPromises(); // sooner than the acknowledgement
    await w.reconnect();
    await w.reconnect();
    expect(w.served.filter(({ type }) => type === 'session.interrupt')).toHaveLength(1);
  });

  test('[LINK7] a request about a session outlives its connection', async () => {
    const draft = { type: 'session.message', sessionId: 'ses_1', payload: { text: 'go' } } as const;
    w.refuse = new WireError('bad_message', 'There is no agent “x”.');
    const answer = w.connection.request(draft, 10_000);
    await Promise.all([
      expect(answer).rejects.toMatchObject({ code: 'bad_message' }),
      w.reconnect(),
    ]);
    expect(w.served.filter(({ type }) => type === 'session.message')).toHaveLength(1);
  });

  test('[LINK7] one whose time is over before the bridge heard it is never sent', async () => {
    const draft = { type: 'session.message', sessionId: 'ses_1', payload: { text: 'go' } } as const;
    const answer = w.connection.request(draft, 100);
    w.pair.cut();
    await Promise.all([
      expect(answer).rejects.toMatchObject({ code: 'timeout' }),
      w.clock.advance(1000),
    ]);
    expect(w.connection.state.kind).toBe('connected');
    w.connection.send({ type: 'session.interrupt', sessionId: 'ses_1', payload: {} });
    await flushPromises();
    const types = w.served.map(({ type }) => type);
    expect([types.includes('session.message'), types.includes('session.interrupt')]).toEqual([
      false,
      true,
    ]);
  });

  test('[LINK29] a client that no longer keeps what the bridge lacks starts anew, and goes on', async () => {
    const draft = { type: 'session.message', sessionId: 'ses_1', payload: { text: 'go' } } as const;
    const lost = w.connection.request(draft, 10_000);
    w.pages = [STATE];
    const later = w.reconnect(() => w.clock.set(15 * 60_000 + 1)); // lost on the way
    await Promise.all([expect(lost).rejects.toMatchObject({ code: 'cancelled' }), later]);
    w.connection.send({ type: 'session.interrupt', sessionId: 'ses_1', payload: {} });
    await flushPromises();
    expect([w.connection.state.kind, w.pair.closedWith]).toEqual(['connected', undefined]);
    expect(w.served.at(-1)?.type).toBe('session.interrupt');
    expect(w.events).toMatchObject([{ type: 'snapshot', payload: { resync: true } }]);
  });

  test('[LINK8] after a restart of the bridge sessions come as flagged snapshots, and go on', async () => {
    w.token('a');
    await flushPromises();
    w.pages = [
      { ...STATE, title: 'One' },
      { ...STATE, title: 'Two' },
    ];
    w.restart();
    await flushPromises();
    await w.clock.advance(250);
    const pages = w.events.filter(({ type }) => type === 'snapshot').map(({ payload }) => payload);
    expect(pages).toMatchObject([
      { resync: true, uptoSeq: 1, part: 1, more: true, state: { title: 'One' } },
      { resync: true, uptoSeq: 1, part: 2, more: false, state: { title: 'Two' } },
    ]);
    w.token('b');
    await flushPromises();
    await w.reconnect(() => w.token('c'));
    expect([w.text(), w.reads]).toEqual(['abc', 1]);
  });

  test('[LINK8] where the ring can’t reach back, only that session comes as a snapshot', async () => {
    w.sessions = ['ses_1', 'ses_2'];
    await w.reconnect();
    w.pages = [STATE];
    await w.reconnect(() => {
      w.token('kept', 'ses_2');
      for (let n = 0; n < 4100; n++) {
        w.publish({ type: 'progress.update', sessionId: 'ses_1', payload: { kind: 'compacted' } });
      }
    });
    const types = w.events.map(({ type, sessionId }) => `${sessionId} ${type}`);
    expect(types.sort()).toEqual(['ses_1 snapshot', 'ses_2 stream.token']);
    w.token('on');
    await flushPromises();
    expect(w.text()).toBe('on');
  });

  test('[BRIDGE27] a look at a session that is read anew comes behind its pages', async () => {
    w.token('a');
    await flushPromises();
    w.pages = [STATE];
    w.restart();
    const order: string[] = [];
    w.bus.onAll(({ type }) => order.push(type));
    let read = (): void => undefined;
    w.reading = () => new Promise((resolve) => (read = resolve));
    await flushPromises();
    await w.clock.advance(250);
    const look = { type: 'session.look', sessionId: 'ses_1', payload: {} } as const;
    const asked = w.connection.request(look, 10_000).then(() => order.push('look'));
    await flushPromises();
    const replyTo = w.served.find(({ type }) => type === 'session.look')?.id;
    const payload = { status: 'idle' } as const;
    w.publish({ type: 'session.stands', sessionId: 'ses_1', replyTo, payload });
    await flushPromises();
    expect(order).toEqual([]);
    read();
    await asked;
    expect(order).toEqual(['snapshot', 'look']);
  });

  test('[LINK9] after a restart nothing is sent again but an answer to what still waits', async () => {
    const payload = { requestId: 'per_1', reply: 'once' } as const;
    w.connection.send({ type: 'permission.response', sessionId: 'ses_1', payload });
    const gone = { requestId: 'per_0', reply: 'once' } as const;
    w.connection.send({ type: 'permission.response', sessionId: 'ses_1', payload: gone });
    const draft = { type: 'session.message', sessionId: 'ses_1', payload: { text: 'go' } } as const;
    const prompt = w.connection.request(draft, 10_000);
    w.pages = [STATE];
    w.restart();
    await Promise.all([
      expect(prompt).rejects.toMatchObject({ code: 'cancelled' }),
      w.clock.advance(250),
    ]);
    const asked = { permission: 'bash', patterns: [], always: [], metadata: {} };
    w.publish({
      type: 'permission.request',
      sessionId: 'ses_1',
      payload: { requestId: 'per_1', ...asked },
    });
    await flushPromises();
    const sent = w.served.filter(({ type }) => type !== 'session.attach');
    expect(sent.map((message) => [message.type, message.payload])).toEqual([
      ['permission.response', payload],
    ]);
  });

  test('[LINK27] clients that only ask something take no place of one that is away', async () => {
    w.token('a');
    await flushPromises();
    const [hello = ''] = w.pair.sent;
    const message = JSON.parse(hello) as { payload: object };
    const payload = { ...message.payload, capabilities: [], resume: [] };
    w.pair.cut();
    await flushPromises();
    w.token('b');
    for (let visits = 0; visits < 20; visits += 1) {
      const visitor = await w.connectWith(JSON.stringify({ ...message, payload }));
      expect(visitor.waiting).toHaveLength(0);
      visitor.cut();
      await flushPromises();
    }
    await w.clock.advance(250);
    expect([w.text(), w.reads]).toEqual(['ab', 0]);
  });

  test('[LINK10] a message that is missing closes the connection, and comes on the next', async () => {
    w.token('a');
    w.pair.waiting.length = 0;
    await flushPromises();
    w.pair.reading = false;
    w.token('b');
    w.pair.waiting.length = 0; // lost on the way
    w.pair.reading = true;
    w.token('c');
    await flushPromises();
    expect(w.text()).toBe('a');
    await w.clock.advance(250);
    expect(w.text()).toBe('abc');
  });

  test('[LINK23] a call that was given up while its client was away is not run when it is back', async () => {
    const payload = {
      tool: 'tasks',
      args: {},
      agent: 'a',
      messageId: 'm',
      originSessionId: 'ses_1',
    };
    const client = w.clients.runner('ses_1');
    if (client === undefined) throw new Error('nobody runs tools');
    const heard = (): string[] =>
      w.events.flatMap((one) => (one.type === 'tool.call' ? [one.payload.callId] : []));
    const abort = new AbortController();
    const kept = w.calls.call(client, { ...payload, callId: 'kept' }, new AbortController().signal);
    const cancelled = w.calls.call(client, { ...payload, callId: 'cancelled' }, abort.signal);
    w.pair.cut(); // both are on their way
    await flushPromises();
    expect(w.clients.runner('ses_1')).toBeUndefined();
    abort.abort();
    expect(await cancelled).toEqual({ kind: 'cancelled' });
    await w.clock.advance(250);
    expect([...new Set(heard())]).toEqual(['kept']);
    const audit = { approved: true, dryRun: false, ms: 1 };
    const result = { callId: 'kept', ok: true, output: 'done', audit };
    w.connection.send({ type: 'tool.result', sessionId: 'ses_1', payload: result });
    await flushPromises();
    expect(await kept).toEqual({ kind: 'result', result });
    w.token('on');
    await flushPromises();
    expect([w.text(), w.pair.closedWith]).toEqual(['on', undefined]);
  });
});
