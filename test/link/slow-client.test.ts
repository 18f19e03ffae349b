import { beforeEach, describe, expect, test } from 'vitest';
import { settled } from '../wire/manual-clock';
import { LinkedWorld } from './linked-world';

let w: LinkedWorld;
const KIB = 1024;

beforeEach(async () => {
  w = new LinkedWorld();
  w.connection.connect();
  await settled();
  w.pair.reading = false;
});

/** Sends tokens of 16 KiB; each has its number. */
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
    await settled();
    const asked = w.events.findIndex(({ type }) => type === 'permission.request');
    const last = w.events.findLastIndex(({ type }) => type === 'stream.token');
    expect(asked).toBeLessThan(last);
    expect(w.text()).toBe(first + rest);
    expect(w.events.length).toBeLessThan(100);
  });

  test('[LINK14] above 8 MiB the connection is closed with 1013, and goes on where it was', async () => {
    const pair = w.pair;
    let text = '';
    for (let n = 0; n < 600 && pair.closedWith === undefined; n++) text += tokens(n, 1);
    expect(pair.closedWith).toBe(1013);
    await settled();
    await w.clock.advance(250);
    for (let round = 0; round < 20; round++) await w.clock.advance(300);
    expect(w.text()).toBe(text);
    expect(w.connection.state.kind).toBe('connected');
  });
});
