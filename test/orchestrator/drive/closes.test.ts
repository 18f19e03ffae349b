import { expect, it } from 'vitest';
import { flushPromises } from '../../wire/manual-clock';
import { runOptions } from '../run-fixture';
import { PausedAgents } from './paused-agents';
import { Machine } from './program';
import { obedientAgent } from './scripted-agent';
import { SleepingStore } from './sleeping-store';

const PLAN = { operations: [{ type: 'add', title: 'Read it', body: 'Success: it is read' }] };

/** More store calls than such a run makes. */
const MAX = 1_000;

/**
 * A program that closes during its n-th call of the store.
 * @param resting whether it resumes a run, else it begins one
 * @returns undefined if it finished before
 */
async function closedAt(n: number, resting: boolean): Promise<Machine | undefined> {
  const held = new PausedAgents();
  const machine = new Machine(PLAN, (tools, plan) => held.play(obedientAgent(tools, plan)));
  let id: string | undefined;
  if (resting) {
    const before = machine.program();
    const begun = await before.runs.start(runOptions({ approve: false }));
    id = begun.ok ? begun.value : undefined;
    await flushPromises();
    await before.die();
  }
  const store = new SleepingStore(machine.store, n);
  const program = machine.program('obsidian', store);
  void program.runs.scan();
  if (id === undefined) void program.runs.start(runOptions({ approve: false }));
  else void program.runs.takeUp(id);
  for (let round = 0; round < 40 && !store.asleep; round += 1) {
    await machine.clock.advance(500);
    held.resumeAll();
  }
  const closing = program.runs.close();
  if (!store.asleep) return undefined;
  const heard = machine.code.requests.length;
  store.wake();
  await closing;
  await machine.clock.advance(120_000);
  expect(machine.code.requests.slice(heard)).toEqual([]);
  return machine;
}

it.each([
  ['begins a run', false],
  ['takes a run up', true],
])(
  '[RUN45] a program that %s and ends at any moment holds nothing, waits for nothing, asks for nothing',
  async (_, resting) => {
    let ends = 0;
    for (let n = resting ? 1 : 2; n < MAX; n += 2) {
      const machine = await closedAt(n, resting);
      if (machine === undefined) break;
      ends += 1;
      expect([machine.locks.held, machine.clock.timers], `at call ${n}`).toEqual([[], 0]);
    }
    expect(ends).toBeGreaterThan(30);
    expect(ends).toBeLessThan(MAX / 2 - 1);
  },
);

it.each(['begin', 'take up'])('[RUN45] what is to %s as the program ends is left', async (deed) => {
  const machine = new Machine(PLAN);
  const before = machine.program();
  const begun = await before.runs.start(runOptions());
  await before.runs.close();
  const program = machine.program();
  const done =
    deed === 'begin'
      ? program.runs.start(runOptions())
      : program.runs.takeUp(begun.ok ? begun.value : '');
  const closing = program.runs.close();
  expect(await done).toEqual({ ok: false, message: 'This program ends.' });
  await closing;
  await flushPromises();
  expect([machine.locks.held, machine.clock.timers]).toEqual([[], 0]);
});
