import { beforeEach, describe, expect, test } from 'vitest';
import { retryDelay } from '../../src/core/session/connection-manager';
import { ConnectionFixture, ENDPOINT } from '../wire/connection-fixture';
import { flushPromises } from '../wire/manual-clock';

let c: ConnectionFixture;

beforeEach(() => {
  c = new ConnectionFixture();
});

describe('after a loss', () => {
  test('[CONN5] pauses are drawn between 250 ms and a bound that doubles up to 15 s', () => {
    const bounds = [1, 2, 3, 4, 5, 6, 7, 30].map((attempt) => retryDelay(attempt, 0.999999));
    expect(bounds).toEqual([500, 1000, 2000, 4000, 8000, 15000, 15000, 15000]);
    expect([1, 2, 30].map((attempt) => retryDelay(attempt, 0))).toEqual([250, 250, 250]);
    expect(retryDelay(3, 0.5)).toBe(1125);
  });

  test('[CONN5] says which try comes when, and why', async () => {
    await c.connect();
    c.bridge.isListening = false;
    c.bridge.closeConnection(1001);
    await flushPromises();
    const at = c.clock.now() + 375;
    expect(c.connection.state).toMatchObject({
      kind: 'reconnecting',
      attempt: 1,
      at,
      reason: 'closed',
    });
    expect(c.connection.state).toHaveProperty('engine.name', 'opencode');
    await c.clock.advance(375);
    expect(c.connection.state).toMatchObject({
      kind: 'reconnecting',
      attempt: 2,
      at: at + 625,
      reason: 'unreachable',
    });
    c.bridge.isListening = true;
    await c.clock.advance(625);
    expect(c.connection.state.kind).toBe('connected');
    expect(c.kinds.slice(2)).toEqual([
      'reconnecting',
      'connecting',
      'reconnecting',
      'connecting',
      'connected',
    ]);
  });

  test('[CONN5] after a reconnect it attaches to the sessions there are now', async () => {
    c.bridge.sessions = [{ id: 'ses_old', title: 'Old', status: 'idle' }];
    await c.connect();
    c.bridge.sessions = [{ id: 'ses_new', title: 'New', status: 'idle' }];
    c.bridge.closeConnection(1006);
    await c.clock.advance(500);
    expect(c.bridge.all('session.attach').map(({ sessionId }) => sessionId)).toEqual([
      'ses_old',
      'ses_new',
    ]);
    expect(c.bus.size).toBe(1);
  });

  test('[CONN6] asks anew where the bridge is before every try', async () => {
    await c.connect();
    c.bridge.token = 'next-token';
    c.endpoint = { url: 'ws://127.0.0.1:4002/', token: 'next-token', folder: 'folder-2' };
    c.bridge.closeConnection(1006);
    await c.clock.advance(375);
    expect(c.connection.state.kind).toBe('connected');
    expect(c.bridge.triedUrls).toEqual(['ws://127.0.0.1:4001/', 'ws://127.0.0.1:4002/']);
    expect(c.bridge.all('hello')[1]?.payload.folder).toBe('folder-2');
  });

  test('[CONN18] pauses start short again only after a connection that lasted 5 s', async () => {
    await c.connect();
    const attempts: unknown[] = [];
    c.connection.onState((state) => {
      if (state.kind === 'reconnecting') attempts.push(state.attempt);
    });
    for (const lasted of [0, 0, 4_999, 5_000, 0]) {
      await c.clock.advance(lasted);
      c.bridge.closeConnection(1006);
      await flushPromises();
      c.connection.retryNow();
      await flushPromises();
    }
    expect(attempts).toEqual([1, 2, 3, 1, 2]);
  });
});

