import { describe, expect, test } from 'vitest';
import { AuditReader, type AuditPage } from '../../src/core/permission/audit/audit-reader';
import type { AuditRow, CallRow } from '../../src/core/permission/audit/audit-rows';
import { fc } from '../seeded';
import { AuditFolder, intent, outcome } from './audit-folder';

function calls(page: AuditPage): CallRow[] {
  return page.rows.filter((row): row is CallRow => row.kind === 'call');
}

function ids(page: AuditPage): string[] {
  return calls(page).map(
    ({ intent: { callId }, outcome: end }) => callId + (end === undefined ? '?' : ''),
  );
}

/** A second writer in the same folder. */
function bridgeOf(folder: AuditFolder) {
  return folder.log({ writer: 'bridge', mark: new AuditFolder().mark });
}

describe('the audit as it is read', () => {
  test('[AUD13] the calls of all writers stand together, the latest first, each with what came of it', async () => {
    const folder = new AuditFolder();
    const [plugin, bridge] = [folder.log(), bridgeOf(folder)];
    await plugin.append(intent('p1'));
    await bridge.append(intent('b1'));
    await plugin.append(outcome('p1'));
    await plugin.append(intent('p2'));
    await bridge.append(outcome('b1', { result: 'denied' }));
    const page = await new AuditReader(folder.store).refresh();
    expect(ids(page)).toEqual(['p2?', 'b1', 'p1']);
    expect(calls(page)[1]).toMatchObject({ writer: 'bridge', n: 1, outcome: { result: 'denied' } });
    expect(page).toMatchObject({ months: ['2026-11'], older: undefined });
  });

  test('[KEEP24] the two latest months are read for a summary, without those in which nothing was written', async () => {
    const folder = new AuditFolder();
    const log = folder.log();
    for (const [date, id] of [
      ['2026-06-30', 'oldest'],
      ['2026-09-30', 'older'],
      ['2026-11-01', 'now'],
    ] as const) {
      folder.date = date;
      await log.append(intent(id));
    }
    const rows = await new AuditReader(folder.store).recentRows();
    expect(rows.map((row) => row.kind === 'call' && row.intent.callId)).toEqual(['now', 'older']);
  });

  test('[AUD13] ids that two writers have in common are two calls', async () => {
    const folder = new AuditFolder();
    await folder.log().append(intent('same'));
    await bridgeOf(folder).append(intent('same', { agent: 'other' }));
    await folder.log().append(outcome('same'));
    const found = calls(await new AuditReader(folder.store).refresh());
    expect(found.map((call) => [call.writer, call.outcome?.result])).toEqual([
      ['bridge', undefined],
      ['plugin', 'done'],
    ]);
  });

  test('[AUD13] a clock that is set back moves nothing out of its order', async () => {
    const folder = new AuditFolder();
    const log = folder.log();
    for (const [id, time] of [
      ['a', 5_000],
      ['b', 2_000],
      ['c', 3_000],
    ] as const) {
      folder.time = time;
      await log.append(intent(id));
    }
    expect(ids(await new AuditReader(folder.store).refresh())).toEqual(['c?', 'b?', 'a?']);
  });

  test('[AUD14] the latest month is read, and those before when they are asked for', async () => {
    const folder = new AuditFolder();
    const log = folder.log();
    for (const month of ['2026-08', '2026-09', '2026-11']) {
      folder.date = `${month}-05`;
      await log.append(intent(`i${month}`));
    }
    // A call may begin in one month and end in the next.
    await log.append(outcome('i2026-09'));
    const read: string[] = [];
    const store = {
      ...folder.store,
      read: (name: string) => (read.push(name), folder.store.read(name)),
    };
    const reader = new AuditReader(store);
    expect(await reader.refresh()).toMatchObject({ months: ['2026-11'], older: '2026-09' });
    expect(read).toEqual(['2026-11.plugin.jsonl']);
    const more = await reader.load('2026-09');
    expect(more).toMatchObject({ months: ['2026-11', '2026-09'], older: '2026-08' });
    expect(ids(more)).toEqual(['i2026-11?', 'i2026-09']);
    expect(read).toEqual(['2026-11.plugin.jsonl', '2026-09.plugin.jsonl']);
    expect(ids(await reader.load('2026-08'))).toEqual(['i2026-11?', 'i2026-09', 'i2026-08?']);
    expect(reader.now.older).toBeUndefined();
  });

  test('[AUD14] where nothing came, the same rows are answered, and no file is read', async () => {
    const folder = new AuditFolder();
    await folder.log().append(intent('a'));
    let reads = 0;
    const store = {
      ...folder.store,
      read: (name: string) => ((reads += 1), folder.store.read(name)),
    };
    const reader = new AuditReader(store);
    const page = await reader.refresh();
    expect(await reader.refresh()).toBe(page);
    expect(reads).toBe(1);
  });

  test('[AUD15] a line that is no entry, and one that stands for a torn one, are listed as such', async () => {
    const folder = new AuditFolder();
    const log = folder.log();
    await log.append(intent('a'));
    await log.append(intent('b'));
    const lines = await folder.lines();
    await folder.put([lines[0] ?? '', 'no <b>entry', lines[1] ?? '', '{"v":1,"n":9}']);
    const { rows } = await new AuditReader(folder.store).refresh();
    expect(rows.map((row) => (row.kind === 'call' ? row.intent.callId : row.text))).toEqual([
      '{"v":1,"n":9}',
      'b',
      'no <b>entry',
      'a',
    ]);
    expect(rows[2]).toMatchObject({ line: 2, file: '2026-11.plugin.jsonl', repaired: false });
  });

  test('[AUD15] a file that was cut, or is gone, is read anew', async () => {
    const folder = new AuditFolder();
    const log = folder.log();
    for (const id of ['a', 'b', 'c']) await log.append(intent(id));
    const reader = new AuditReader(folder.store);
    await reader.refresh();
    await folder.put((await folder.lines()).slice(0, 1));
    expect(ids(await reader.refresh())).toEqual(['a?']);
    await folder.store.remove('2026-11.plugin.jsonl');
    expect(ids(await reader.refresh())).toEqual([]);
  });

  test('[AUD14] what is read bit by bit is what is read at once, wherever it was looked at in between', async () => {
    let looks = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.record({
            writer: fc.constantFrom('plugin', 'bridge', 'cli'),
            step: fc.constantFrom('begin', 'begin', 'end', 'end', 'look', 'month', 'older', 'tear'),
            time: fc.integer({ min: -50, max: 200 }),
          }),
          { minLength: 5, maxLength: 60 },
        ),
        async (steps) => {
          const folder = new AuditFolder();
          const marks = new Map(
            ['plugin', 'bridge', 'cli'].map((name) => [name, new AuditFolder().mark]),
          );
          const logOf = (writer: string) =>
            folder.log({ writer, mark: marks.get(writer) ?? folder.mark });
          const open = new Map<string, string[]>();
          const reader = new AuditReader(folder.store);
          let month = 1;
          for (const [at, { writer, step, time }] of steps.entries()) {
            folder.time += time;
            if (step === 'begin') {
              open.set(writer, [...(open.get(writer) ?? []), `c${at}`]);
              await logOf(writer).append(intent(`c${at}`));
            } else if (step === 'end') {
              const [first, ...rest] = open.get(writer) ?? [];
              if (first === undefined) continue;
              open.set(writer, rest);
              await logOf(writer).append(outcome(first));
            } else if (step === 'month') {
              month += 1;
              folder.date = `2026-${String(month).padStart(2, '0')}-01`;
            } else if (step === 'tear') {
              const name = (await folder.store.list()).find((one) => one.includes(writer));
              if (name !== undefined) await folder.store.append(name, '{"torn');
              await logOf(writer).append(intent(`t${at}`));
            } else {
              looks += 1;
              if (step === 'look') await reader.refresh();
              else if (reader.now.older !== undefined) await reader.load(reader.now.older);
            }
          }
          await reader.refresh();
          await reader.load('0000-00');
          const whole = new AuditReader(folder.store);
          await whole.load('0000-00');
          expect(reader.now).toEqual(whole.now);
          expectOrdered(whole.now.rows);
        },
      ),
      { numRuns: 150 },
    );
    expect(looks).toBeGreaterThan(300);
  });
});

/** Asserts each writer's own order, and order by time among writers if clocks advanced. */
function expectOrdered(rows: readonly AuditRow[]): void {
  for (const writer of ['plugin', 'bridge', 'cli']) {
    const own = rows.filter((row) => row.writer === writer).map(({ n }) => n);
    expect(own).toEqual([...own].sort((a, b) => b - a));
  }
  rows.slice(1).forEach((row, at) => {
    const later = rows[at] as AuditRow;
    expect(later.month > row.month || (later.month === row.month && later.order >= row.order)).toBe(
      true,
    );
  });
}
