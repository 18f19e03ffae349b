import { beforeEach, describe, expect, test } from 'vitest';
import { Link, type Position } from '../../src/core/link/link';
import { ManualClock } from '../bridge/manual-clock';

let clock: ManualClock;
let acks: (readonly Position[])[];
let link: Link;

beforeEach(() => {
  clock = new ManualClock();
  acks = [];
  link = new Link({ clock, acknowledge: (positions) => void acks.push(positions) });
});

function send(sessionId: string, text: string, bytes = text.length): string {
  return link.number(sessionId, (seq, ack) => ({
    id: text,
    text: `${seq} ${ack ?? '-'} ${text}`,
    bytes,
  })).text;
}

describe('both directions of all sessions', () => {
  test('[LINK15] what arrived is acknowledged in one word after 200 ms', () => {
    link.take('a', 1);
    link.take('a', 2);
    link.take('b', 1);
    clock.advance(199);
    expect(acks).toEqual([]);
    clock.advance(1);
    expect(acks).toEqual([
      [
        { sessionId: 'a', seq: 2 },
        { sessionId: 'b', seq: 1 },
      ],
    ]);
    clock.advance(10_000);
    expect(acks).toHaveLength(1);
  });

  test('[LINK15] or with a message of the session, or once 512 arrived; a duplicate too', () => {
    link.take('a', 1);
    expect(send('a', 'x')).toBe('1 1 x');
    clock.advance(1000);
    expect(acks).toEqual([]);
    for (let seq = 2; seq <= 513; seq++) link.take('a', seq);
    expect(acks).toEqual([[{ sessionId: 'a', seq: 513 }]]);
    expect(link.take('a', 7)).toBe('duplicate');
    expect(link.take('a', 600)).toBe('gap');
    clock.advance(200);
    expect(acks.slice(1)).toEqual([[{ sessionId: 'a', seq: 513 }]]);
  });

  test('[LINK15] paused, it says nothing; how far it got is there to be asked', () => {
    link.take('a', 1);
    link.pause();
    clock.advance(1000);
    expect([acks, link.positions()]).toEqual([[], [{ sessionId: 'a', seq: 1 }]]);
  });

  test('[LINK1] a frame that can’t be made uses up no number', () => {
    send('a', 'x');
    const tooLarge = (): never => {
      throw new Error('too large');
    };
    expect(() => link.number('a', tooLarge)).toThrow('too large');
    expect(send('a', 'y')).toBe('2 - y');
  });

  test('[LINK16] all sessions together keep 32 MiB; the one that goes beyond it keeps nothing', () => {
    const MiB = 1024 * 1024;
    for (const session of ['a', 'b', 'c', 'd']) send(session, 'x', 8 * MiB);
    expect(link.bytes).toBe(32 * MiB);
    send('e', 'y', 1);
    expect(link.bytes).toBe(32 * MiB);
    expect(link.since({ sessionId: 'e', seq: 0 })).toBe('gone');
    const kept = { id: 'x', text: '1 - x', bytes: 8 * MiB };
    expect(link.since({ sessionId: 'a', seq: 0 })).toEqual([kept]);
    link.acked({ sessionId: 'a', seq: 1 });
    expect(link.bytes).toBe(24 * MiB);
  });

  test('[LINK7] a message that is withdrawn leaves its number to another', () => {
    send('a', 'x');
    send('a', 'y');
    link.replace('a', 'y', (seq) => ({ id: 'filler', text: `${seq}`, bytes: 1 }));
    link.replace('a', 'unknown', () => {
      throw new Error('never');
    });
    expect(link.unacknowledged().map(({ text }) => text)).toEqual(['1 - x', '2']);
    expect(link.bytes).toBe(2);
  });

  test('[LINK19] 4,096 sessions are numbered; no number of another is let through', () => {
    for (let n = 0; n < 4096; n++) link.take(`s${n}`, 1);
    expect([link.take('another', 1), link.take('another', undefined), link.take('s7', 2)]).toEqual([
      'gap',
      'next',
      'next',
    ]);
    expect(link.positions()).toHaveLength(4096);
  });
});
