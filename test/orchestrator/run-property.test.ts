import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Limits } from '../../src/core/orchestrator/limits';
import { readLog } from '../../src/core/orchestrator/serialise';
import { IDLE } from '../../src/core/orchestrator/state';
import { STATE_NAMES } from '../../src/core/orchestrator/state-name';
import { replay } from '../../src/core/orchestrator/step';
import { Reached, rules } from './run-rules';
import { act, acts, type Act } from './run-schedule';
import { toEnd } from './run-to-end';
import { RunWorld } from './run-world';

const setup: fc.Arbitrary<Partial<Limits>> = fc.record({
  parallel: fc.integer({ min: 1, max: 3 }),
  attempts: fc.integer({ min: 1, max: 4 }),
  turns: fc.constantFrom(5, 12, 40),
  tokens: fc.constantFrom(500, 600_000),
  minutes: fc.constantFrom(1, 120),
});

/** The schedule, then all the way to the end; its log leads to the same state. */
function lead(
  schedule: readonly Act[],
  limits: Partial<Limits>,
  approve: boolean,
  reached: Reached,
): void {
  const seen: ConstructorParameters<typeof RunWorld>[0] = (before, after, world) => {
    reached.see(before, after);
    rules(before, after, world);
  };
  const world = new RunWorld(seen, limits, approve);
  for (const one of schedule) act(world, one);
  toEnd(world);
  const log = readLog(world.logText);
  if (!log.ok) throw new Error(log.message);
  expect(log.value.log).toEqual(world.log);
  expect(replay(log.value.log, IDLE).at(-1)).toEqual(world.state);
}

/** How many schedules, and from which seed; without, the same few each time. */
const RUNS = process.env.RUN_FUZZ;

/** Reached in every run of this test: a schedule that goes nowhere proves nothing. */
const MOVES: readonly string[] = [
  ...['idle > planning', 'planning > approving', 'approving > executing', 'planning > executing'],
  ...['executing > validating', 'validating > executing', 'executing > retrying'],
  ...['planning > waiting', 'waiting > planning', 'executing > waiting', 'waiting > executing'],
  ...['executing > paused', 'paused > executing', 'approving > paused', 'validating > waiting'],
  ...['executing > completed', 'waiting > failed', 'planning > failed', 'planning > cancelled'],
];
const DETAILS: readonly string[] = [
  ...['plan: held', 'plan: writing', 'naming', 'step: saving', 'step: approval', 'step: held'],
  ...['step: work opening', 'step: work due', 'step: work sending', 'step: work working'],
  ...['step: check opening', 'step: check due', 'step: check sending', 'step: check working'],
  ...['step: writing begin', 'step: writing reopen', 'step: writing result'],
  ...['step: writing complete', 'step: writing deferred', 'step: writing cancelled'],
  ...['stop: limit', 'stop: skip', 'stop: gone', 'stop: person'],
  ...['waits: offline', 'waits: plan', 'waits: asked', 'waits: blocked', 'waits: approval'],
  ...['waits: limit turns', 'waits: limit tokens', 'waits: limit minutes', 'waits: held refused'],
];

test('[RUN20, RUN1, RUN13] whatever happens in whatever order, a run keeps its rules and comes to its end', () => {
  const reached = new Reached();
  const property = fc.property(acts, setup, fc.boolean(), (schedule, limits, approve) =>
    lead(schedule, limits, approve, reached),
  );
  fc.assert(property, RUNS === undefined ? { numRuns: 60, seed: 6 } : { numRuns: Number(RUNS) });
  const names = STATE_NAMES.filter((name) => name !== 'idle');
  expect(names.filter((name) => !reached.states.has(name))).toEqual([]);
  expect(MOVES.filter((move) => !reached.moves.has(move))).toEqual([]);
  expect(DETAILS.filter((detail) => !reached.details.has(detail))).toEqual([]);
});
