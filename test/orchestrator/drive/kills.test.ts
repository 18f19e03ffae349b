import { expect, it } from 'vitest';
import { replayRun } from '../../../src/core/orchestrator/drive/run-journal';
import { RUN_ACTOR } from '../../../src/core/orchestrator/drive/command-executor';
import { runOptions } from '../run-fixture';
import { DyingStore } from './dying-store';
import { Machine, type Program } from './program';
import { kindOf, taskOf } from './scripted-agent';

const PLAN = {
  operations: [
    { type: 'add', title: 'Read it', body: 'Success: it is read' },
    { type: 'add', title: 'Write it', dependsOn: ['Read it'] },
  ],
};
const AS_TEXT = { text: '1. Read it\n2. Write it' };

/** More writes than such a run makes. */
const MAX = 400;

/** A run whose program is killed at its n-th write and restarted; undefined if it ended before. */
async function killedAt(
  n: number,
  when: 'before' | 'behind',
  plan: typeof PLAN | typeof AS_TEXT,
): Promise<{ machine: Machine; program: Program; id: string; killed: boolean }> {
  const machine = new Machine(plan);
  const store = new DyingStore(machine.store, n, when, () => void first.die());
  const first: Program = machine.program('obsidian', store);
  const begun = await first.runs.start(runOptions({ approve: false }));
  for (let round = 0; begun.ok && round < 200 && !store.dead; round += 1) {
    const run = first.runs.get(begun.value);
    if (run?.state.kind === 'completed' && machine.locks.held.length === 0) break;
    await machine.clock.advance(500);
  }
  if (!store.dead)
    return { machine, program: first, id: begun.ok ? begun.value : '', killed: false };
  await first.die();
  const second = machine.program('obsidian');
  await second.runs.scan();
  const there = second.runs.all()[0];
  const id = there === undefined ? await start(second) : there.id;
  if (there !== undefined && there.state.kind !== 'completed') {
    expect(await second.runs.takeUp(id)).toEqual({ ok: true, value: undefined });
  }
  await second.advanceUntilRest(id);
  return { machine, program: second, id, killed: true };
}

async function start(program: Program): Promise<string> {
  const run = await program.runs.start(runOptions({ approve: false }));
  if (!run.ok) throw new Error(run.message);
  return run.value;
}

async function judge(machine: Machine, program: Program, id: string): Promise<void> {
  const run = program.runs.get(id);
  expect(run?.state.kind).toBe('completed');
  const prompts = machine.code.prompts.map((prompt) => `${kindOf(prompt)} ${taskOf(prompt)}`);
  expect(new Set(prompts).size, prompts.join()).toBe(prompts.length);
  const keys = [...machine.code.sessions.values()].map(({ key }) => key);
  expect(new Set(keys).size).toBe(keys.length);
  const board = await program.manager.load(run?.board ?? '');
  expect(board?.tasks).toHaveLength(2);
  for (const { status, body } of board?.tasks ?? []) {
    expect(status).toBe('completed');
    expect(body.filter((line) => line.startsWith('Result:'))).toHaveLength(1);
  }
  const said = (await program.manager.changes(run?.board ?? ''))
    .filter(({ by }) => by.kind === 'agent' && by.name === RUN_ACTOR.name)
    .flatMap((record) => record.said);
  expect(new Set(said).size, said.join()).toBe(said.length);
  const labels = (await program.manager.checkpoints.list(run?.board ?? '')).map(
    ({ label }) => label,
  );
  expect(labels).toEqual(['Before: Write it', 'Before: Read it']);
  expect(await replayRun(machine.store, id)).toMatchObject({ ok: true, value: { same: true } });
}

it.each([
  ['before', PLAN],
  ['behind', AS_TEXT],
] as const)(
  '[RUN32] killed %s any write of a run, each step is done once and the run ends well',
  async (when, plan) => {
    let kills = 0;
    for (let n = 1; n < MAX; n += 1) {
      const { machine, program, id, killed } = await killedAt(n, when, plan);
      try {
        await judge(machine, program, id);
      } catch (error) {
        throw new Error(`killed ${when} write ${n}`, { cause: error });
      }
      if (!killed) break;
      kills += 1;
    }
    expect(kills).toBeGreaterThan(40);
    expect(kills).toBeLessThan(MAX - 1);
  },
  120_000,
);
