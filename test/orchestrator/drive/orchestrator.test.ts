import { expect, it } from 'vitest';
import { replayRun } from '../../../src/core/orchestrator/drive/run-journal';
import { stateName } from '../../../src/core/orchestrator/state';
import { runOptions } from '../run-fixture';
import { Machine, type Program } from './program';
import { obedientAgent, complete, kindOf, taskOf, verdict } from './scripted-agent';

const PLAN = {
  operations: [
    { type: 'add', title: 'Read it', body: 'Success: it is read' },
    { type: 'add', title: 'Write it', dependsOn: ['Read it'] },
    { type: 'add', title: 'Print it', dependsOn: ['Read it'] },
  ],
};

export async function begun(
  program: Program,
  given = runOptions({ approve: false }),
): Promise<string> {
  const run = await program.runs.start(given);
  if (!run.ok) throw new Error(run.message);
  return run.value;
}

it('[RUN30] a run goes from its goal to done: each command once, the log leads to the stored state', async () => {
  const machine = new Machine(PLAN);
  const program = machine.program();
  const id = await begun(program, runOptions({ approve: false }, { parallel: 2 }));
  const end = await program.advanceUntilRest(id);

  expect(stateName(end.state)).toBe('completed');
  expect(machine.code.prompts.map((prompt) => kindOf(prompt))).toEqual([
    'plan',
    'work',
    'check',
    'work',
    'work',
  ]);
  expect(new Set(machine.code.requests).size).toBe(machine.code.requests.length);
  const board = await program.manager.load(end.board ?? '');
  expect(board?.tasks.map(({ title, status }) => `${title}: ${status}`)).toEqual([
    'Read it: completed',
    'Write it: completed',
    'Print it: completed',
  ]);
  expect(board?.tasks.map(({ body }) => body.filter((line) => line.startsWith('Result')))).toEqual([
    ['Result: It works'],
    [`Result: Result of ${board?.tasks[1]?.id}.`],
    [`Result: Result of ${board?.tasks[2]?.id}.`],
  ]);
  const replayed = await replayRun(machine.store, id);
  expect(replayed).toMatchObject({ ok: true, value: { same: true, stored: end.state } });
  expect(machine.locks.held).toEqual([]);
  expect(program.logged).toEqual([]);
});

it('[RUN31] workers are bound to their task, checks to the board alone, each with a title that is told', async () => {
  const machine = new Machine(PLAN);
  const program = machine.program();
  const end = await program.advanceUntilRest(await begun(program));
  const [planner, worker, checker] = [...machine.code.sessions.values()];
  const task = end.plan.kind === 'plan' ? end.plan.tasks[0]?.id : undefined;
  expect(planner).toMatchObject({ parentId: null, board: undefined, agent: 'build' });
  expect(worker).toMatchObject({
    parentId: planner?.id,
    board: { session: planner?.id, agent: 'build', task },
  });
  expect(checker).toMatchObject({
    parentId: planner?.id,
    board: { session: planner?.id, agent: 'build' },
  });
  expect(checker?.board).not.toHaveProperty('task');
  expect(worker?.title).toBe('Read it');
});

it('[RUN7] a step that fails its check once is done again in its session with what went wrong', async () => {
  let checks = 0;
  const machine = new Machine(PLAN, (tools, plan) => {
    const well = obedientAgent(tools, plan);
    return async (prompt, code) => {
      if (kindOf(prompt) !== 'check') return well(prompt, code);
      checks += 1;
      return verdict(prompt, checks > 1);
    };
  });
  const program = machine.program();
  const end = await program.advanceUntilRest(await begun(program));
  expect(end.state).toMatchObject({
    kind: 'completed',
    run: { done: [{ title: 'Read it', attempts: 2 }, { attempts: 1 }, { attempts: 1 }] },
  });
  const [, first, , second] = machine.code.prompts;
  expect(second?.session).toBe(first?.session);
  expect(second?.text).toContain('What went wrong before');
});

it('[RUN33] an answer that is lost, and a connection that comes and goes, double nothing', async () => {
  const machine = new Machine(PLAN, (tools, plan) => {
    const well = obedientAgent(tools, plan);
    return async (prompt, code) => {
      const said = await well(prompt, code);
      code.losesAnswers = 1;
      return said;
    };
  });
  const program = machine.program();
  machine.code.losesAnswers = 1;
  const id = await begun(program);
  for (let round = 0; round < 40; round += 1) {
    machine.code.setConnected(round % 3 !== 0);
    await machine.clock.advance(700);
  }
  machine.code.setConnected(true);
  const end = await program.advanceUntilRest(id);
  expect(end.state.kind).toBe('completed');
  const work = machine.code.prompts.filter((prompt) => kindOf(prompt) === 'work').map(taskOf);
  expect(new Set(work).size).toBe(work.length);
  expect(work).toHaveLength(3);
  const keys = [...machine.code.sessions.values()].map(({ key }) => key);
  expect(new Set(keys).size).toBe(keys.length);
  expect(await replayRun(machine.store, id)).toMatchObject({ value: { same: true } });
});

it('[RUN34] OpenCode that is killed in a step goes on with it: what was done is kept, the rest is asked for again', async () => {
  let kills = 2;
  const machine = new Machine(PLAN, (tools, plan) => {
    const well = obedientAgent(tools, plan);
    return async (prompt, code) => {
      if (kindOf(prompt) === 'work' && kills > 0) {
        kills -= 1;
        if (kills === 0) await complete(tools, prompt);
        code.kill();
        return 'never heard';
      }
      return well(prompt, code);
    };
  });
  const program = machine.program();
  const id = await begun(program);
  for (let round = 0; round < 6; round += 1) {
    await machine.clock.advance(3_000);
    machine.code.setConnected(true);
  }
  const end = await program.advanceUntilRest(id);
  expect(end.state.kind).toBe('completed');
  const work = machine.code.prompts.filter((prompt) => kindOf(prompt) === 'work');
  // The first was cut before it did anything; the second afterwards, so it is not repeated.
  expect(work).toHaveLength(4);
  expect(end.state).toMatchObject({ run: { done: [{ attempts: 1 }, {}, {}] } });
});
