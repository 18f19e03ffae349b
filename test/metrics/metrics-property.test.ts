import { expect, test } from 'vitest';
import { GROUPS, MEASURES, type Group } from '../../src/core/metrics/figures';
import type { AuditRecord } from '../../src/core/permission/audit/audit-entry';
import type { UsageLine } from '../../src/core/metrics/turn-usage';
import { fc } from '../seeded';
import { MemoryStore } from '../store/memory-store';
import { intentAt, lines, outcomeAt, put, read, turn, utcDay } from './recorded';

const START = Date.parse('2026-10-30T00:00:00Z');
const HOUR = 3_600_000;

const time = fc.integer({ min: 0, max: 24 * 5 }).map((hours) => START + hours * HOUR);
const few = (...names: string[]) => fc.constantFrom(...names);
const count = fc.integer({ min: 0, max: 1_000 });

const turns = fc.array(
  fc.record({
    ...{ session: few('s1', 's2'), agent: few('build', 'plan', ''), model: few('p/m', 'q/n', '') },
    ...{ engine: few('opencode', 'acp'), task: few('k-1', 'k-2', ''), end: time },
    ...{ took: count, person: count, calls: count, failures: count },
    tokens: fc.option(fc.record({ in: count, out: count, cached: fc.option(count) })),
    cost: fc.option(count),
  }),
  { maxLength: 30 },
);

const calls = fc.array(
  fc.record({
    ...{
      writer: few('bridge', 'cli'),
      at: time,
      session: few('s1', 's2'),
      agent: few('build', 'x'),
    },
    ...{ task: few('k-1', ''), asks: fc.boolean(), person: fc.boolean(), ended: fc.boolean() },
    ...{
      result: few('done', 'failed', 'denied'),
      reply: few('', 'once', 'always', 'reject', 'expired'),
    },
    ...{ waited: fc.option(count), later: fc.boolean() },
  }),
  { maxLength: 30 },
);

type Turns = typeof turns extends fc.Arbitrary<infer T> ? T : never;
type Calls = typeof calls extends fc.Arbitrary<infer T> ? T : never;

function lineOf(one: Turns[number]): UsageLine {
  const { session, agent, model, engine, task, end, took, person, tokens, cost } = one;
  const { agent: _, model: __, tokens: ___, cost: ____, ...rest } = turn();
  return {
    ...{ ...rest, session, engine, end, start: end - took, calls: one.calls },
    ...{ failures: one.failures, waited: { person, model: 7 } },
    ...(agent !== '' && { agent }),
    ...(model !== '' && { model }),
    ...(task !== '' && { task }),
    ...(tokens && {
      tokens: {
        in: tokens.in,
        out: tokens.out,
        ...(tokens.cached !== null && { cached: tokens.cached }),
      },
    }),
    ...(cost !== null && { cost }),
  };
}

/** Computes each figure record by record: slow, and without any code of the program. */
function slowly(allTurns: Turns, allCalls: Calls, by: Group) {
  const rows = new Map<string | null, Map<string, number>>();
  const add = (key: string | null | undefined, name: string, value: number | null | undefined) => {
    if (value === null || value === undefined) return;
    const own = key === '' || key === undefined ? null : key;
    const row = rows.get(own) ?? new Map<string, number>();
    rows.set(own, row.set(name, (row.get(name) ?? 0) + value));
  };
  for (const { tokens, cost, ...one } of allTurns) {
    const keys = { ...one, day: utcDay(one.end), run: null };
    const known = tokens !== null && (one.engine !== 'acp' || tokens.out > 0);
    add(keys[by], 'turns', 1);
    add(keys[by], 'tokenTurns', known ? 1 : 0);
    add(keys[by], 'tokensIn', known ? tokens.in : null);
    add(keys[by], 'tokensOut', known ? tokens.out : null);
    add(keys[by], 'tokensCached', known ? tokens.cached : null);
    add(keys[by], 'pricedTurns', cost === null ? 0 : 1);
    add(keys[by], 'cost', cost);
    add(keys[by], 'workingMs', Math.max(0, one.took - one.person - 7));
    add(keys[by], 'waitedPersonMs', one.person);
    add(keys[by], 'waitedModelMs', 7);
    add(keys[by], 'calls', one.calls);
    add(keys[by], 'failures', one.failures);
  }
  for (const one of allCalls.filter(({ person }) => !person)) {
    const keys = { ...one, day: utcDay(one.at), run: null, model: null, engine: null };
    const said = (reply: string) => (one.ended && one.reply === reply ? 1 : 0);
    add(keys[by], 'auditedCalls', 1);
    add(keys[by], 'auditedDone', one.ended && one.result === 'done' ? 1 : 0);
    add(keys[by], 'auditedFailures', one.ended && one.result === 'failed' ? 1 : 0);
    add(keys[by], 'denied', one.ended && one.result === 'denied' ? 1 : 0);
    add(keys[by], 'asked', one.asks ? 1 : 0);
    add(keys[by], 'allowedOnce', said('once'));
    add(keys[by], 'allowedAlways', said('always'));
    add(keys[by], 'rejected', said('reject'));
    add(keys[by], 'expired', said('expired'));
    add(keys[by], 'answerMs', one.ended && one.reply !== '' ? one.waited : null);
  }
  return rows;
}

