import { beforeEach, describe, expect, test } from 'vitest';
import { flushPromises } from '../wire/manual-clock';
import { LinkedWorld } from './linked-world';

let w: LinkedWorld;
const KIB = 1024;

beforeEach(async () => {
  w = new LinkedWorld();
  w.connection.connect();
  await flushPromises();
  w.pair.reading = false;
});

/** Numbered tokens of 16 KiB each. */
function tokens(from: number, count: number): string {
  const all = Array.from({ length: count }, (_, n) => `${from + n} `.padEnd(16 * KIB, '.'));
  for (const delta of all) w.token(delta);
  return all.join('');
}

function frames(type: string): number {
  return w.pair.waiting.filter((text) => text.includes(`"type":"${type}"`)).length;
}

const ASK = { permission: 'bash', patterns: [], always: [], metadata: {} };

describe('a client that reads slowly', () => {
  test('[LINK11] [LINK12] tokens are joined and wait, requests don’t, and no text is lost', async () => {
    const first = tokens(0, 64);
    const sent = frames('stream.token');
    expect(sent).toBeGreaterThanOrEqual(63);
    const rest = tokens(64, 64);
    expect(frames('stream.token')).toBeLessThan(sent + 4);
    w.publish({
      type: 'permission.request',
      sessionId: 'ses_1',
      payload: { requestId: 'per_1', ...ASK },
    });
    expect(frames('permission.request')).toBe(1);
    w.pair.read();
    await flushPromises();
    const asked = w.events.findIndex(({ type }) => type === 'permission.request');
    const last = w.events.findLastIndex(({ type }) => type === 'stream.token');
    expect(asked).toBeLessThan(last);
    expect(w.text()).toBe(first + rest);
    expect(w.events.length).toBeLessThan(100);
  });

  test('[LINK26] a client that reads is not closed for what comes in one moment: 50 answers of 245 KB, and their tokens', async () => {
    w = new LinkedWorld();
    w.sessions = Array.from({ length: 50 }, (_, n) => `ses_${n}`);
    const { sessions } = w;
    w.connection.connect();
    await flushPromises();
    const text = 'x'.repeat(245_000);
    for (const sessionId of sessions) {
      for (let at = 0; at < text.length; at += 5_000)
        w.token(text.slice(at, at + 5_000), sessionId);
    }
    for (const sessionId of sessions) {
      const payload = { messageId: 'm1', partId: 'p2', text };
      w.publish({ type: 'message.final', sessionId, payload });
    }
    expect(w.pair.closedWith).toBeUndefined();
    for (let round = 0; round < 20; round++) await w.clock.advance(1_000);
    expect(w.pair.closedWith).toBeUndefined();
    for (const sessionId of sessions) expect(w.text(sessionId)).toBe(text);
    const finals = w.events.filter(({ type }) => type === 'message.final');
    expect(finals).toHaveLength(50);
  });

  test('[LINK14] above 8 MiB the connection is closed with 1013, and goes on where it was', async () => {
    const pair = w.pair;
    let text = '';
    for (let n = 0; n < 600; n++) text += tokens(n, 1);
    expect(pair.closedWith).toBeUndefined();
    await w.clock.advance(3_000);
    expect(pair.closedWith).toBe(1013);
    await flushPromises();
    await w.clock.advance(250);
    for (let round = 0; round < 20; round++) await w.clock.advance(300);
    expect(w.text()).toBe(text);
    expect(w.connection.state.kind).toBe('connected');
  });

  test('[LINK26] a client that reads on, however slowly, is not closed; with 32 MiB before it it is at once', async () => {
    const { pair } = w;
    tokens(0, 600);
    for (let round = 0; round < 5; round++) {
      await w.clock.advance(1_000);
      for (let frame = 0; frame < 8; frame++) pair.readOne();
    }
    expect(pair.closedWith).toBeUndefined();
    for (let n = 0; n < 2_400 && pair.closedWith === undefined; n++) tokens(n, 1);
    expect(pair.closedWith).toBe(1013);
  });
});
