import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Metrics } from '../../src/core/metrics/metrics';
import { PLAN, tasksCall } from '../bridge/opencode-steps';
import { TestClient } from '../bridge/test-client';
import { serveModel } from './served-model';

const PROGRAM = join(import.meta.dirname, '../../dist/cli.js');

test('[METRIC10] [METRIC1] stats of turns that a real program ran: what its client was told, what the audit and the board have', async () => {
  const run = await serveModel({});
  try {
    const client = await TestClient.connect(run.runFile, ['permissions', 'questions']);
    const sessionId = await client.start('Measured');
    run.model.play(
      sessionId,
      tasksCall(PLAN),
      { text: 'planned' },
      tasksCall({ operations: [{ type: 'complete', id: 1 }] }),
      { tools: [{ name: 'bash', args: {} }] },
      { text: 'done' },
    );
    await client.prompt(sessionId, 'plan');
    await client.prompt(sessionId, 'go');
    const told = client
      .ofType('progress.update')
      .flatMap(({ payload }) => (payload.kind === 'tokens' ? [payload] : []));
    await client.close();
    // The last turn's record is written when the program ends.
    const ended = new Promise((resolve) => run.process.once('close', resolve));
    run.process.kill('SIGTERM');
    await ended;
    const stats = (...args: string[]): string =>
      execFileSync(process.execPath, [PROGRAM, 'stats', '--vault', run.vault, ...args], {
        encoding: 'utf8',
      });
    const sum = (of: (one: (typeof told)[number]) => number) =>
      told.reduce((all, one) => all + of(one), 0);
    expect(told).toHaveLength(5);
    const found = JSON.parse(stats('--by', 'session', '--json')) as Metrics;
    expect(found.rows).toMatchObject([
      {
        ...{ key: sessionId, turns: 2, tokenTurns: 2, calls: 3, failures: 1 },
        ...{ tokensIn: sum(({ input }) => input), tokensOut: sum(({ output }) => output) },
        // The price of this model is unknown.
        ...{ pricedTurns: 0, cost: null },
        ...{ auditedCalls: 2, auditedFailures: 0, asked: 0, done: 1, reopened: 0, leadTasks: 1 },
      },
    ]);
    expect(found.total.turns).toBe(2);
    const byEngine = JSON.parse(stats('--by', 'engine', '--json')) as Metrics;
    expect(byEngine.rows.map(({ key, turns, done }) => [key, turns, done])).toEqual([
      ['model', 2, null],
      [null, null, 1],
    ]);
    expect(stats('--by', 'agent')).toMatch(/^build +2 +\d+ /m);
  } finally {
    await run.close();
  }
});
