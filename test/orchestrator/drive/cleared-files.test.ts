import { expect, it } from 'vitest';
import { replayRun } from '../../../src/core/orchestrator/drive/run-journal';
import { runOptions } from '../run-fixture';
import { PausedAgents } from './paused-agents';
import { Machine, type Program } from './program';
import { obedientAgent, kindOf } from './scripted-agent';

const PLAN = {
  operations: [
    { type: 'add', title: 'Read it' },
    { type: 'add', title: 'Write it', dependsOn: ['Read it'] },
  ],
};
const FOLDER = '.opencode/agent-task-boards/runs';

interface Working {
  readonly machine: Machine;
  readonly program: Program;
  readonly held: PausedAgents;
  readonly id: string;
}

async function working(): Promise<Working> {
  const held = new PausedAgents();
  const machine = new Machine(PLAN, (tools, plan) => held.play(obedientAgent(tools, plan)));
  const program = machine.program();
  const run = await program.runs.start(runOptions({ approve: false }));
  if (!run.ok) throw new Error(run.message);
  await machine.clock.advance(3_000);
  expect(held.count).toBe(1);
  return { machine, program, held, id: run.value };
}

it.each([
  ['its file is', (path: string) => path.endsWith('/run.json')],
  ['all its files are', () => true],
])(
  '[RUN107] a run goes on where %s taken away, and is there again for who takes it up',
  async (_, which) => {
    const { machine, program, held, id } = await working();
    for (const path of [...machine.store.files.keys()]) {
      if (path.startsWith(`${FOLDER}/${id}/`) && which(path)) machine.store.files.delete(path);
    }
    held.resumeAll();
    await machine.clock.advance(3_000);
    expect(program.runs.get(id)).toMatchObject({ by: 'here', fault: null });
    await program.runs.close();
    const second = machine.program();
    await second.runs.scan();
    expect(await second.runs.takeUp(id)).toEqual({ ok: true, value: undefined });
    held.resumeAll();
    expect((await second.advanceUntilRest(id)).state).toMatchObject({
      kind: 'completed',
      run: { done: [{ attempts: 1 }, { attempts: 1 }] },
    });
    expect(machine.code.prompts.filter((prompt) => kindOf(prompt) === 'work')).toHaveLength(2);
  },
);

it('[RUN107] what another program has put in their place meanwhile stays', async () => {
  const { machine, program, held, id } = await working();
  const path = `${FOLDER}/${id}/run.json`;
  const text = machine.store.files.get(path)?.text ?? '';
  machine.store.put(path, text.replace(/"driver":"[^"]*"/, '"driver":"another"'));
  const theirs = machine.store.files.get(path)?.text;
  held.resumeAll();
  await machine.clock.advance(3_000);
  expect(machine.store.files.get(path)?.text).toBe(theirs);
  expect(program.runs.get(id)?.by).toBe('nobody');
  expect(machine.code.prompts).toHaveLength(2);
  expect(await replayRun(machine.store, id)).toMatchObject({ ok: true });
});

it('[RUN108] the actions for one run keep no other waiting', async () => {
  const machine = new Machine(PLAN);
  const program = machine.program();
  const begin = async (): Promise<string> => {
    const run = await program.runs.start(runOptions());
    if (!run.ok) throw new Error(run.message);
    await machine.clock.advance(500);
    return run.value;
  };
  const [slow, other] = [await begin(), await begin()];
  const read = machine.store.read.bind(machine.store);
  machine.store.read = (path) =>
    path.startsWith(`${FOLDER}/${slow}/inbox/`) ? new Promise(() => undefined) : read(path);
  machine.store.put(`${FOLDER}/${slow}/inbox/1.json`, '{"type": "pause"}');
  await machine.clock.advance(3_000);
  machine.store.put(`${FOLDER}/${other}/inbox/1.json`, '{"type": "pause"}');
  await machine.clock.advance(3_000);
  expect(program.runs.get(other)?.state.kind).toBe('paused');
  expect(program.runs.get(slow)?.state.kind).toBe('going');
});

it('[RUN103] thousands of files that are no action are cleared, and what stands behind them is done', async () => {
  const machine = new Machine(PLAN);
  const program = machine.program();
  const run = await program.runs.start(runOptions());
  const id = run.ok ? run.value : '';
  await machine.clock.advance(500);
  const inbox = `${FOLDER}/${id}/inbox`;
  for (let n = 0; n < 5_000; n += 1) {
    machine.store.put(`${inbox}/${String(n).padStart(15, '0')}-x.json`, '{"type": "delete_all"}');
  }
  machine.store.put(`${inbox}/${'9'.repeat(15)}-x.json`, '{"type": "cancel"}');
  const before = machine.store.writes.length;
  await machine.clock.advance(30_000);
  expect(program.runs.get(id)?.state.kind).toBe('cancelled');
  expect([...machine.store.files.keys()].filter((path) => path.startsWith(inbox))).toEqual([]);
  expect(machine.store.writes.length - before).toBeLessThan(10);
});
