import { expect, it } from 'vitest';
import { replayRun } from '../../../src/core/orchestrator/drive/run-journal';
import type { RunState } from '../../../src/core/orchestrator/state';
import { runOptions } from '../run-fixture';
import { PausedAgents } from './paused-agents';
import { Machine, type Program } from './program';
import { obedientAgent, kindOf } from './scripted-agent';

const PLAN = {
  operations: [
    { type: 'add', title: 'Read it' },
    { type: 'add', title: 'Write it', dependsOn: ['Read it'] },
    { type: 'add', title: 'Print it', dependsOn: ['Write it'] },
  ],
};

interface Working {
  readonly machine: Machine;
  readonly program: Program;
  readonly held: PausedAgents;
  readonly id: string;
  readonly path: string;
}

/** A run whose first task is in progress. */
async function working(): Promise<Working> {
  const held = new PausedAgents();
  // Its tools use the current folder of the boards.
  const machine: Machine = new Machine(PLAN, (_, plan) =>
    held.play((prompt, code) => obedientAgent(machine.tools, plan)(prompt, code)),
  );
  const program = machine.program();
  const run = await program.runs.start(runOptions({ approve: false }));
  if (!run.ok) throw new Error(run.message);
  await machine.clock.advance(3_000);
  expect(held.count).toBe(1);
  return { machine, program, held, id: run.value, path: program.runs.get(run.value)?.board ?? '' };
}

/** Lets each held turn go on. */
async function goOn({ machine, held }: Working, turns: number): Promise<void> {
  for (let turn = 0; turn < turns; turn += 1) {
    held.resumeAll();
    await machine.clock.advance(3_000);
  }
}

function state({ program, id }: Working): RunState | undefined {
  return program.runs.get(id)?.state;
}

function works({ machine }: Working): number {
  return machine.code.prompts.filter((prompt) => kindOf(prompt) === 'work').length;
}

it('[RUN4] a run goes on where all boards are moved to another folder in the middle of a turn', async () => {
  const at = await working();
  const { machine, program } = at;
  machine.moveBoards('Boards');
  program.boards.useRoot('Boards');
  await machine.clock.advance(3_000);
  await goOn(at, 5);
  expect(state(at)).toMatchObject({
    kind: 'completed',
    run: { done: [{ attempts: 1 }, { attempts: 1 }, { attempts: 1 }] },
  });
  expect(program.runs.get(at.id)?.board).toMatch(/^Boards\//);
  const left = [...machine.store.files.keys()].filter((one) => one.startsWith('.opencode/todos/'));
  expect(left).toEqual([]);
  expect(await replayRun(machine.store, at.id)).toMatchObject({ value: { same: true } });
});

it('[RUN9] a board that is deleted in the middle of a turn is waited for, and gone on with', async () => {
  const at = await working();
  const { machine, path } = at;
  const text = machine.store.files.get(path)?.text ?? '';
  machine.store.files.delete(path);
  await goOn(at, 2);
  expect(state(at)).toMatchObject({ kind: 'waiting' });
  expect(works(at)).toBe(1);
  machine.store.put(path, text);
  await machine.clock.advance(3_000);
  const waiting = state(at);
  const held = waiting?.kind === 'waiting' ? waiting.why.find(({ kind }) => kind === 'held') : null;
  const task = held?.kind === 'held' ? (held.task.id ?? '') : '';
  expect(await at.program.runs.act(at.id, { type: 'retry', task })).toMatchObject({ ok: true });
  await machine.clock.advance(3_000);
  await goOn(at, 5);
  expect(state(at)).toMatchObject({ kind: 'completed' });
  expect(machine.store.files.has(path)).toBe(true);
});

it('[RUN4] a board that is replaced by another is the plan: what is gone from it is stopped', async () => {
  const at = await working();
  const { machine, path } = at;
  const text = machine.store.files.get(path)?.text ?? '';
  const lines = text.split('\n');
  const other = lines.filter((line) => !/^- \[.\]/.test(line));
  machine.store.put(path, `${other.join('\n')}\n- [ ] Paint it\n- [ ] Hang it\n`);
  await machine.clock.advance(3_000);
  expect(machine.code.requests.filter((one) => one.startsWith('interrupt'))).toHaveLength(1);
  await goOn(at, 6);
  expect(state(at)).toMatchObject({
    kind: 'completed',
    run: { done: [{ title: 'Paint it' }, { title: 'Hang it' }] },
  });
  expect(works(at)).toBe(3);
});

it('[RUN4] a board that is put away, and whose finished tasks are archived, is carried out', async () => {
  const at = await working();
  const { machine, program, path } = at;
  await program.manager.setHidden(path, true);
  await goOn(at, 1);
  const [planner] = machine.code.sessions.values();
  const context = { sessionId: planner?.id ?? '', agent: 'build', sessionTitle: 'A run' };
  const archived = await machine.tools.call(context, { operations: [{ type: 'archive' }] });
  expect(archived.result.results[0]?.error).toBe(undefined);
  await machine.clock.advance(3_000);
  expect((await program.manager.load(path))?.tasks).toHaveLength(2);
  await goOn(at, 5);
  expect(state(at)).toMatchObject({
    kind: 'completed',
    run: { done: [{ title: 'Read it' }, { title: 'Write it' }, { title: 'Print it' }] },
  });
  expect(works(at)).toBe(3);
});
