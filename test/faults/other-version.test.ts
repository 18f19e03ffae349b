import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { startBridge, type LocalBridge } from '../../soak/link/local-bridge';
import { PluginLink } from '../../soak/link/plugin-link';
import { RawClient } from '../../soak/link/raw-client';
import { rawFrame } from '../../soak/link/raw-frame';
import { ConnectionFixture } from '../wire/connection-fixture';
import { flushPromises } from '../wire/manual-clock';

const HELLO = { client: 'later', version: '9', vault: 'v', capabilities: ['tools', 'telepathy'] };

describe('a bridge of this version', () => {
  let bridge: LocalBridge;
  let client: RawClient;

  beforeEach(async () => {
    bridge = await startBridge(['ses_1']);
    client = await RawClient.open(bridge.run.port, bridge.run.token);
  });

  afterEach(async () => {
    client.reset();
    await bridge.close();
  });

  const send = (message: object): void => client.send(rawFrame(JSON.stringify(message)));

  test('[FAULT11] tells a client of the next version so, and closes with 4400', async () => {
    send({ v: 2, id: 'h', ts: 1, type: 'hello', payload: HELLO });
    await client.waitUntil(() => client.code !== undefined);
    expect(client.errors).toEqual(['version']);
    expect(client.code).toBe(4400);
    expect(client.receivedCounts.has('welcome')).toBe(false);
  });

  test('[FAULT11] welcomes a client that says more than it knows, and refuses what it does not know', async () => {
    const payload = { ...HELLO, mood: 'fine', resume: [] };
    send({ v: 1, id: 'h', ts: 1, type: 'hello', payload, extra: { a: 1 } });
    await client.waitUntil(() => client.receivedCounts.has('welcome'));
    send({ v: 1, id: 'n', ts: 1, type: 'session.teleport', sessionId: 'ses_1', payload: {} });
    await client.waitUntil(() => client.errors.length > 0);
    expect(client.errors).toEqual(['unknown_type']);
    expect(await client.isServed('after')).toBe(true);
  });

  test('[FAULT11] a plugin whose bridge says another version does not even knock', async () => {
    const run = { ...bridge.run, protocol: 2 };
    const plugin = new PluginLink(() => ({ port: bridge.run.port, run }));
    const failed = new Promise((resolve) => {
      plugin.connection.onState((state) => state.kind === 'failed' && resolve(state));
    });
    const asked = bridge.opencode.requestCount;
    plugin.connection.connect();
    expect(await failed).toMatchObject({ code: 'version' });
    expect(bridge.opencode.requestCount).toBe(asked);
    plugin.close();
  });
});

describe('a plugin of this version', () => {
  test('[FAULT11] works with an older bridge, which numbers nothing and resumes nothing', async () => {
    const c = new ConnectionFixture();
    c.bridge.sessions = [{ id: 'ses_1', title: 'One', status: 'idle' }];
    const heard: string[] = [];
    c.bus.onAll((event) => {
      if (event.type === 'stream.token') heard.push(event.payload.delta);
    });
    const token = (delta: string): void =>
      c.bridge.send({
        type: 'stream.token',
        sessionId: 'ses_1',
        payload: { messageId: 'm', partId: 'p', delta },
      });
    await c.connect();
    for (const delta of ['a', 'b', 'b']) token(delta);
    await flushPromises();
    c.bridge.closeConnection(1006);
    await c.clock.advance(20_000);
    expect(c.connection.state.kind).toBe('connected');
    expect(c.bridge.all('session.attach')).toHaveLength(2);
    token('c');
    await flushPromises();
    expect(heard).toEqual(['a', 'b', 'b', 'c']);
  });

  test('[FAULT11] works with a later bridge of its version: what it does not know it leaves out', async () => {
    const c = new ConnectionFixture();
    await c.connect();
    c.bridge.sendRaw(
      JSON.stringify({ v: 1, id: 'x', ts: 1, type: 'session.dream', sessionId: 's', payload: {} }),
    );
    await flushPromises();
    expect(c.connection.state.kind).toBe('connected');
    expect(c.notes).toEqual(['A frame of the bridge was refused.']);
  });
});
