import { describe, expect, test } from 'vitest';
import { FrameQueue } from '../../src/obsidian/conversation/use-transcript';

/** A queue whose frames the test triggers. */
function rig() {
  const asked: ((now: number) => void)[] = [];
  const queue = new FrameQueue((frame) => asked.push(frame));
  const drawn: string[] = [];
  let now = 0;
  return {
    queue,
    drawn,
    add: (...names: string[]) => {
      for (const name of names) queue.add(draws(name));
    },
    /** @returns what was drawn in the frame */
    frame: (ms: number) => {
      now += ms;
      for (const one of asked.splice(0)) one(now);
      return drawn.splice(0);
    },
    planned: () => asked.length,
  };

  function draws(name: string): () => void {
    const there = known.get(name) ?? (() => void drawn.push(name));
    known.set(name, there);
    return there;
  }
}

const known = new Map<string, () => void>();
const names = Array.from({ length: 50 }, (_, n) => `view ${n}`);

describe('frames', () => {
  test('[CONV8] each view is drawn once in a frame, however often it changed', () => {
    known.clear();
    const { add, frame, planned } = rig();
    add('a', 'b', 'a', 'a');
    expect(planned()).toBe(1);
    expect(frame(16)).toEqual(['a', 'b']);
    expect(frame(16)).toEqual([]);
    expect(planned()).toBe(0);
  });

  test('[CONV8] one that went away is not drawn', () => {
    const drawn: string[] = [];
    const frames: ((now: number) => void)[] = [];
    const queue = new FrameQueue((one) => frames.push(one));
    queue.add(() => drawn.push('kept'));
    queue.add(() => drawn.push('gone'))();
    frames[0]?.(16);
    expect(drawn).toEqual(['kept']);
  });

  test('[CONV21] where frames are late fewer are drawn in each, every one in its turn', () => {
    known.clear();
    const { add, frame } = rig();
    const counts: number[] = [];
    const times = new Map<string, number>();
    for (let n = 0; n < 60; n += 1) {
      add(...names);
      const drawn = frame(40);
      counts.push(drawn.length);
      for (const name of drawn) times.set(name, (times.get(name) ?? 0) + 1);
    }
    expect(counts[0]).toBe(50);
    expect(counts.at(-1)).toBe(1);
    expect(times.size).toBe(50);
    const all = [...times.values()];
    expect(Math.max(...all) - Math.min(...all)).toBeLessThanOrEqual(2);
  });

  test('[CONV21] where they come in time again, all are drawn again', () => {
    known.clear();
    const { add, frame } = rig();
    for (let n = 0; n < 20; n += 1) {
      add(...names);
      frame(40);
    }
    let count = 0;
    for (let n = 0; n < 600; n += 1) {
      add(...names);
      count = frame(16).length;
    }
    expect(count).toBe(50);
  });

  test('[CONV21] where a frame has room for two views, few frames are late', () => {
    known.clear();
    const { add, frame } = rig();
    let drawn = 0;
    let late = 0;
    for (let n = 0; n < 1_000; n += 1) {
      add(...names);
      const isLate = drawn > 2;
      if (isLate && n >= 100) late += 1;
      drawn = frame(isLate ? 33 : 16).length;
    }
    expect(late).toBeGreaterThan(0);
    expect(late).toBeLessThan(900 / 20);
  });
});
