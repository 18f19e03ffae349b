import { expect, it } from 'vitest';
import { replayRun } from '../../../src/core/orchestrator/drive/run-journal';
import { RunFiles } from '../../../src/core/orchestrator/drive/run-files';
import type { Limits } from '../../../src/core/orchestrator/limits';
import { runOptions } from '../run-fixture';
import type { AgentBehaviour } from './fake-opencode';
import { Machine, type Program } from './program';
import { obedientAgent, kindOf } from './scripted-agent';

async function run(program: Program, approve: boolean, limits: Partial<Limits>): Promise<string> {
  const begun = await program.runs.start(runOptions({ approve }, limits));
  if (!begun.ok) throw new Error(begun.message);
  return begun.value;
}

it('[RUN109] the log of a plan of a thousand tasks grows by what happens, and leads to the stored state', async () => {
  const machine = new Machine({ text: '1. Write the guide' });
  const program = machine.program();
  const id = await run(program, true, { turns: 9, parallel: 4 });
  await machine.clock.advance(500);
  const path = program.runs.get(id)?.board ?? '';
  const text = machine.store.files.get(path)?.text ?? '';
  const line = text.split('\n').find((one) => one.startsWith('- [ ]')) ?? '';
  const more = Array.from({ length: 999 }, (_, at) => `- [ ] Write chapter ${at + 1}`);
  machine.store.put(path, text.replace(line, [line, ...more].join('\n')));
  expect(await program.runs.act(id, { type: 'approve' })).toEqual({ ok: true, value: undefined });
  const end = await program.advanceUntilRest(id);
  expect(end.state).toMatchObject({ kind: 'waiting', why: [{ kind: 'limit', limit: 'turns' }] });
  expect(end.plan.kind === 'plan' && end.plan.tasks).toHaveLength(1_000);
  const replayed = await replayRun(machine.store, id);
  expect(replayed).toMatchObject({ ok: true, value: { same: true } });
  const files = new RunFiles(machine.store);
  expect(await files.segments(id)).toEqual([1]);
  const lines = (await files.segment(id, 1)).split('\n');
  expect(lines.length).toBeGreaterThan(50);
  // The log contains the whole new board, and only once.
  expect(lines.filter((line) => line.length > 3_000)).toHaveLength(1);
});

it('[RUN14] sixteen tasks are worked on at once, and each of forty once', async () => {
  let most = 0;
  let now = 0;
  const operations = Array.from({ length: 40 }, (_, at) => ({
    type: 'add',
    title: `Task ${at + 1}`,
    body: 'Success: it is done',
  }));
  const waiting: (() => void)[] = [];
  const machine = new Machine({ operations }, (tools, plan): AgentBehaviour => {
    const well = obedientAgent(tools, plan);
    return async (prompt, code) => {
      if (kindOf(prompt) !== 'work') return well(prompt, code);
      now += 1;
      most = Math.max(most, now);
      await new Promise<void>((go) => waiting.push(go));
      now -= 1;
      return well(prompt, code);
    };
  });
  const program = machine.program();
  const id = await run(program, false, { turns: 200, parallel: 16 });
  for (let round = 0; round < 200 && program.runs.get(id)?.state.kind === 'going'; round += 1) {
    await machine.clock.advance(500);
    // Ends the one begun last first.
    waiting.pop()?.();
  }
  const end = await program.advanceUntilRest(id);
  expect(end.state.kind).toBe('completed');
  expect(most).toBe(16);
  const titles = machine.code.prompts.filter((prompt) => kindOf(prompt) === 'work');
  expect(titles).toHaveLength(40);
  expect(await replayRun(machine.store, id)).toMatchObject({ ok: true, value: { same: true } });
});
