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

describe('a session as a whole', () => {
  test('[CONN25] a rename ends with the new title, whoever gave it, or with the reply', async () => {
    const order: string[] = [];
    const told = runtime.rename('ses_1', 'New').then(() => order.push('told'));
    const replied = runtime.rename('ses_2', 'Same').then(() => order.push('replied'));
    await flushPromises();
    const [, second] = c.bridge.all('session.update');
    const title = (sessionId: string, words: string, replyTo?: string): void =>
      c.bridge.send({
        ...{ type: 'progress.update', sessionId, payload: { kind: 'title', title: words } },
        ...(replyTo !== undefined && { replyTo }),
      });
    title('ses_2', 'New');
    title('ses_1', 'Another');
    await flushPromises();
    expect(order).toEqual([]);
    title('ses_1', 'New');
    await told;
    title('ses_2', 'Same', second?.id);
    await replied;
    expect(order).toEqual(['told', 'replied']);
  });

  test('[CONN25] a removal ends with the end of its own session', async () => {
    let removed = false;
    const removal = runtime.remove('ses_1').then(() => void (removed = true));
    await flushPromises();
    expect(c.bridge.all('session.delete').map(({ sessionId }) => sessionId)).toEqual(['ses_1']);
    c.bridge.send({ type: 'session.end', sessionId: 'ses_2', payload: { reason: 'deleted' } });
    await flushPromises();
    expect(removed).toBe(false);
    c.bridge.send({ type: 'session.end', sessionId: 'ses_1', payload: { reason: 'deleted' } });
    await removal;
  });

  test('[CONN25] a compaction is taken when the session works on it or has done it', async () => {
    const first = runtime.compact('ses_1');
    const second = runtime.compact('ses_2');
    const refused = expect(runtime.compact('ses_2')).rejects.toMatchObject({ code: 'conflict' });
    await flushPromises();
    const asked = c.bridge.all('session.compact');
    const payload = {
      code: 'conflict',
      message: 'OpenCode has no model.',
      retryable: false,
    } as const;
    c.bridge.send({ type: 'error', sessionId: 'ses_2', replyTo: asked[2]?.id, payload });
    await refused;
    busy('ses_1');
    await first;
    c.bridge.send({ type: 'progress.update', sessionId: 'ses_2', payload: { kind: 'compacted' } });
    await second;
  });

  test('[CONN26] pages of history reach who asked, in order, and nobody else', async () => {
    const heard: string[] = [];
    c.bus.onAll(({ type }) => heard.push(type));
    const newest = runtime.history('ses_1', undefined, 40);
    const older = runtime.history('ses_1', 'msg_5', 20);
    await flushPromises();
    const [one, two] = c.bridge.all('session.history');
    expect([one?.payload, two?.payload]).toEqual([{ limit: 40 }, { before: 'msg_5', limit: 20 }]);
    page(one?.id, 1, true, 'first');
    page(two?.id, 1, false, 'old');
    page(one?.id, 2, false, 'second');
    page(undefined, 1, false, 'the state now');
    expect((await older).map(({ state }) => state.title)).toEqual(['old']);
    expect((await newest).map(({ state }) => state.title)).toEqual(['first', 'second']);
    await flushPromises();
    expect(heard).toEqual(['snapshot']);
  });

  test('[CONN26] history of which a page is missing is rejected', async () => {
    const cut = expect(runtime.history('ses_1', undefined, 40)).rejects.toMatchObject({
      code: 'timeout',
    });
    await flushPromises();
    page(c.bridge.all('session.history')[0]?.id, 1, true, 'first');
    await c.clock.advance(300_000);
    await cut;
  });

  test('[CONN27] a start and a message carry what they were given, and the catalog what there is', async () => {
    const context = { note: 'Plan.md', selection: 'a line' };
    const board = { session: 'ses_1', agent: 'build' };
    const started = runtime.start({
      title: 'Step',
      parentId: 'ses_1',
      board,
      model: 'a/b',
    });
    const sent = runtime.send('ses_1', 'Go on', { context, model: 'a/c' });
    const offered = runtime.catalog();
    await flushPromises();
    const [start] = c.bridge.all('session.start');
    const [message] = c.bridge.all('session.message');
    expect(start?.payload).toEqual({
      requestId: start?.payload.requestId,
      ...{ title: 'Step', parentId: 'ses_1', board, model: 'a/b' },
    });
    expect(message?.payload).toEqual({ text: 'Go on', context, model: 'a/c' });
    c.bridge.created('ses_3', 'Step', start?.payload.requestId);
    busy('ses_1');
    const payload = { agents: [{ name: 'build' }], models: [{ id: 'a/b' }] };
    c.bridge.send({ type: 'catalog', replyTo: c.bridge.all('catalog.get')[0]?.id, payload });
    expect([await started, await sent, await offered]).toEqual([
      { sessionId: 'ses_3' },
      { before: false },
      payload,
    ]);
  });
});

function page(replyTo: string | undefined, part: number, more: boolean, title: string): void {
  const waiting = { permissions: [], questions: [], todos: [], messages: [] };
  const state = { title, status: 'idle' as const, ...waiting };
  c.bridge.send({
    ...{ type: 'snapshot', sessionId: 'ses_1', payload: { state, uptoSeq: 0, part, more } },
    ...(replyTo !== undefined && { replyTo }),
  });
}
