import { expect, it } from 'vitest';
import { replayRun } from '../../../src/core/orchestrator/drive/run-journal';
import { flushPromises } from '../../wire/manual-clock';
import { runOptions } from '../run-fixture';
import { Machine, type Program } from './program';
import { kindOf, taskOf } from './scripted-agent';
import { SleepingStore } from './sleeping-store';

const PLAN = {
  operations: [
    { type: 'add', title: 'Read it', body: 'Success: it is read' },
    { type: 'add', title: 'Write it', dependsOn: ['Read it'] },
  ],
};

/** More store calls than such a run makes. */
const MAX = 1_000;

interface Overtaken {
  readonly machine: Machine;
  readonly first: Program;
  readonly second: Program;
  readonly id: string;
}

/**
 * A run whose program sleeps before its n-th call of the store and loses its locks, and wakes when
 * another program has handled `events` events; undefined if it ended before.
 */
async function overtakenAt(n: number, events: number): Promise<Overtaken | undefined> {
  const machine = new Machine(PLAN);
  const store = new SleepingStore(machine.store, n);
  const first = machine.program('cli', store);
  void first.runs.start(runOptions({ approve: false }));
  for (let round = 0; round < 100 && !store.asleep; round += 1) {
    if (first.runs.all()[0]?.state.kind === 'completed' && machine.locks.held.length === 0) break;
    await machine.clock.advance(500);
  }
  if (!store.asleep) return undefined;
  machine.code.buses.delete(first.bus);
  first.loseLocks();
  const second = machine.program('obsidian');
  await second.runs.scan();
  const there = second.runs.all()[0];
  if (there === undefined || there.state.kind === 'completed') return overtakenAt(n + 1, events);
  const { id } = there;
  expect(await second.runs.takeUp(id)).toEqual({ ok: true, value: undefined });
  for (let turn = 0; turn < events; turn += 1) await flushPromises();
  store.wake();
  await flushPromises();
  machine.code.addListener(first.bus);
  await second.advanceUntilRest(id);
  await machine.clock.advance(60_000);
  return { machine, first, second, id };
}

async function judge({ machine, first, second, id }: Overtaken): Promise<void> {
  expect(second.runs.get(id)?.state.kind).toBe('completed');
  expect(await replayRun(machine.store, id)).toMatchObject({ ok: true, value: { same: true } });
  expect(first.runs.get(id)?.by).not.toBe('here');
  const prompts = machine.code.prompts.map((prompt) => `${kindOf(prompt)} ${taskOf(prompt)}`);
  expect(new Set(prompts).size, prompts.join()).toBe(prompts.length);
}

it.each([
  [1, 2],
  [3, 3],
])(
  '[RUN36, RUN106] stopped at any moment and overtaken, what wakes after %i turns damages no line of the other’s log',
  async (events, from) => {
    let stops = 0;
    for (let n = from; n < MAX; n += 3) {
      const overtaken = await overtakenAt(n, events);
      if (overtaken === undefined) break;
      stops += 1;
      try {
        await judge(overtaken);
      } catch (error) {
        throw new Error(`stopped before call ${n}`, { cause: error });
      }
    }
    expect(stops).toBeGreaterThan(30);
    expect(stops).toBeLessThan(MAX / 3 - 1);
  },
  120_000,
);
