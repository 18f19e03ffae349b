import { beforeEach, describe, expect, test } from 'vitest';
import { ConnectionFixture } from '../wire/connection-fixture';
import { flushPromises } from '../wire/manual-clock';

let c: ConnectionFixture;

beforeEach(() => {
  c = new ConnectionFixture();
});

describe('heartbeat', () => {
  test('[CONN12] as long as pongs come it lives', async () => {
    await c.connect();
    await c.clock.advance(10 * 60_000);
    expect([c.bridge.connections, c.connection.state.kind]).toEqual([1, 'connected']);
  });

  test('[CONN12] after 25 s of silence it closes with 4408 and connects anew', async () => {
    await c.connect();
    c.bridge.isAnswering = false;
    await c.clock.advance(24_999);
    expect(c.connection.state.kind).toBe('connected');
    await c.clock.advance(1);
    expect(c.connection.state).toMatchObject({ kind: 'reconnecting', reason: 'dead' });
    expect(c.bridge.closedWith).toBe(4408);
    c.bridge.isAnswering = true;
    await c.clock.advance(375);
    expect(c.connection.state.kind).toBe('connected');
  });

  test('[CONN12] any frame is a sign of life', async () => {
    await c.connect();
    c.bridge.isAnswering = false;
    for (let n = 0; n < 10; n++) {
      await c.clock.advance(20_000);
      c.bridge.created(`ses_${n}`, 'Alive');
    }
    await flushPromises();
    expect([c.bridge.connections, c.connection.state.kind]).toEqual([1, 'connected']);
  });

  test('[CONN13] on wake it tries at once what it waited for', async () => {
    c.bridge.isListening = false;
    await c.connect();
    c.bridge.isListening = true;
    c.connection.retryNow();
    await flushPromises();
    expect(c.connection.state.kind).toBe('connected');
  });

  test('[CONN13] on wake it finds a dead connection at once, and pings one that may live', async () => {
    await c.connect();
    c.connection.retryNow();
    await flushPromises();
    expect(c.connection.state.kind).toBe('connected');
    c.bridge.isAnswering = false;
    await c.clock.sleep(3_600_000);
    expect(c.connection.state.kind).toBe('reconnecting');
    c.bridge.isAnswering = true;
    c.connection.retryNow();
    await flushPromises();
    expect([c.bridge.connections, c.connection.state.kind]).toEqual([2, 'connected']);
  });
});
