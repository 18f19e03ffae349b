import { describe, expect, test } from 'vitest';
import { localDate } from '../../src/node/node-ports';
import { STATE, intentAt, lines, outcomeAt, turn } from '../metrics/recorded';
import { inProcessCli } from './in-process-cli';
import { parseOutput } from './cli-run';

const cli = inProcessCli();

/** Noon, local time, this many days ago; ms since the epoch. */
function noon(daysAgo: number): number {
  const now = new Date();
  return new Date(now.getFullYear(), now.getMonth(), now.getDate() - daysAgo, 12).getTime();
}

const day = (daysAgo: number): string => localDate(new Date(noon(daysAgo)));

async function recorded(): Promise<void> {
  const months = new Map<string, object[]>();
  for (const end of [0, 6, 7, 40].map(noon)) {
    const month = new Date(end).toISOString().slice(0, 7);
    const line = turn({ start: end - 60_000, end, session: 's1', task: 'k3f9-2' });
    months.set(month, [...(months.get(month) ?? []), line]);
  }
  for (const [month, own] of months) await cli.write(`${STATE}/usage/${month}.jsonl`, lines(own));
  const month = day(1).slice(0, 7);
  const end = { answeredAt: noon(1) + 90_000 };
  await cli.write(
    `${STATE}/audit/${month}.cli-1.jsonl`,
    lines([intentAt('a', noon(1)), outcomeAt('a', noon(1) + 90_000, end)]),
  );
}

describe('agent-boards stats', () => {
  test('[METRIC10] rows by day, of the last days or of all, with a total and what waited longest', async () => {
    await recorded();
    const { code, out } = await cli.run(['stats', '--since', '7d', '--json']);
    expect(code).toBe(0);
    const found = parseOutput({ out }) as Record<string, unknown>;
    expect(found).toMatchObject({
      ...{ from: day(6), to: day(0), by: 'day' },
      rows: [
        { key: day(6), turns: 1, tokensIn: 100, auditedCalls: null },
        { key: day(1), turns: null, tokensIn: null, auditedCalls: 1, allowedOnce: 1 },
        { key: day(0), turns: 1, cost: 0.25 },
      ],
      total: { turns: 2, tokensOut: 20, auditedCalls: 1, answerMs: 90_000, done: null },
      waits: [{ kind: 'answer', ms: 90_000, still: false, session: 's', agent: 'build' }],
      ...{ broken: 0, unread: [], tasksSince: null },
    });
    const all = parseOutput(await cli.run(['stats', '--json', '--by', 'task'])) as typeof found;
    expect(all).toMatchObject({ from: day(40), total: { turns: 4 } });
    expect(all['rows']).toMatchObject([
      { key: 'k3f9-2', turns: 4 },
      { key: null, turns: null },
    ]);
    const until = await cli.run(['stats', '--since', day(7), '--until', day(6), '--json']);
    expect(parseOutput(until)).toMatchObject({ from: day(7), to: day(6), total: { turns: 2 } });
  });

  test('[METRIC10] for a person a table, in which ? is what is not known', async () => {
    await recorded();
    const { code, out } = await cli.run(['stats', '--by', 'session']);
    expect(code).toBe(0);
    const rows = out.split('\n');
    expect(rows[1]).toMatch(
      /^session +turns +in +out +cached +cost +working +person +model .* audited +audit failed +denied/,
    );
    expect(rows[2]).toMatch(
      /^s1 +4 +400 +40 +20 +\$1.00 +40 s +1 min +2 min +12 +4 +\? +\? +\? +\?$/,
    );
    expect(rows[3]).toMatch(/^s +\? +\? .* 1 +0 +0 +1$/);
    expect(out).toContain('2 min  for your answer, since ');
    expect(await cli.run(['stats', '--since', '9999-01-01'])).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^Nothing is recorded for these days\. /) as string,
    });
  });

  test('[METRIC12] a task that waits by the history, but no longer by its board, is left out', async () => {
    const ops = [
      { type: 'add', title: 'Bake' },
      { type: 'add', title: 'Serve', dependsOn: ['1'] },
    ];
    const made = await cli.run(
      ['ops', '--session', 's1', '--agent', 'build'],
      JSON.stringify({ operations: ops }),
    );
    expect(made).toMatchObject({ code: 0, err: '' });
    const waits = async () =>
      (parseOutput(await cli.run(['stats', '--json'])) as { waits: object[] }).waits;
    expect(await waits()).toMatchObject([{ kind: 'blocked', still: true, what: 'Serve' }]);
    await cli.write(cli.board(), (await cli.read(cli.board())).replace('- [ ] Bake', '- [x] Bake'));
    expect(await waits()).toEqual([]);
  });

  test('[METRIC16] days of which the first is after the last are refused', async () => {
    const turned = ['stats', '--since', '3d', '--until', day(3)];
    const exit = await cli.run(turned);
    expect(exit.code).toBe(2);
    expect(exit.err).toContain(
      `--since (${day(2)}) is after --until (${day(3)}): no day is between them.`,
    );
    expect(await cli.run(['stats', '--since', day(3), '--until', day(3)])).toMatchObject({
      code: 0,
    });
  });

  test('[METRIC9] [METRIC10] as CSV, and wrong options are refused with what to type', async () => {
    await recorded();
    const { out } = await cli.run(['stats', '--csv', '--by', 'model']);
    expect(out.split('\r\n')[1]).toMatch(/^p\/m,,4,4,400,/);
    for (const [args, said] of [
      [['--by', 'hour'], '--by is one of day, session, agent, model, engine, task, run.'],
      [['--since', 'yesterday'], '--since takes a day (2026-11-22) or how many days (7d).'],
      [['--since', '2026-02-30'], '--since takes a day'],
      [['--until', '7d'], '--until takes a day (2026-11-22).'],
      [['--csv', '--json'], '--json and --csv'],
    ] as const) {
      const exit = await cli.run(['stats', ...args]);
      expect([args, exit.code]).toEqual([args, 2]);
      expect(exit.out + exit.err).toContain(said);
    }
  });
});
