import { expect, it } from 'vitest';
import { replayRun } from '../../../src/core/orchestrator/drive/run-journal';
import type { Limits } from '../../../src/core/orchestrator/limits';
import { runOptions } from '../run-fixture';
import { PausedAgents } from './paused-agents';
import { Machine, type Program } from './program';
import { obedientAgent, kindOf } from './scripted-agent';

const PLAN = {
  operations: [
    { type: 'add', title: 'Read it', body: 'Success: it is read' },
    { type: 'add', title: 'Write it', dependsOn: ['Read it'] },
  ],
};
const HOUR = 3_600_000;

async function begin(program: Program, limits: Partial<Limits> = {}): Promise<string> {
  const run = await program.runs.start(runOptions({ approve: false }, limits));
  if (!run.ok) throw new Error(run.message);
  return run.value;
}

/** A machine whose agent's first working turns fail. */
function failing(turns: number, before: (machine: Machine) => void): Machine {
  let left = turns;
  const machine: Machine = new Machine(PLAN, (tools, plan) => {
    const well = obedientAgent(tools, plan);
    return async (prompt, code) => {
      if (kindOf(prompt) !== 'work' || left === 0) return well(prompt, code);
      left -= 1;
      before(machine);
      throw new Error('The model is overloaded.');
    };
  });
  return machine;
}

it.each([
  ['an hour', HOUR],
  ['to before the run began', 365 * 24 * HOUR],
])(
  '[RUN105] where the clock is set back %s, the next attempt does not wait for the old time',
  async (_, ms) => {
    const machine = failing(2, ({ clock }) => clock.set(-ms));
    const program = machine.program();
    const id = await begin(program);
    await machine.clock.advance(30_000);
    expect(program.runs.get(id)?.state).toMatchObject({
      kind: 'completed',
      run: { done: [{ title: 'Read it', attempts: 3 }, { attempts: 1 }] },
    });
    expect(await replayRun(machine.store, id)).toMatchObject({ value: { same: true } });
  },
);

it('[RUN105] the next attempt goes on where the clock is set back while it is waited for', async () => {
  const machine = failing(2, () => undefined);
  const program = machine.program();
  const id = await begin(program);
  await machine.clock.advance(100);
  expect(machine.code.prompts.filter((prompt) => kindOf(prompt) === 'work')).toHaveLength(1);
  machine.clock.set(-HOUR);
  await machine.clock.advance(30_000);
  expect(program.runs.get(id)?.state.kind).toBe('completed');
});

it('[RUN105] a limit of minutes holds where the clock is set back', async () => {
  const held = new PausedAgents();
  const machine = new Machine(PLAN, (tools, plan) => held.play(obedientAgent(tools, plan)));
  const program = machine.program();
  const id = await begin(program, { minutes: 2 });
  await machine.clock.advance(60_000);
  machine.clock.set(-HOUR);
  await machine.clock.advance(110_000);
  expect(machine.code.requests.filter((one) => one.startsWith('interrupt'))).toEqual([]);
  await machine.clock.advance(15_000);
  expect(machine.code.requests.filter((one) => one.startsWith('interrupt'))).toHaveLength(1);
  expect(program.runs.get(id)?.state).toMatchObject({
    kind: 'waiting',
    why: [{ kind: 'limit', limit: 'minutes' }],
  });
});

it('[RUN34] a silent session is looked at also where the clock is set back', async () => {
  const held = new PausedAgents();
  const machine = new Machine(PLAN, (tools, plan) => held.play(obedientAgent(tools, plan)));
  const program = machine.program();
  const id = await begin(program);
  await machine.clock.advance(3_000);
  machine.code.buses.clear();
  held.resumeAll();
  machine.clock.set(-HOUR);
  await machine.clock.advance(10_000);
  machine.code.addListener(program.bus);
  expect(machine.code.prompts.map((prompt) => kindOf(prompt))).toEqual(['plan', 'work', 'check']);
  expect(program.runs.get(id)?.state.kind).toBe('going');
});
