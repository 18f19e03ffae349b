import { expect, it } from 'vitest';
import { replayRun } from '../../../src/core/orchestrator/drive/run-journal';
import { runOptions } from '../run-fixture';
import { DyingStore } from './dying-store';
import { PausedAgents } from './paused-agents';
import { Machine, type Program } from './program';
import { obedientAgent, kindOf, taskOf } from './scripted-agent';

const PLAN = {
  operations: [
    { type: 'add', title: 'Read it' },
    { type: 'add', title: 'Write it', dependsOn: ['Read it'] },
  ],
};

/** More writes than a roll back makes. */
const MAX = 60;

interface Killed {
  readonly machine: Machine;
  readonly program: Program;
  readonly id: string;
  readonly killed: boolean;
}

/** Rolls a run back to before its first task, and kills the program at the n-th write of that. */
async function killedAt(n: number, when: 'before' | 'behind'): Promise<Killed> {
  const held = new PausedAgents();
  const machine = new Machine(PLAN, (tools, plan) => held.play(obedientAgent(tools, plan)));
  const begun = machine.program('cli');
  const run = await begun.runs.start(runOptions({ approve: false }));
  const id = run.ok ? run.value : '';
  await machine.clock.advance(3_000);
  expect(held.count).toBe(1);
  await begun.die();
  const store = new DyingStore(machine.store, n, when, () => void first.die());
  const first: Program = machine.program('cli', store);
  await first.runs.scan();
  const rolled = first.runs.rollBack(id, 1).catch((error: unknown) => error);
  for (let round = 0; round < 20 && !store.dead; round += 1) await machine.clock.advance(500);
  if (!store.dead) {
    expect(await rolled).toMatchObject({ ok: true });
    await first.die();
  }
  held.resumeAll();
  const second = machine.program('obsidian');
  await second.runs.scan();
  expect(await second.runs.takeUp(id)).toEqual({ ok: true, value: undefined });
  await machine.clock.advance(3_000);
  if (second.runs.get(id)?.state.kind !== 'going') {
    for (const task of heldTasks(second, id)) await second.runs.act(id, { type: 'retry', task });
    await second.runs.act(id, { type: 'resume' });
  }
  for (let round = 0; round < 20; round += 1) {
    await machine.clock.advance(1_000);
    for (const task of heldTasks(second, id)) await second.runs.act(id, { type: 'retry', task });
    held.resumeAll();
  }
  await second.advanceUntilRest(id);
  return { machine, program: second, id, killed: store.dead };
}

/** Tasks whose turn was stopped and that were not reset. */
function heldTasks({ runs }: Program, id: string): readonly string[] {
  const state = runs.get(id)?.state;
  return state?.kind === 'waiting'
    ? state.why.flatMap((why) => (why.kind === 'held' ? (why.task.id ?? []) : []))
    : [];
}

it.each(['before', 'behind'] as const)(
  '[RUN40, RUN32] killed %s any write of a roll back, the run goes on from a board that is whole',
  async (when) => {
    let kills = 0;
    for (let n = 1; n < MAX; n += 1) {
      const { machine, program, id, killed } = await killedAt(n, when);
      try {
        const end = program.runs.get(id);
        expect(end?.state.kind).toBe('completed');
        const board = await program.manager.load(end?.board ?? '');
        expect(board?.tasks.map(({ status }) => status)).toEqual(['completed', 'completed']);
        const last = machine.code.prompts.at(-1);
        expect(last && taskOf(last)).toBe(board?.tasks[1]?.id);
        const work = machine.code.prompts.filter((prompt) => kindOf(prompt) === 'work');
        expect(work.length).toBeLessThanOrEqual(3);
        expect(await replayRun(machine.store, id)).toMatchObject({ value: { same: true } });
      } catch (error) {
        throw new Error(`killed ${when} write ${n}`, { cause: error });
      }
      if (!killed) break;
      kills += 1;
    }
    expect(kills).toBeGreaterThan(8);
    expect(kills).toBeLessThan(MAX - 2);
  },
);
