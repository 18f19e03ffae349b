import type { Limits } from '../../src/core/orchestrator/limits';
import { readLog } from '../../src/core/orchestrator/serialise';
import { IDLE } from '../../src/core/orchestrator/state';
import { replay } from '../../src/core/orchestrator/step';
import { fc } from '../seeded';
import { expectInvariants, expectEqual, type Reached } from './run-rules';
import { performAction, type ScheduledAction } from './run-schedule';
import { runToEnd } from './run-to-end';
import { RunWorld } from './run-world';

/** The options that the person chose for a run. */
export interface Setup {
  readonly limits: Partial<Limits>;
  readonly approve: boolean;
  /** where it starts: in a new session, in an existing one, or in one with a plan on its board */
  readonly on: 'nothing' | 'session' | 'plan';
}

export const setups: fc.Arbitrary<Setup> = fc.record({
  limits: fc.record({
    parallel: fc.integer({ min: 1, max: 3 }),
    attempts: fc.integer({ min: 1, max: 4 }),
    turns: fc.constantFrom(5, 12, 40),
    tokens: fc.constantFrom(500, 600_000),
    minutes: fc.constantFrom(1, 120),
  }),
  approve: fc.boolean(),
  on: fc.constantFrom('nothing', 'nothing', 'nothing', 'session', 'plan'),
});

/** Runs the schedule, then goes on to the end; checks that the log gives the same state. */
export function runSchedule(
  schedule: readonly ScheduledAction[],
  setup: Setup,
  reached?: Reached,
): RunWorld {
  const world = new RunWorld((before, after, there) => {
    reached?.see(before, after);
    expectInvariants(before, after, there);
  }, setup.limits);
  world.start(setup.approve, setup.on);
  for (const one of schedule) performAction(world, one);
  runToEnd(world);
  expectReplay(world);
  return world;
}

/** Asserts that replaying the log gives the run's state. */
export function expectReplay(world: RunWorld): void {
  const log = readLog(world.logText);
  if (!log.ok) throw new Error(log.message);
  expectEqual(log.value.log, world.log);
  expectEqual(replay(log.value.log, IDLE).at(-1), world.state);
}