/** Every call begins in the file of its month and ends in the same or a later one. */
function auditFiles(all: Calls): Map<string, AuditRecord[]> {
  const files = new Map<string, AuditRecord[]>();
  const put = (writer: string, month: string, record: AuditRecord) => {
    const name = `audit/${month}.${writer}.jsonl`;
    files.set(name, [...(files.get(name) ?? []), record]);
  };
  all.forEach((one, n) => {
    const month = utcDay(one.at).slice(0, 7);
    const { session: sessionId, agent, task, asks, person, result, reply, waited } = one;
    put(
      one.writer,
      month,
      intentAt(`c${n}`, one.at, {
        ...{ sessionId, agent, verdict: asks ? 'ask' : 'allow' },
        ...(task !== '' && { task }),
        ...(person && { by: 'person' }),
      }),
    );
    if (!one.ended) return;
    const end = {
      result: result as 'done',
      reply: reply === '' ? undefined : (reply as 'once'),
      ...(waited !== null && { answeredAt: one.at + waited }),
    };
    put(one.writer, one.later ? '2026-12' : month, outcomeAt(`c${n}`, one.at + 5_000, end));
  });
  return files;
}

test('[METRIC3] [METRIC5] figures are those of a slow recomputation, by every group, cold, warm, and after more was recorded', async () => {
  let told = 0;
  await fc.assert(
    fc.asyncProperty(turns, turns, calls, calls, async (turnsOne, turnsTwo, callsOne, callsTwo) => {
      const store = new MemoryStore();
      const check = async (allTurns: Turns, allCalls: Calls) => {
        const recorded = await read(store);
        for (const by of GROUPS) {
          const { rows, total } = recorded.figures({ by });
          const slow = slowly(allTurns, allCalls, by);
          expect(new Set(rows.map(({ key }) => key))).toEqual(new Set(slow.keys()));
          for (const row of rows) {
            for (const name of MEASURES) {
              expect([by, row.key, name, row[name]]).toEqual([
                ...[by, row.key, name, slow.get(row.key)?.get(name) ?? null],
              ]);
              told += row[name] ?? 0;
            }
          }
          for (const name of MEASURES) {
            const all = [...slow.values()].flatMap((row) => row.get(name) ?? []);
            const sum = all.length === 0 ? null : all.reduce((a, b) => a + b, 0);
            expect([name, total[name]]).toEqual([name, sum]);
          }
        }
      };
      const write = async (allTurns: Turns, allCalls: Calls) => {
        const months = new Map<string, UsageLine[]>();
        for (const line of allTurns.map(lineOf)) {
          const month = utcDay(line.end).slice(0, 7);
          months.set(month, [...(months.get(month) ?? []), line]);
        }
        for (const [month, own] of months) await put(store, `usage/${month}.jsonl`, lines(own));
        for (const [name, own] of auditFiles(allCalls)) await put(store, name, lines(own));
      };
      await write(turnsOne, callsOne);
      await check(turnsOne, callsOne);
      await check(turnsOne, callsOne);
      const [allTurns, allCalls] = [
        [...turnsOne, ...turnsTwo],
        [...callsOne, ...callsTwo],
      ];
      await write(allTurns, allCalls);
      await check(allTurns, allCalls);
    }),
    { numRuns: 40 },
  );
  expect(told).toBeGreaterThan(1_000);
});