describe('looking', () => {
  test('[CONN8] with no bridge it stays disconnected, looks every 2 s, and connects when there is one', async () => {
    c.endpoint = undefined;
    await c.connect();
    expect(c.states).toEqual([{ kind: 'disconnected', reason: 'no_bridge' }]);
    await c.clock.advance(6_000);
    expect([c.searchCount, c.states.length]).toEqual([4, 1]);
    c.endpoint = ENDPOINT;
    await c.clock.advance(2_000);
    expect(c.connection.state.kind).toBe('connected');
    await c.clock.advance(8_000);
    expect(c.searchCount).toBe(5);
  });

  test('[CONN8] a look that fails is as good as none', async () => {
    let fail = true;
    c = new ConnectionFixture();
    const found = c.endpoint;
    Object.defineProperty(c, 'endpoint', {
      get: () => {
        if (fail) throw new Error('the folder is gone');
        return found;
      },
    });
    await c.connect();
    expect(c.connection.state).toEqual({ kind: 'disconnected', reason: 'no_bridge' });
    expect(c.notes).toEqual(['Looking for a bridge failed.']);
    fail = false;
    await c.clock.advance(2_000);
    expect(c.connection.state.kind).toBe('connected');
  });

  test('[CONN7] while it waits for a retry, a bridge that is new is taken at once', async () => {
    c.bridge.isListening = false;
    c.random = 0.999999;
    await c.connect();
    await c.clock.advance(500 + 1_000 + 2_000 + 4_000);
    expect(c.connection.state).toMatchObject({ kind: 'reconnecting', attempt: 5 });
    const tries = c.bridge.triedUrls.length;
    await c.clock.advance(2_000);
    expect(c.bridge.triedUrls).toHaveLength(tries);
    c.bridge.isListening = true;
    c.bridge.token = 'next-token';
    c.endpoint = { url: 'ws://127.0.0.1:4002/', token: 'next-token' };
    await c.clock.advance(2_000);
    expect(c.connection.state.kind).toBe('connected');
    expect(c.clock.timers).toBe(1); // the heartbeat
  });

  test('[CONN8] a run file that goes while it reconnects leads back to looking', async () => {
    await c.connect();
    c.endpoint = undefined;
    c.bridge.closeConnection(1001);
    await c.clock.advance(375);
    expect(c.connection.state).toEqual({ kind: 'disconnected', reason: 'no_bridge' });
    c.endpoint = ENDPOINT;
    await c.clock.advance(2_000);
    expect(c.connection.state.kind).toBe('connected');
  });
});

describe('failures', () => {
  test('[CONN9] a refused token is not tried again, until a run file brings another', async () => {
    c.endpoint = { ...ENDPOINT, token: 'stale' };
    await c.connect();
    expect(c.connection.state).toEqual({
      kind: 'failed',
      code: 'token',
      message:
        'The agent’s program did not accept this vault’s key. Restart it here, then connect.',
    });
    c.connection.retryNow();
    await c.clock.advance(120_000);
    expect(c.bridge.triedUrls).toHaveLength(1);
    c.endpoint = ENDPOINT;
    await c.clock.advance(2_000);
    expect(c.connection.state.kind).toBe('connected');
  });

  test('[CONN9] a refused token is tried again when a person asks', async () => {
    c.endpoint = { ...ENDPOINT, token: 'stale' };
    await c.connect();
    await c.connect();
    expect([c.bridge.triedUrls.length, c.connection.state.kind]).toEqual([2, 'failed']);
  });

  test('[CONN10] a run file of another version fails before anything is opened', async () => {
    c.endpoint = { ...ENDPOINT, protocol: 2 };
    await c.connect();
    expect([c.bridge.triedUrls.length, c.connection.state]).toMatchObject([
      0,
      { kind: 'failed', code: 'version' },
    ]);
  });

  test('[CONN10] a bridge that refuses the version, or speaks another, fails', async () => {
    c.bridge.answer = ({ id }) => {
      const payload = { code: 'version', message: 'No.', retryable: false } as const;
      c.bridge.send({ type: 'error', replyTo: id, payload });
      return true;
    };
    await c.connect();
    expect(c.connection.state).toMatchObject({ kind: 'failed', code: 'version' });
    c.bridge.answer = () => {
      c.bridge.sendRaw('{"v":2,"type":"welcome"}');
      return true;
    };
    await c.connect();
    expect(c.kinds).toEqual(['connecting', 'failed', 'connecting', 'failed']);
  });

  test('[CONN11] a client that was replaced does not fight for its place', async () => {
    await c.connect();
    c.bridge.closeConnection(4409, 'replaced');
    await c.clock.advance(60_000);
    expect(c.connection.state).toMatchObject({ kind: 'failed', code: 'replaced' });
    expect(c.bridge.connections).toBe(1);
  });
});
