import { describe, expect, test } from 'vitest';
import type { OpencodeEvent } from '../../workbench/demo/opencode-events';
import { TurnTracker } from '../../workbench/demo/turn-tracker';

const user = (id: string): OpencodeEvent => ({
  type: 'message.updated',
  properties: { info: { id, sessionID: 's', role: 'user', time: {} } },
});
const answer = (id: string, parentID: string, completed?: number): OpencodeEvent => ({
  type: 'message.updated',
  properties: {
    info: {
      ...{ id, sessionID: 's', parentID, role: 'assistant' },
      time: completed === undefined ? {} : { completed },
    },
  },
});
const idle: OpencodeEvent = { type: 'session.idle', properties: { sessionID: 's' } };

/** Index of the event that ended the turn; undefined if none did. */
async function endsAfter(
  watch: TurnTracker,
  events: readonly OpencodeEvent[],
): Promise<number | undefined> {
  let at: number | undefined;
  let current = 0;
  void watch.next('s').then(() => (at ??= current));
  for (const event of events) {
    watch.handleEvent(event);
    await Promise.resolve();
    await Promise.resolve();
    current += 1;
  }
  return at;
}

describe('the end of a turn', () => {
  test('[DEMO7] is the idle after the newest answer to the newest prompt is complete', async () => {
    const events = [user('m1'), answer('m2', 'm1'), idle, answer('m2', 'm1', 5), idle];
    expect(await endsAfter(new TurnTracker(), events)).toBe(4);
  });

  test('[DEMO7] an idle left over from the turn before ends nothing', async () => {
    const watch = new TurnTracker();
    const first = [user('m1'), answer('m2', 'm1', 5), idle];
    expect(await endsAfter(watch, first)).toBe(2);
    const second = [idle, user('m3'), idle, answer('m4', 'm3'), idle, answer('m4', 'm3', 9), idle];
    expect(await endsAfter(watch, second)).toBe(6);
  });

  test('[DEMO7] a late update of an older answer does not make the newer one complete', async () => {
    const events = [
      user('m1'),
      answer('m2', 'm1', 5),
      answer('m3', 'm1'),
      answer('m2', 'm1', 5),
      idle,
    ];
    expect(await endsAfter(new TurnTracker(), events)).toBeUndefined();
  });
});
