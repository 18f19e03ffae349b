import { beforeEach, describe, expect, test } from 'vitest';
import { BridgeRuntime } from '../../src/core/session/bridge-runtime';
import { isFeatureAvailable } from '../../src/core/session/connection';
import type { SessionEvent } from '../../src/core/session/session-event-bus';
import { ConnectionFixture } from '../wire/connection-fixture';
import { flushPromises } from '../wire/manual-clock';

let c: ConnectionFixture;
let runtime: BridgeRuntime;
let heard: SessionEvent['type'][];

async function connect(features: string[] | undefined): Promise<void> {
  c = new ConnectionFixture();
  c.bridge.sessions = [{ id: 'ses_1', title: 'One', status: 'idle' }];
  c.bridge.features = features;
  await c.connect();
  const here = () => c.connection;
  runtime = new BridgeRuntime({ forSession: here, forRequest: here, forNewSession: here }, c.ids);
  heard = [];
  c.bus.onAll(({ type }) => heard.push(type));
}

beforeEach(() => connect(['keys', 'of later']));

function busy(): void {
  c.bridge.send({ type: 'progress.update', sessionId: 'ses_1', payload: { kind: 'busy' } });
}

describe('keys', () => {
  test('[CONN28] a message with a key is taken when the bridge says so, new or there before', async () => {
    for (const before of [false, true]) {
      const sent = runtime.send('ses_1', 'Go', { key: 'k' });
      let done = false;
      void sent.then(() => (done = true));
      await flushPromises();
      const message = c.bridge.all('session.message').at(-1);
      expect(message?.payload).toEqual({ text: 'Go', key: 'k' });
      busy();
      await flushPromises();
      expect(done).toBe(false);
      const payload = { messageId: 'msg_1', before };
      c.bridge.send({ type: 'prompt.taken', sessionId: 'ses_1', replyTo: message?.id, payload });
      expect(await sent).toEqual({ before });
    }
    expect(heard).not.toContain('prompt.taken');
  });

  test('[CONN28] a start carries its key', async () => {
    const started = runtime.start({ title: 'Work', key: 'k' });
    await flushPromises();
    const { payload } = c.bridge.all('session.start')[0] ?? {};
    expect(payload).toMatchObject({ title: 'Work', key: 'k' });
    c.bridge.created('ses_2', 'Work', payload?.requestId);
    expect(await started).toEqual({ sessionId: 'ses_2' });
  });

  test('[CONN28] a bridge that does not know keys is sent nothing with one, and the rest as ever', async () => {
    expect(isFeatureAvailable(c.connection.state, 'keys')).toBe(true);
    for (const features of [undefined, []]) {
      await connect(features);
      expect(isFeatureAvailable(c.connection.state, 'keys')).toBe(false);
      await expect(runtime.send('ses_1', 'Go', { key: 'k' })).rejects.toMatchObject({
        code: 'version',
        retryable: false,
      });
      await expect(runtime.start({ key: 'k' })).rejects.toMatchObject({ code: 'version' });
      expect([c.bridge.all('session.message'), c.bridge.all('session.start')]).toEqual([[], []]);
      const sent = runtime.send('ses_1', 'Go');
      await flushPromises();
      busy();
      expect(await sent).toEqual({ before: false });
    }
  });

  test('[CONN24][CONN28] without a connection, it is that which is said', async () => {
    c.connection.disconnect();
    expect(isFeatureAvailable(c.connection.state, 'keys')).toBe(false);
    for (const asked of [runtime.start({ key: 'k' }), runtime.send('ses_1', 'Go', { key: 'k' })]) {
      await expect(asked).rejects.toMatchObject({ code: 'cancelled', retryable: true });
    }
    await expect(runtime.getStatus('ses_1')).rejects.toMatchObject({ code: 'cancelled' });
  });
});

describe('a look', () => {
  const answer = { messageId: 'm', text: 'Done.', end: 'open', error: '' } as const;

  test('[CONN29] resolves after the bus told what came before it', async () => {
    const looked = runtime.getStatus('ses_1');
    let told: readonly string[] = [];
    void looked.then(() => (told = [...heard]));
    await flushPromises();
    const replyTo = c.bridge.all('session.look')[0]?.id;
    const payload = { messageId: 'm', reason: 'completed' } as const;
    c.bridge.send({ type: 'turn.end', sessionId: 'ses_1', payload });
    const stands = { status: 'idle', answer: { ...answer, end: 'completed', key: 'k' } } as const;
    c.bridge.send({ type: 'session.stands', sessionId: 'ses_1', replyTo, payload: stands });
    expect(await looked).toEqual(stands);
    expect(told).toEqual(['turn.end']);
  });

  test('[CONN29] tells an answer without an end as such, and none as none', async () => {
    for (const payload of [{ status: 'busy', answer } as const, { status: 'retry' } as const]) {
      const looked = runtime.getStatus('ses_1');
      await flushPromises();
      const replyTo = c.bridge.all('session.look').at(-1)?.id;
      c.bridge.send({ type: 'session.stands', sessionId: 'ses_1', replyTo, payload });
      const { status } = payload;
      const rest = 'answer' in payload ? { ...answer, end: null } : undefined;
      expect(await looked).toEqual({ status, answer: rest });
    }
  });

  test('[CONN29] rejects where there is no such session', async () => {
    const looked = expect(runtime.getStatus('ses_1')).rejects.toMatchObject({
      code: 'unknown_session',
    });
    await flushPromises();
    const replyTo = c.bridge.all('session.look')[0]?.id;
    const payload = { code: 'unknown_session', message: 'No.', retryable: false } as const;
    c.bridge.send({ type: 'error', replyTo, payload });
    await looked;
  });
});
