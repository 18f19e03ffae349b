import { beforeEach, describe, expect, test } from 'vitest';
import { flushPromises } from '../wire/manual-clock';
import { LinkedWorld, STATE } from './linked-world';

let w: LinkedWorld;

beforeEach(async () => {
  w = new LinkedWorld();
  await w.connect();
});

describe('a frame that is refused', () => {
  test('[LINK25] of the bridge: what follows it goes on, on the same connection', async () => {
    const { pair } = w;
    const payload = { callId: 'c'.repeat(257), tool: 'mcp', status: 'running' } as const;
    w.token('a');
    w.publish({ type: 'tool.update', sessionId: 'ses_1', payload });
    w.token('b');
    await flushPromises();
    expect([w.text(), w.pair === pair]).toEqual(['ab', true]);
    expect(w.connection.counters).toEqual({ duplicate: 0, gap: 0, refused: 1 });
    await w.reconnect(() => w.token('c'));
    expect(w.text()).toBe('abc');
    expect(w.connection.counters.refused).toBe(1);
  });

  test('[LINK25] of the client: it is told so once, and what follows is served once', async () => {
    const { pair } = w;
    const message = (text: string, agent: string) =>
      ({ type: 'session.message', sessionId: 'ses_1', payload: { text, agent } }) as const;
    const refused = w.connection.request(message('one', 'x'.repeat(2_000)), 5_000);
    w.connection.send(message('two', 'build'));
    await expect(refused).rejects.toMatchObject({ code: 'bad_message' });
    await flushPromises();
    expect(w.pair).toBe(pair);
    await w.reconnect();
    const texts = w.served.flatMap((one) =>
      one.type === 'session.message' ? [one.payload.text] : [],
    );
    expect(texts).toEqual(['two']);
  });

  test('[LINK18] a page that the client would refuse comes without its messages', async () => {
    const part = { kind: 'tool', partId: 'p', callId: 'c'.repeat(257), tool: 'mcp' } as const;
    const parts = [{ ...part, status: 'completed' as const }];
    const messages = [{ messageId: 'm', role: 'assistant' as const, created: 1, parts }];
    const todos = [{ content: 'Look', status: 'x'.repeat(2_000) }];
    w.pages = [
      { ...STATE, messages },
      { ...STATE, todos, messages },
    ];
    w.restart();
    await flushPromises();
    await w.clock.advance(250);
    w.token('after');
    await flushPromises();
    expect([w.connection.state.kind, w.text(), w.reads]).toEqual(['connected', 'after', 1]);
    const states = w.events.flatMap((one) => (one.type === 'snapshot' ? [one.payload.state] : []));
    expect(states).toEqual([STATE, STATE]);
  });

  test('[LINK19] a client that has numbered all it may starts anew, and goes on', async () => {
    for (let n = 2; n <= 4097; n++) {
      const payload = { title: 's', directory: '/v' };
      w.clients.publishCreated({ type: 'session.created', sessionId: `s${n}`, payload }, undefined);
    }
    await flushPromises();
    await w.clock.advance(250);
    await w.clock.advance(1_000);
    w.token('after');
    await flushPromises();
    expect([w.connection.state.kind, w.text()]).toEqual(['connected', 'after']);
  });
});
