import { describe, expect, test } from 'vitest';
import { Inbox, Outbox } from '../../src/core/link/link';
import { fc } from '../seeded';
import { NaiveOutbox } from './naive-outbox';

const LIMITS = { messages: 8, bytes: 100, age: 1000 };

function numbers(kept: ReturnType<Outbox<string>['since']>): number[] | 'gone' {
  return kept === 'gone' ? 'gone' : kept.map(({ seq }) => seq);
}

describe('what was sent', () => {
  test('[LINK1] messages are numbered from 1 and kept until they are acknowledged', () => {
    const box = new Outbox<string>();
    expect(box.last).toBe(0);
    for (const message of ['a', 'b', 'c']) box.add(message, 1, 0);
    expect(box.last).toBe(3);
    expect(box.since(0, 0)).toEqual([
      { seq: 1, message: 'a', bytes: 1, at: 0 },
      { seq: 2, message: 'b', bytes: 1, at: 0 },
      { seq: 3, message: 'c', bytes: 1, at: 0 },
    ]);
    box.ack(2);
    expect([box.size, box.bytes, numbers(box.since(2, 0))]).toEqual([1, 1, [3]]);
    expect(box.since(3, 0)).toEqual([]);
  });

  test('[LINK2] what is too much, too large or too old is gone, and that is said', () => {
    const box = new Outbox<string>(LIMITS);
    for (let n = 1; n <= 9; n++) box.add('x', 1, n);
    expect([numbers(box.since(0, 9)), numbers(box.since(1, 9))]).toEqual([
      'gone',
      [2, 3, 4, 5, 6, 7, 8, 9],
    ]);
    box.add('large', 98, 10);
    expect(numbers(box.since(7, 10))).toEqual([8, 9, 10]);
    expect(numbers(box.since(7, 1009))).toBe('gone');
    expect(numbers(box.since(9, 1009))).toEqual([10]);
    box.add('larger than all', 101, 1009);
    expect([box.size, box.bytes, box.last]).toEqual([0, 0, 11]);
    expect([box.since(10, 1009), box.since(11, 1009)]).toEqual(['gone', []]);
  });

  test('[LINK2] a reader that claims what was never sent, or asks for what it acknowledged, gets no messages', () => {
    const box = new Outbox<string>();
    box.add('a', 1, 0);
    box.add('b', 1, 0);
    box.ack(3);
    expect(numbers(box.since(0, 0))).toEqual([1, 2]);
    expect(box.since(3, 0)).toBe('gone');
    box.ack(1);
    expect(box.since(0, 0)).toBe('gone');
  });

  test('[LINK3] a snapshot takes a number: who lacks it can only get another', () => {
    const box = new Outbox<string>();
    box.add('a', 1, 0);
    expect(box.takeSnapshotNumber()).toBe(2);
    expect([box.since(0, 0), box.since(1, 0), box.since(2, 0)]).toEqual(['gone', 'gone', []]);
    box.add('b', 1, 0);
    expect(numbers(box.since(2, 0))).toEqual([3]);
  });

  test('[LINK1] a message that is still kept can be replaced under its number', () => {
    const box = new Outbox<string>();
    box.add('a', 10, 0);
    box.add('b', 10, 0);
    box.ack(1);
    expect([box.replace(1, 'x', 1), box.replace(2, 'y', 1), box.replace(3, 'z', 1)]).toEqual([
      false,
      true,
      false,
    ]);
    expect(box.since(1, 0)).toEqual([{ seq: 2, message: 'y', bytes: 1, at: 0 }]);
    expect(box.bytes).toBe(1);
  });
});

describe('what arrives', () => {
  test('[LINK4] the next number is let through, one that was there is a duplicate, a higher one a gap', () => {
    const box = new Inbox();
    expect([1, 1, 3, 2, 3, 2].map((seq) => box.take(seq))).toEqual([
      'next',
      'duplicate',
      'gap',
      'next',
      'next',
      'duplicate',
    ]);
    box.reset(10);
    expect([10, 12, 11].map((seq) => box.take(seq))).toEqual(['duplicate', 'gap', 'next']);
  });
});

const step = fc.oneof(
  { weight: 5, arbitrary: fc.record({ kind: fc.constant('add' as const), bytes: fc.nat(30) }) },
  fc.record({ kind: fc.constant('ack' as const), back: fc.nat(10) }),
  fc.record({ kind: fc.constant('leap' as const) }),
  fc.record({ kind: fc.constant('wait' as const), ms: fc.nat(600) }),
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('replace' as const),
      back: fc.nat(6),
      bytes: fc.nat(30),
    }),
  },
);

describe('against a naive outbox', () => {
  test('[LINK1] [LINK2] [LINK3] it keeps what a list of everything would', () => {
    const seen = { gone: 0, some: 0, replaced: 0, longest: 0 };
    fc.assert(
      fc.property(fc.array(step, { minLength: 1, maxLength: 300, size: 'max' }), (steps) => {
        const box = new Outbox<string>(LIMITS);
        const naive = new NaiveOutbox<string>(LIMITS);
        let now = 0;
        steps.forEach((one, index) => {
          if (one.kind === 'wait') now += one.ms;
          const seq = Math.max(0, box.last + 1 - ('back' in one ? one.back : 0));
          for (const each of [box, naive]) {
            if (one.kind === 'add') each.add(`m${index}`, one.bytes, now);
            if (one.kind === 'ack') each.ack(seq);
            if (one.kind === 'leap') each.takeSnapshotNumber();
          }
          if (one.kind === 'replace') {
            const done = box.replace(seq, `r${index}`, one.bytes);
            expect(done).toBe(naive.replace(seq, `r${index}`, one.bytes));
            if (done) seen.replaced++;
          }
          const from = Array.from({ length: 13 }, (_, n) => Math.max(0, box.last - n + 1));
          const kept = from.map((each) => box.since(each, now));
          expect(kept).toEqual(from.map((each) => naive.since(each, now)));
          seen.gone += kept.filter((each) => each === 'gone').length;
          seen.some += kept.filter((each) => each !== 'gone' && each.length > 0).length;
          expect([box.last, box.bytes, box.size]).toEqual([naive.last, naive.bytes, naive.size]);
          seen.longest = Math.max(seen.longest, box.last);
        });
      }),
      { numRuns: 60 },
    );
    expect(Math.min(seen.gone, seen.some, seen.replaced)).toBeGreaterThan(100);
    expect(seen.longest).toBeGreaterThan(64);
  });
});
