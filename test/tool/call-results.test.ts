import { describe, expect, test } from 'vitest';
import { CallResults } from '../../src/core/tool/call-results';
import type { AnsweredCall, ToolCall } from '../../src/core/tool/tool';
import { fc } from '../seeded';

const audit = { approved: true, dryRun: false, ms: 0 };

/** A host that counts its executions and answers when told to. */
function setup() {
  const ran: ToolCall[] = [];
  const waiting: ((outcome: AnsweredCall) => void)[] = [];
  const results = new CallResults({
    run: (call) => {
      ran.push(call);
      return new Promise((resolve) => waiting.push(resolve));
    },
    refuse: (_, error) => Promise.resolve({ ok: false, error, audit }),
  });
  return { ran, waiting, results };
}

function call(args: unknown, sessionId = 'ses_1'): ToolCall {
  return { tool: 'tasks', args, sessionId, agent: 'build' };
}

function done(output: string): AnsweredCall {
  return { ok: true, title: 'tasks', output, metadata: {}, audit };
}

describe('calls that come again', () => {
  test('[LINK21] the same call gets the answer of the first time, also while it runs', async () => {
    const { ran, waiting, results } = setup();
    const first = results.run('c1', call({ a: 1 }));
    const second = results.run('c1', call({ a: 1 }));
    waiting[0]?.(done('made'));
    expect(await Promise.all([first, second, results.run('c1', call({ a: 1 }))])).toEqual([
      done('made'),
      done('made'),
      done('made'),
    ]);
    expect(ran).toHaveLength(1);
  });

  test('[LINK21] other arguments, another tool, agent or board under the same id are refused', async () => {
    const { ran, results } = setup();
    void results.run('c1', call({ a: 1 }));
    for (const other of [
      call({ a: 2 }),
      { ...call({ a: 1 }), tool: 'todowrite' },
      { ...call({ a: 1 }), agent: 'plan' },
      { ...call({ a: 1 }), board: { session: 'ses_2', agent: 'build' } },
    ]) {
      expect(await results.run('c1', other)).toMatchObject({
        ok: false,
        error: { code: 'conflict' },
      });
    }
    expect(ran).toHaveLength(1);
  });

  test('[LINK21] the same id in another session is another call', () => {
    const { ran, results } = setup();
    void results.run('c1', call({}));
    void results.run('c1', call({}, 'ses_2'));
    expect(ran.map(({ sessionId }) => sessionId)).toEqual(['ses_1', 'ses_2']);
  });

  test('[LINK22] old answers are forgotten, running calls never', async () => {
    const { ran, waiting, results } = setup();
    const running = results.run('running', call({}));
    for (let n = 0; n < 600; n++) {
      const outcome = results.run(`c${n}`, call({ n }));
      waiting[n + 1]?.(done('ok'));
      await outcome;
    }
    void results.run('running', call({}));
    expect(ran).toHaveLength(601);
    void results.run('c599', call({ n: 599 }));
    expect(ran).toHaveLength(601);
    void results.run('c0', call({ n: 0 }));
    expect(ran).toHaveLength(602);
    waiting[0]?.(done('late'));
    expect(await running).toEqual(done('late'));
  });

  test('[LINK22] answers of more than 8 Mi units are forgotten, the oldest first', async () => {
    const { ran, waiting, results } = setup();
    for (const [n, id] of ['a', 'b', 'c'].entries()) {
      const outcome = results.run(id, call({ text: 'x'.repeat(1024 * 1024) }));
      waiting[n]?.(done('y'.repeat(2 * 1024 * 1024)));
      await outcome;
    }
    const again = (id: string) => results.run(id, call({ text: 'x'.repeat(1024 * 1024) }));
    void [again('b'), again('c')];
    expect(ran).toHaveLength(3);
    void again('a');
    expect(ran).toHaveLength(4);
  });

  test('[LINK21] effects are as many as distinct calls, in whatever order they come again', async () => {
    const seen = { again: 0, conflicts: 0 };
    const step = fc.record({ id: fc.nat(5), args: fc.nat(1), finish: fc.boolean() });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
        const { ran, waiting, results } = setup();
        const first = new Map<number, number>();
        for (const { id, args, finish } of steps) {
          const given = results.run(`c${id}`, call({ args }));
          const before = first.get(id);
          if (before === undefined) first.set(id, args);
          else if (before === args) seen.again++;
          else {
            seen.conflicts++;
            expect(await given).toMatchObject({ error: { code: 'conflict' } });
          }
          if (finish) waiting.forEach((resolve, at) => resolve(done(`${at}`)));
        }
        expect(ran.map(({ args }) => args)).toEqual([...first.values()].map((args) => ({ args })));
      }),
      { numRuns: 300 },
    );
    expect(Math.min(seen.again, seen.conflicts)).toBeGreaterThan(50);
  });
});
