import { describe, expect, test } from 'vitest';
import { Redactor } from '../../src/core/permission/audit/redact';
import { ErrorHandler, watchedStore, type LoggedFault } from '../../src/core/error-handler';
import { StoreError } from '../../src/core/ports';
import { MemoryStore } from '../store/memory-store';

/** A handler whose clock advances by a second at each fault. */
function handler(secrets: readonly string[] = []) {
  let now = 0;
  const told: LoggedFault[] = [];
  const logged: LoggedFault[] = [];
  const errors = new ErrorHandler({
    now: () => (now += 1_000),
    redactor: new Redactor(() => secrets),
    log: (fault) => void logged.push(fault),
    notify: (fault) => void told.push(fault),
  });
  return { errors, told, logged };
}

describe('faults', () => {
  test('[ERR1] the same fault is counted, with the first and last time; what differs is of the last time', () => {
    const { errors } = handler();
    errors.note('A note could not be read.', { at: 'board.scan', error: 'Error: a/b.md line 3' });
    errors.note('A listener threw.', {
      at: 'bus.listener',
      severity: 'error',
      error: 'TypeError: x',
    });
    errors.note('A note could not be read.', { at: 'board.scan', error: 'Error: c/d.md line 17' });
    errors.note('A listener threw.', {
      at: 'bus.listener',
      severity: 'error',
      error: 'RangeError: x',
    });
    errors.note('A listener threw.', {
      at: 'run.listener',
      severity: 'error',
      error: 'TypeError: x',
    });
    expect(
      errors
        .faults()
        .map(({ severity, module, operation, data, count, first, last }) => [
          ...[severity, module, operation, data['error']],
          ...[count, first, last],
        ]),
    ).toEqual([
      ['error', 'bus', 'listener', 'TypeError: x', 1, 2_000, 2_000],
      ['warning', 'board', 'scan', 'Error: c/d.md line 17', 2, 1_000, 3_000],
      ['error', 'bus', 'listener', 'RangeError: x', 1, 4_000, 4_000],
      ['error', 'run', 'listener', 'TypeError: x', 1, 5_000, 5_000],
    ]);
  });

  test('[ERR1] the last 500 are kept; the one that is longest ago goes first', () => {
    const { errors } = handler();
    const word = (n: number) => [...String(n)].map((digit) => 'abcdefghij'[Number(digit)]).join('');
    for (let n = 0; n < 501; n += 1) {
      errors.note('It failed.', { at: 'app.start', error: word(n) });
      if (n === 499) errors.note('It failed.', { at: 'app.start', error: word(0) });
    }
    const kept = errors.faults();
    expect(kept.length).toBe(500);
    expect(kept[0]?.data['error']).toBe(word(2));
    expect(kept.filter(({ data }) => data['error'] === word(0)).map(({ count }) => count)).toEqual([
      2,
    ]);
  });

  test('[ERR2] a person is told once: of what is critical, and of an error that they can do something about', () => {
    const { errors, told, logged } = handler();
    for (let n = 0; n < 120; n += 1) {
      errors.note('It is lost.', { at: 'audit.write', severity: 'critical' });
      errors.note('It is full.', {
        at: 'store.update',
        severity: 'error',
        hint: 'Free some space.',
      });
      errors.note('It failed.', { at: 'store.read', severity: 'error' });
      errors.note('It goes on.', { at: 'board.scan', hint: 'Wait.' });
    }
    expect(told.map(({ message }) => message)).toEqual(['It is lost.', 'It is full.']);
    expect(
      logged.filter(({ message }) => message === 'It failed.').map(({ count }) => count),
    ).toEqual([1, 10, 100]);
  });

  test('[ERR2] what was cleared is told again when it happens again, and whoever follows hears of each change', () => {
    const { errors, told } = handler();
    let heard = 0;
    const stop = errors.subscribe(() => (heard += 1));
    errors.note('It is lost.', { at: 'audit.write', severity: 'critical' });
    errors.clear();
    expect(errors.faults()).toEqual([]);
    errors.note('It is lost.', { at: 'audit.write', severity: 'critical' });
    stop();
    errors.note('It is lost.', { at: 'audit.write', severity: 'critical' });
    expect([told.length, heard]).toEqual([2, 3]);
  });

  test('[ERR3] a wrapped function never throws, whether it answers now or later; what it threw is noted', async () => {
    const { errors } = handler();
    const half = errors.wrap('Halving failed.', { at: 'app.half' }, (n: number) => {
      if (n % 2 === 1) throw new RangeError('odd');
      return n / 2;
    });
    const later = errors.wrap(
      'Halving failed.',
      { at: 'app.later', severity: 'critical' },
      (n: number) => (n % 2 === 1 ? Promise.reject(new TypeError('odd')) : Promise.resolve(n / 2)),
    );
    expect([half(4), half(3), await later(8), await later(7)]).toEqual([
      2,
      undefined,
      4,
      undefined,
    ]);
    expect(
      errors.faults().map(({ severity, operation, data }) => [severity, operation, data['error']]),
    ).toEqual([
      ['error', 'half', 'RangeError: odd'],
      ['critical', 'later', 'TypeError: odd'],
    ]);
  });

  test('[ERR4] secrets are taken out of all that is kept: known ones, those with a known form, values of their keys', () => {
    const { errors } = handler(['hush-hush']);
    errors.note('The bridge said hush-hush.', {
      ...{ at: 'connection.end', hint: 'Try again.', error: 'Error: bearer abcdefghijklmnop' },
      ...{ url: 'ws://me:pass@127.0.0.1:4000', about: { apiKey: 'k-1', deep: ['hush-hush'] } },
    });
    const [fault] = errors.faults();
    expect(JSON.stringify(fault)).not.toMatch(/hush-hush|abcdefghijklmnop|me:pass|k-1/);
    expect(fault?.message).toBe('The bridge said [secret].');
  });

  test('[ERR5] what a store refuses is noted with its path, and refused all the same', async () => {
    const { errors } = handler();
    const store = new MemoryStore();
    const refuse = () => Promise.reject(new StoreError('disk_full', 'The disk is full.'));
    const watched = watchedStore(Object.assign(store, { update: refuse }), errors, 'told.json');
    await expect(watched.update('a.md', () => 'text')).rejects.toThrow('The disk is full.');
    const bug = new TypeError('a bug');
    Object.assign(store, { read: () => Promise.reject(bug) });
    await expect(watched.read('a.md')).rejects.toBe(bug);
    Object.assign(store, { read: refuse });
    await expect(watched.read('told.json')).rejects.toThrow('The disk is full.');
    expect(errors.faults().map(({ severity, message, data }) => [severity, message, data])).toEqual(
      [
        [
          'error',
          'A file could not be written.',
          { code: 'disk_full', path: 'a.md', why: 'The disk is full.' },
        ],
      ],
    );
  });
});
