import { PERSON } from '../../../src/core/board/history/actor';
import { expect, it } from 'vitest';
import { replayRun } from '../../../src/core/orchestrator/drive/run-journal';
import { RUN_ACTOR, writeTask } from '../../../src/core/orchestrator/drive/command-executor';
import { runOptions } from '../run-fixture';
import { PausedAgents } from './paused-agents';
import { Machine, type Program } from './program';
import { obedientAgent, complete } from './scripted-agent';

const PLAN = {
  operations: [
    { type: 'add', title: 'Read it' },
    { type: 'add', title: 'Write it' },
  ],
};

interface Working {
  readonly machine: Machine;
  readonly program: Program;
  readonly held: PausedAgents;
  readonly id: string;
  readonly path: string;
  /** ids of the two tasks; the first is in progress */
  readonly tasks: readonly string[];
}

async function working(): Promise<Working> {
  const held = new PausedAgents();
  const machine = new Machine(PLAN, (tools, plan) => held.play(obedientAgent(tools, plan)));
  const program = machine.program('cli');
  const run = await program.runs.start(runOptions({ approve: false }));
  if (!run.ok) throw new Error(run.message);
  await machine.clock.advance(2_500);
  const view = program.runs.get(run.value);
  const path = view?.board ?? '';
  const tasks = view?.plan.kind === 'plan' ? view.plan.tasks.flatMap(({ id }) => id ?? []) : [];
  expect(held.count).toBe(1);
  return { machine, program, held, id: run.value, path, tasks };
}

/** The person's changes that the run heard, an entry for each time. */
async function told({ machine, id }: Working): Promise<(readonly string[])[]> {
  const replayed = await replayRun(machine.store, id);
  if (!replayed.ok) throw new Error(replayed.message);
  return replayed.value.steps.flatMap(({ record: { event } }) =>
    event.type === 'board' && event.byPerson.length > 0 ? [event.byPerson] : [],
  );
}

function type({ machine, path }: Working, id: string, mark: string): void {
  const text = machine.store.files.get(path)?.text ?? '';
  const line = text.split('\n').find((one) => one.includes(`🆔 ${id}`)) ?? '';
  machine.store.put(path, text.replace(line, line.replace(/\[.\]/, `[${mark}]`)));
}

it('[RUN37] what an agent does in another program is nobody’s word, nor what the run writes', async () => {
  const at = await working();
  const { machine, program, held, id } = at;
  await complete(machine.tools, machine.code.prompts[1] as never);
  await machine.clock.advance(6_000);
  expect(machine.code.requests.filter((one) => one.startsWith('interrupt'))).toEqual([]);
  for (let turn = 0; turn < 3; turn += 1) {
    held.resumeAll();
    await machine.clock.advance(3_000);
  }
  expect((await program.advanceUntilRest(id)).state.kind).toBe('completed');
  expect(await told(at)).toEqual([]);
});

it('[RUN37] what a person does in the note is their word: the turn that works on it is stopped', async () => {
  const at = await working();
  const { machine, tasks } = at;
  type(at, tasks[0] ?? '', '-');
  await machine.clock.advance(3_000);
  expect(await told(at)).toEqual([[tasks[0]]]);
  expect(machine.code.requests.filter((one) => one.startsWith('interrupt'))).toHaveLength(1);
});

it('[RUN37] so is what a person does through another program, as the history tells', async () => {
  const at = await working();
  const { machine, path, tasks } = at;
  const other = machine.program('obsidian');
  await other.manager.scan();
  const task = (await other.manager.load(path))?.tasks[0];
  if (task === undefined) throw new Error('no task');
  await other.manager.commit(path, PERSON, [{ type: 'update', id: task, status: 'cancelled' }]);
  await machine.clock.advance(3_000);
  expect(await told(at)).toEqual([[tasks[0]]]);
});

it('[RUN37] an agent’s change and a person’s over it, seen at once, are the person’s', async () => {
  const at = await working();
  const { machine, tasks } = at;
  await complete(machine.tools, machine.code.prompts[1] as never);
  type(at, tasks[0] ?? '', '-');
  await machine.clock.advance(3_000);
  expect(await told(at)).toEqual([[tasks[0]]]);
});

