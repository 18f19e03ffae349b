import { expect, it } from 'vitest';
import { replayRun } from '../../../src/core/orchestrator/drive/run-journal';
import { runOptions } from '../run-fixture';
import { Machine } from './program';

const PLAN = {
  operations: [
    { type: 'add', title: 'Read it' },
    { type: 'add', title: 'Write it', dependsOn: ['Read it'] },
  ],
};

it('[RUN36] of two programs that take a run up at once one has it; what both want is done there', async () => {
  const machine = new Machine(PLAN);
  const first = machine.program('cli');
  const run = await first.runs.start(runOptions());
  const id = run.ok ? run.value : '';
  await machine.clock.advance(500);
  await first.runs.close();
  const [one, two] = [machine.program('cli'), machine.program('cli')];
  await one.runs.scan();
  await two.runs.scan();
  const taken = await Promise.all([one.runs.takeUp(id), two.runs.takeUp(id)]);
  expect(taken.map(({ ok }) => ok).sort()).toEqual([false, true]);
  expect([one, two].map(({ runs }) => runs.get(id)?.by).sort()).toEqual(['here', 'nobody']);
  await one.runs.close();
  await two.runs.close();

  const [three, four] = [machine.program('cli'), machine.program('cli')];
  await three.runs.scan();
  await four.runs.scan();
  const approved = three.runs.act(id, { type: 'approve' });
  const given = four.runs.act(id, { type: 'more', more: { turns: 20 } });
  await machine.clock.advance(3_000);
  expect([await approved, await given]).toEqual([
    { ok: true, value: undefined },
    { ok: true, value: undefined },
  ]);
  const carrier = three.runs.get(id)?.by === 'here' ? three : four;
  expect((await carrier.advanceUntilRest(id)).state).toMatchObject({
    kind: 'completed',
    run: { wish: { limits: { turns: 60 } } },
  });
  expect(machine.code.prompts).toHaveLength(3);
  expect(await replayRun(machine.store, id)).toMatchObject({ value: { same: true } });
});
