import { expect, test } from 'vitest';
import { STATE_LABELS, type StateName } from '../../src/core/orchestrator/state';
import { fc } from '../seeded';
import { runSchedule, setups } from './run-lead';
import { DETAILS, TRANSITIONS } from './run-reached';
import { Reached } from './run-rules';
import { schedules } from './run-schedule';

/** Number of random schedules, from the seed of this run (`SEED`); without it a few fixed ones. */
const RUNS = process.env.RUN_FUZZ;

test('[RUN20, RUN1, RUN13] whatever happens in whatever order, a run keeps its rules and comes to its end', () => {
  const reached = new Reached();
  const property = fc.property(schedules, setups, (schedule, setup) => {
    runSchedule(schedule, setup, reached);
  });
  fc.assert(property, RUNS === undefined ? { numRuns: 90, seed: 6 } : { numRuns: Number(RUNS) });
  const names = (Object.keys(STATE_LABELS) as StateName[]).filter((name) => name !== 'idle');
  expect(names.filter((name) => !reached.states.has(name))).toEqual([]);
  // A schedule that reaches nothing proves nothing.
  expect(reached.moves.size).toBeGreaterThan(TRANSITIONS.length / 2);
  expect(reached.details.size).toBeGreaterThan(DETAILS.length / 2);
});
