import { expect, test } from 'vitest';
import { StoreError } from '../../src/core/ports';
import { fc } from '../seeded';
import { flushPromises } from '../wire/manual-clock';
import { broken, list, NoteScene, read, write } from './note-scene';

test('[TOOL22] whatever is called, answered, changed and cancelled: one intent and one outcome each', async () => {
  const seen = new Map<string, number>();
  const path = fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom('a.md', 'b.md', 'Private/a.md') },
    fc.constantFrom('../a.md', '.git/x', '', 'x.exe'),
  );
  const call = fc.oneof(
    fc.record({ tool: fc.constant('read'), args: fc.record({ path }) }),
    {
      weight: 8,
      arbitrary: fc.record({
        tool: fc.constant('write'),
        args: fc.record({
          path,
          add: fc.constantFrom('!', '?', '', 'unfit'),
          dryRun: fc.nat(4).map((one) => one === 0),
        }),
      }),
    },
    fc.record({
      tool: fc.constant('list'),
      args: fc.record({ folder: path, names: fc.array(path, { maxLength: 3 }) }),
    }),
    fc.record({ tool: fc.constantFrom('broken', 'none'), args: fc.record({ plan: fc.boolean() }) }),
    fc.record({ tool: fc.constantFrom('read', 'write'), args: fc.anything() }),
  );
  const step = fc.oneof(
    { weight: 4, arbitrary: fc.record({ kind: fc.constant('call' as const), call }) },
    fc.record({
      kind: fc.constant('answer' as const),
      reply: fc.constantFrom('once', 'reject'),
      at: fc.nat(2),
    }),
    fc.record({ kind: fc.constant('edit' as const), path: fc.constantFrom('a.md', 'b.md') }),
    fc.record({ kind: fc.constant('cancel' as const), id: fc.nat(1) }),
    fc.record({ kind: fc.constant('wait' as const), ms: fc.nat(700_000) }),
    fc.record({ kind: fc.constant('fault' as const) }),
  );
  const verdict = fc.constantFrom('allow', 'ask', 'deny');
  const rule = fc.record({
    permission: fc.constantFrom('read', 'write', 'create', 'update', '*'),
    pattern: fc.constantFrom('**', 'a.md', 'Private/**'),
    action: verdict,
  });
  await fc.assert(
    fc.asyncProperty(
      fc.array(rule, { maxLength: 3 }),
      fc.array(step, { maxLength: 14 }),
      async (rules, steps) => {
        const scene = await NoteScene.make({ rules, tools: [read, write, list, broken] });
        const running: Promise<unknown>[] = [];
        let ids = 0;
        for (const one of steps) {
          if (one.kind === 'call')
            running.push(scene.run(one.call.tool, one.call.args, { callId: `c${ids++ % 2}` }));
          else if (one.kind === 'cancel') scene.host.cancel(`c${one.id}`, 's');
          else if (one.kind === 'wait') await scene.clock.advance(one.ms);
          else if (one.kind === 'fault') scene.memory.fault = new StoreError('io', 'No disk.');
          else if (one.kind === 'edit') {
            scene.memory.put(one.path, `edited ${ids}`);
            await scene.host.noteChanged(one.path);
          } else {
            const ask = scene.asks.all()[one.at];
            if (ask !== undefined) scene.asks.answer(ask.requestId, { reply: one.reply as 'once' });
          }
          await flushPromises();
        }
        while (scene.asks.all().length > 0) await scene.clock.advance(600_000);
        await Promise.all(running);
        const calls = running.length === 0 ? [] : await scene.calls();
        expect(calls).toHaveLength(running.length);
        const written = calls.filter(
          ({ intent, outcome }) =>
            intent.operation !== 'read' &&
            outcome?.result === 'done' &&
            outcome.before !== outcome.after,
        );
        expect(scene.memory.writes).toHaveLength(written.length);
        expect(
          written.every(({ intent, outcome }) =>
            intent.verdict === 'ask' ? outcome?.reply === 'once' : intent.verdict === 'allow',
          ),
        ).toBe(true);
        for (const { outcome } of calls) {
          const result = outcome?.result ?? 'missing';
          seen.set(result, (seen.get(result) ?? 0) + 1);
        }
      },
    ),
    { numRuns: 150 },
  );
  expect([...seen.keys()].sort()).toEqual(['cancelled', 'denied', 'done', 'failed', 'preview']);
  expect(Math.min(...seen.values())).toBeGreaterThan(3);
});
