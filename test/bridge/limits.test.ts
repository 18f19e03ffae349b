import { describe, expect, test } from 'vitest';
import { FrameBudget, UnreadCounter } from '../../src/bridge/server/peer';
import { RecentMap } from '../../src/bridge/opencode/recent-map';
import { newToken, sameToken } from '../../src/bridge/server/socket-server';

describe('limits of a client', () => {
  test('[BRIDGE13] 5,000 frames at once, then 200 a second', () => {
    const budget = new FrameBudget(0);
    let taken = 0;
    while (budget.take(0)) taken++;
    expect(taken).toBe(5000);
    expect(budget.take(4)).toBe(false);
    for (let i = 0; i < 200; i++) expect(budget.take(1004)).toBe(true);
    expect(budget.take(1004)).toBe(false);
  });

  test('[BRIDGE14] an echo says that all before its mark arrived', () => {
    const unread = new UnreadCounter();
    const MiB = 1024 * 1024;
    for (let i = 1; i <= 100; i++) {
      const mark = unread.add(MiB);
      expect([unread.bytes, unread.received]).toEqual([MiB, (i - 1) * MiB]);
      unread.echo(mark ?? '');
      expect([unread.bytes, unread.received]).toEqual([0, i * MiB]);
    }
  });

  test('[BRIDGE14] an echo of a mark that was never sent counts for nothing', () => {
    const unread = new UnreadCounter();
    for (let i = 0; i < 8; i++) unread.add(1024 * 1024);
    for (const mark of ['999999999999', '-1', 'NaN', '', '1e9', '9'.repeat(400)]) unread.echo(mark);
    expect(unread.received).toBe(0);
  });

  test('[BRIDGE14] a mark is due every 64 KiB', () => {
    const unread = new UnreadCounter();
    const marks = Array.from({ length: 200 }, () => unread.add(1024)).filter(Boolean);
    expect(marks).toEqual(['65536', '131072', '196608']);
  });

  test('[BRIDGE11] only the same token is the same', () => {
    const token = newToken();
    expect(token).toMatch(/^[A-Za-z0-9_-]{43}$/);
    expect(newToken()).not.toBe(token);
    expect(sameToken(token, token)).toBe(true);
    for (const other of [undefined, '', token.slice(1), `${token}A`, newToken()]) {
      expect(sameToken(other, token)).toBe(false);
    }
  });

  test('[BRIDGE14] what is remembered is bounded, the newest stays', () => {
    const map = new RecentMap<number, number>(3);
    for (let i = 0; i < 10; i++) map.set(i, i);
    map.set(7, 70);
    map.set(10, 10);
    expect([6, 7, 8, 9, 10].map((key) => map.get(key))).toEqual([undefined, 70, undefined, 9, 10]);
  });
});
