import { expect, it } from 'vitest';
import { replayRun } from '../../../src/core/orchestrator/drive/run-journal';
import type { FindNotes } from '../../../src/core/orchestrator/drive/orchestrator-deps';
import { entryText } from '../../../src/core/orchestrator/run-text';
import { runOptions } from '../run-fixture';
import { Machine } from './program';

const PLAN = { operations: [{ type: 'add', title: 'Read it' }] };

const related = {
  text: 'Note "Wall.md":\n````markdown\nStones.\n````',
  notes: [{ path: 'Wall.md', tokens: 12 }],
};

/** Runs to the end with this search for notes for the plan. */
async function run(notesFor: FindNotes) {
  const machine = new Machine(PLAN);
  const program = machine.program('cli');
  program.notesFor = notesFor;
  const begun = await program.runs.start(runOptions({ approve: false }));
  if (!begun.ok) throw new Error(begun.message);
  const { state } = await program.advanceUntilRest(begun.value);
  if (state.kind === 'idle') throw new Error('there is no run');
  return { machine, program, id: begun.value, state };
}

it('[CTX26] notes go along with the first prompt of a plan and no other, and stand in timeline and log', async () => {
  const asked: string[] = [];
  const { machine, id, state } = await run((goal, { sessionId, agent }) => {
    asked.push(`${goal} ${sessionId} ${agent}`);
    return Promise.resolve(related);
  });
  const { prompts } = machine.code;
  expect(state.kind).toBe('completed');
  expect(asked).toEqual([`${state.run.wish.goal} ${state.run.planner ?? ''} build`]);
  expect(prompts.length).toBeGreaterThan(1);
  expect(prompts.map(({ options }) => options.context)).toEqual([
    { related },
    ...prompts.slice(1).map(() => undefined),
  ]);
  const told = state.run.timeline.filter(({ kind }) => kind === 'notes').map(entryText);
  expect(told).toEqual(['Notes sent along · Wall.md']);
  expect(await replayRun(machine.store, id)).toMatchObject({ ok: true });
});

it('[CTX26] a run goes on without notes that can’t be looked for, and says so in the log', async () => {
  const { program, state } = await run(() => Promise.reject(new Error('The disk is gone.')));
  expect(state.kind).toBe('completed');
  expect(state.run.timeline.some(({ kind }) => kind === 'notes')).toBe(false);
  expect(program.logged.join()).toContain('Notes for a plan could not be looked for');
});