it('[RUN37] what a person did while no program carried the run out is told when it is taken up', async () => {
  const at = await working();
  const { machine, program, held, id, tasks } = at;
  await program.runs.close();
  type(at, tasks[0] ?? '', '-');
  const second = machine.program();
  await second.runs.scan();
  await second.runs.takeUp(id);
  await machine.clock.advance(3_000);
  expect(await told(at)).toEqual([[tasks[0]]]);
  expect(machine.code.requests.filter((one) => one.startsWith('interrupt'))).toHaveLength(1);
  held.resumeAll();
  expect((await second.advanceUntilRest(id)).state.kind).toBe('completed');
  expect((await second.manager.load(at.path))?.tasks.map(({ status }) => status)).toEqual([
    'cancelled',
    'completed',
  ]);
});

it('[RUN38] the history names the run for what it wrote, and the key that it was asked for with', async () => {
  const { program, path, id } = await working();
  const [newest] = await program.manager.history(path);
  expect(newest).toMatchObject({ by: RUN_ACTOR });
  expect(newest?.said[0]).toMatch(new RegExp(`^begun for the run \\[${id}\\.\\d+\\]$`));
});

it('[RUN38] a write that meets another status than when it was asked for leaves it', async () => {
  const at = await working();
  const { program, path, tasks } = at;
  const begin = { kind: 'begin' } as const;
  const command = { type: 'write', key: 'r.1', task: tasks[1] ?? '', write: begin } as const;
  type(at, tasks[1] ?? '', '-');
  const refused = await writeTask(program.manager, path, command, 'pending');
  expect(refused).toMatchObject({ ok: false, code: 'changed_since' });
  expect((await program.manager.load(path))?.tasks[1]?.status).toBe('cancelled');
  const asked = await writeTask(program.manager, path, command, 'cancelled');
  expect(asked.ok).toBe(true);
  expect((await program.manager.load(path))?.tasks[1]?.status).toBe('in_progress');
});

const ROLLED_BACK = { kind: 'rolled_back', checkpoint: 1 };

it('[RUN40] [RUN113] a board is rolled back after the run is paused and its turns are stopped; its timeline says so', async () => {
  const at = await working();
  const { machine, program, id, path, tasks } = at;
  const kept = await program.runs.checkpoint(id, 'By hand');
  expect(kept).toEqual({ ok: true, value: 2 });
  const rolled = program.runs.rollBack(id, 1);
  await machine.clock.advance(5_000);
  expect(await rolled).toMatchObject({ ok: true, changes: [{ id: tasks[0] }] });
  expect(machine.code.requests.filter((one) => one.startsWith('interrupt'))).toHaveLength(1);
  expect(program.runs.get(id)?.state).toMatchObject({
    kind: 'paused',
    run: { timeline: expect.arrayContaining([expect.objectContaining(ROLLED_BACK)]) as unknown },
  });
  expect((await program.manager.load(path))?.tasks.map(({ status }) => status)).toEqual([
    'pending',
    'pending',
  ]);
  const states = [...machine.store.files.keys()].filter((one) => one.includes('/kept/'));
  expect(states.map((one) => one.slice(one.lastIndexOf('/') + 1))).toEqual(['1.json', '2.json']);
  // A task that was begun again continues from the board as it is then.
  await program.runs.act(id, { type: 'resume' });
  at.held.resumeAll();
  for (let turn = 0; turn < 6; turn += 1) {
    await machine.clock.advance(3_000);
    at.held.resumeAll();
  }
  expect((await program.advanceUntilRest(id)).state.kind).toBe('completed');
});

it('[RUN40] where a turn does not stop, the board stays as it is', async () => {
  const at = await working();
  const { machine, program, id, path } = at;
  machine.code.ignoresInterrupts = true;
  const before = machine.store.files.get(path)?.text;
  const rolled = program.runs.rollBack(id, 1);
  await machine.clock.advance(60_000);
  expect(await rolled).toMatchObject({ ok: false, code: 'busy' });
  expect(machine.store.files.get(path)?.text).toBe(before);
  expect(await program.runs.rollBack(id, 9)).toMatchObject({
    ok: false,
    code: 'unknown_checkpoint',
  });
});
