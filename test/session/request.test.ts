import { beforeEach, describe, expect, test } from 'vitest';
import { ConnectionFixture } from '../wire/connection-fixture';
import { flushPromises } from '../wire/manual-clock';

let c: ConnectionFixture;

beforeEach(() => {
  c = new ConnectionFixture();
});

describe('requests', () => {
  const ask = { type: 'catalog.get', payload: {} } as const;

  test('[CONN16] a request resolves with the message that replies to it', async () => {
    await c.connect();
    const timers = c.clock.timers;
    const first = c.connection.request(ask, 1_000);
    const second = c.connection.request(ask, 1_000);
    await flushPromises();
    const [one, two] = c.bridge.all('catalog.get');
    c.bridge.send({
      type: 'catalog',
      replyTo: two?.id,
      payload: { agents: [{ name: '2' }], models: [] },
    });
    c.bridge.send({
      type: 'catalog',
      replyTo: one?.id,
      payload: { agents: [{ name: '1' }], models: [] },
    });
    expect([await first, await second].map((answer) => answer.payload)).toEqual([
      { agents: [{ name: '1' }], models: [] },
      { agents: [{ name: '2' }], models: [] },
    ]);
    expect(c.clock.timers).toBe(timers);
  });

  test('[CONN16] a request rejects with the error that replies to it', async () => {
    await c.connect();
    const asked = c.connection.request(ask, 1_000);
    await flushPromises();
    const replyTo = c.bridge.all('catalog.get')[0]?.id;
    c.bridge.send({
      type: 'error',
      replyTo,
      payload: { code: 'busy', message: 'Later.', retryable: true },
    });
    await expect(asked).rejects.toMatchObject({ code: 'busy', message: 'Later.', retryable: true });
  });

  test('[LINK28] a request ends with an answer that can’t be read, not with a message of an unknown type', async () => {
    await c.connect();
    const asked = c.connection.request(ask, 1_000);
    await flushPromises();
    const replyTo = c.bridge.all('catalog.get')[0]?.id;
    const { timers } = c.clock;
    c.bridge.sendRaw(JSON.stringify({ v: 1, type: 'soon', id: 'x1', ts: 1, replyTo, payload: {} }));
    await flushPromises();
    expect(c.clock.timers).toBe(timers);
    const models = Array.from({ length: 5_000 }, (_, n) => ({ id: `m/${n}` }));
    const payload = { agents: [], models };
    c.bridge.sendRaw(JSON.stringify({ v: 1, type: 'catalog', id: 'x2', ts: 1, replyTo, payload }));
    await expect(asked).rejects.toMatchObject({ code: 'bad_message' });
    expect(c.clock.timers).toBe(timers - 1);
    expect(c.connection.state.kind).toBe('connected');
  });

  test('[CONN16] a request that nobody answers times out, and leaves nothing behind', async () => {
    await c.connect();
    const timers = c.clock.timers;
    const asked = expect(c.connection.request(ask, 1_000)).rejects.toMatchObject({
      code: 'timeout',
    });
    await c.clock.advance(1_000);
    await asked;
    expect(c.clock.timers).toBe(timers);
    c.bridge.send({
      type: 'catalog',
      replyTo: c.bridge.all('catalog.get')[0]?.id,
      payload: { agents: [], models: [] },
    });
    await flushPromises();
    expect(c.connection.state.kind).toBe('connected');
  });

  test.each([
    ['a loss', () => c.bridge.closeConnection(1006)],
    ['a disconnect', () => c.connection.disconnect()],
    ['a close', () => c.connection.close()],
  ])('[CONN15] %s rejects all that is pending', async (_, end) => {
    await c.connect();
    const asked = [c.connection.request(ask, 1_000), c.connection.request(ask, 1_000)];
    const rejected = asked.map((one) => expect(one).rejects.toMatchObject({ code: 'cancelled' }));
    end();
    await flushPromises();
    await Promise.all(rejected);
  });

  test('[CONN16] without a connection nothing is sent', async () => {
    expect(c.connection.send({ type: 'session.list', payload: {} })).toBe(false);
    await expect(c.connection.request(ask, 1_000)).rejects.toMatchObject({ code: 'cancelled' });
    await c.connect();
    expect(c.connection.send({ type: 'session.list', payload: {} })).toBe(true);
    c.connection.disconnect();
    expect(c.connection.send({ type: 'session.list', payload: {} })).toBe(false);
  });

  test('[CONN3] a list that was asked for refreshes the sessions too', async () => {
    await c.connect();
    c.bridge.sessions = [{ id: 'ses_1', title: 'One', status: 'idle' }];
    c.bridge.answer = (message) => {
      if (message.type !== 'session.list') return false;
      c.bridge.welcome(message.id);
      return true;
    };
    await c.connection.request({ type: 'session.list', payload: {} }, 1_000);
    await flushPromises();
    expect(c.bridge.all('session.attach').map(({ sessionId }) => sessionId)).toEqual(['ses_1']);
    expect(c.kinds).toEqual(['connecting', 'connected']);
  });
});
