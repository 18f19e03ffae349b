import { beforeEach, describe, expect, test } from 'vitest';
import { ConnectionFixture, ENDPOINT } from '../wire/connection-fixture';
import { flushPromises } from '../wire/manual-clock';

let c: ConnectionFixture;

beforeEach(() => {
  c = new ConnectionFixture();
});

describe('connecting', () => {
  test('[CONN1] says hello first, with the folder of the run file, and is connected by the welcome', async () => {
    await c.connect();
    expect(c.kinds).toEqual(['connecting', 'connected']);
    expect(c.connection.state).toEqual({
      kind: 'connected',
      bridge: '0.1.0',
      engine: { name: 'opencode', version: '1.18.33' },
      directory: '/vault',
      features: new Set([
        ...['start', 'prompt', 'interrupt', 'compact', 'rename', 'remove'],
        ...['permissions', 'questions', 'catalog'],
      ]),
    });
    expect(c.bridge.received.map(({ type }) => type)).toEqual(['hello']);
    expect(c.bridge.all('hello')[0]?.payload).toEqual({
      client: 'test',
      version: '0.1.0',
      vault: 'Demo',
      capabilities: ['tools'],
      folder: 'folder-1',
      attempt: 1,
    });
  });

  test('[CONN1] without a run file of the vault no folder is said', async () => {
    c.endpoint = { url: ENDPOINT.url, token: ENDPOINT.token };
    await c.connect();
    expect(c.bridge.all('hello')[0]?.payload.folder).toBeUndefined();
  });

  test('[CONN2] connecting twice is one connection', async () => {
    c.connection.connect();
    c.connection.connect();
    await flushPromises();
    c.connection.connect();
    await flushPromises();
    expect([c.bridge.connections, c.kinds]).toEqual([1, ['connecting', 'connected']]);
  });

  test('[CONN3] attaches to the sessions of the welcome and to those created later', async () => {
    c.bridge.sessions = [
      { id: 'ses_1', title: 'One', status: 'idle' },
      { id: 'ses_2', title: 'Two', status: 'busy' },
    ];
    await c.connect();
    c.bridge.created('ses_3', 'Three');
    await flushPromises();
    expect(c.bridge.all('session.attach').map(({ sessionId }) => sessionId)).toEqual([
      'ses_1',
      'ses_2',
      'ses_3',
    ]);
  });

  test('[CONN4] the sessions of a welcome are told before the state, and known to the bus', async () => {
    const order: string[] = [];
    c.bridge.sessions = [{ id: 'ses_1', title: 'One', status: 'idle' }];
    c.connection.onWelcome(({ sessions }) =>
      order.push(`welcome ${sessions.length} ${c.bus.size}`),
    );
    c.connection.onState(({ kind }) => order.push(kind));
    await c.connect();
    expect(order).toEqual(['connecting', 'welcome 1 1', 'connected']);
  });

  test('[CONN14] a bridge that does not welcome in 10 s is given up, and tried again', async () => {
    c.bridge.isAnswering = false;
    await c.connect();
    await c.clock.advance(9_999);
    expect(c.connection.state).toEqual({ kind: 'connecting' });
    await c.clock.advance(1);
    expect(c.connection.state).toMatchObject({ kind: 'reconnecting', attempt: 1, reason: 'dead' });
    expect(c.bridge.closedWith).toBe(4408);
  });
});

describe('messages', () => {
  test('[CONN17] messages about sessions go to the bus, and to no session but theirs', async () => {
    const heard: string[] = [];
    c.bridge.sessions = [
      { id: 'ses_1', title: 'One', status: 'idle' },
      { id: 'ses_2', title: 'Two', status: 'idle' },
    ];
    await c.connect();
    c.bus.onSession('ses_1', ({ type }) => heard.push(`1 ${type}`));
    c.bus.onSession('ses_2', ({ type }) => heard.push(`2 ${type}`));
    const payload = { messageId: 'm', partId: 'p', delta: 'x' };
    c.bridge.send({ type: 'stream.token', sessionId: 'ses_2', payload });
    c.bridge.send({ type: 'stream.token', sessionId: 'ses_9', payload });
    const refusal = { code: 'busy', message: 'Later.', retryable: true } as const;
    c.bridge.send({ type: 'error', sessionId: 'ses_1', payload: refusal });
    c.bridge.send({ type: 'error', payload: refusal });
    await flushPromises();
    expect(heard).toEqual(['2 stream.token', '1 error']);
    expect(c.bus.counters.unknownSession).toBe(1);
  });

  test('[CONN17] a frame that is refused is noted, and the connection goes on', async () => {
    await c.connect();
    c.bridge.sendRaw('{"v":1');
    c.bridge.sendRaw('{"v":1,"id":"1","ts":1,"type":"from.the.future","payload":{}}');
    await flushPromises();
    expect(c.notes).toEqual([
      'A frame of the bridge was refused.',
      'A frame of the bridge was refused.',
    ]);
    expect(c.connection.state.kind).toBe('connected');
  });

  test('[CONN17] before the welcome nothing is listened to', async () => {
    c.bridge.answer = ({ type }) => {
      if (type === 'hello') c.bridge.created('ses_1', 'Too early');
      return false;
    };
    const heard: string[] = [];
    c.bus.onAll(({ type }) => heard.push(type));
    await c.connect();
    expect([c.connection.state.kind, heard]).toEqual(['connected', []]);
  });
});

describe('ending', () => {
  test('[CONN15] disconnected by a person, it stays so', async () => {
    await c.connect();
    c.connection.disconnect();
    await flushPromises();
    expect(c.connection.state).toEqual({ kind: 'disconnected', reason: 'off' });
    expect([c.bridge.closedWith, c.clock.timers]).toEqual([1000, 0]);
    c.connection.retryNow();
    await c.clock.advance(60_000);
    expect([c.bridge.connections, c.searchCount]).toEqual([1, 1]);
    await c.connect();
    expect([c.bridge.connections, c.connection.state.kind]).toEqual([2, 'connected']);
  });

  test('[CONN15] disconnected while it looks, what is found is not used', async () => {
    c.connection.connect();
    c.connection.disconnect();
    await flushPromises();
    expect([c.bridge.connections, c.connection.state.kind]).toEqual([0, 'disconnected']);
  });

  test('[CONN15] closing may be repeated, leaves no timer, and is for good', async () => {
    await c.connect();
    c.connection.close();
    c.connection.close();
    c.connection.connect();
    await flushPromises();
    expect([c.bridge.connections, c.clock.timers]).toEqual([1, 0]);
    expect(c.connection.state).toEqual({ kind: 'disconnected', reason: 'off' });
  });

  test('[CONN19] a listener that throws or reacts hurts no other, and all see the same order', async () => {
    const seen: string[] = [];
    c.connection.onState((state) => {
      if (state.kind === 'connected') c.connection.disconnect();
      throw new Error('on purpose');
    });
    const undo = c.connection.onState(({ kind }) => seen.push(kind));
    await c.connect();
    expect(seen).toEqual(['connecting', 'connected', 'disconnected']);
    undo();
    undo();
    await c.connect();
    expect(seen).toHaveLength(3);
    expect(c.notes).toContain('A listener threw.');
  });
});
