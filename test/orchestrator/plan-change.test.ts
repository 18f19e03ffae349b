import { expect, test } from 'vitest';
import { decodePlan, encodedPlan, encodePlan } from '../../src/core/orchestrator/serialise';
import type { PlanSnapshot, PlannedTask } from '../../src/core/orchestrator/plan-snapshot';
import { fc } from '../seeded';

const task: fc.Arbitrary<PlannedTask> = fc.record({
  id: fc.option(fc.constantFrom('a-1', 'a-2', 'a-3')),
  line: fc.nat(50),
  title: fc.constantFrom('Read it', 'Write it'),
  status: fc.constantFrom('pending', 'in_progress', 'completed'),
  startable: fc.boolean(),
  mine: fc.boolean(),
  approve: fc.boolean(),
  owner: fc.option(fc.constantFrom('me', 'build')),
  success: fc.array(fc.constantFrom('it is there', 'it is fast'), { maxLength: 2 }),
  needs: fc.array(fc.constantFrom('a-1', 'a-2'), { maxLength: 2 }),
  above: fc.array(fc.constantFrom('a-1', 'a-2'), { maxLength: 2 }),
  way: fc.nat(9),
  work: fc.nat(9),
});

function planOf(tasks: fc.Arbitrary<PlannedTask[]>): fc.Arbitrary<PlanSnapshot> {
  const unit = fc.constantFrom('tasks' as const, 'minutes' as const);
  return fc.record({ kind: fc.constant('plan' as const), rev: fc.nat(3), unit, tasks });
}

/** A plan, and the same plan with some lines changed or added. */
const edited = planOf(fc.array(task, { minLength: 3, maxLength: 12 })).chain((before) => {
  const tasks = before.kind === 'plan' ? before.tasks : [];
  const changes = fc.array(fc.option(task, { freq: 5 }), {
    minLength: tasks.length,
    maxLength: tasks.length,
  });
  return fc
    .record({ changes, from: fc.nat(12), by: fc.integer({ min: -3, max: 3 }), rev: fc.nat(3) })
    .map(({ changes: others, from, by, rev }): [PlanSnapshot, PlanSnapshot] => {
      const now = tasks.map((one, at) => {
        const next = others[at] ?? one;
        return at >= from ? { ...next, line: next.line + by } : next;
      });
      return [before, before.kind === 'plan' ? { ...before, rev, tasks: now } : before];
    });
});

test('[RUN109, RUN19] what a line says of the board, after that of the line before, is the board', () => {
  const seen = { change: 0, plan: 0, nothing: 0 };
  const any = planOf(fc.array(task, { maxLength: 5 }));
  const gone = fc.constant<PlanSnapshot>({ kind: 'unreadable', message: 'The board is gone.' });
  const two = fc.oneof(edited, fc.tuple(fc.oneof(any, gone), fc.oneof(any, gone)));
  fc.assert(
    fc.property(two, ([before, now]) => {
      const said = encodePlan(now, before);
      seen[said.change ? 'change' : said.plan ? 'plan' : 'nothing'] += 1;
      const read = encodedPlan().parse(JSON.parse(JSON.stringify(said)));
      expect(decodePlan(read, before)).toEqual(now);
    }),
    { numRuns: 500 },
  );
  expect(Math.min(...Object.values(seen))).toBeGreaterThan(0);
});

test('[RUN109] a change says the tasks that are others, and once where lines moved', () => {
  const plan = (given: Partial<PlannedTask>[]): PlanSnapshot => ({
    ...{ kind: 'plan', rev: 1, unit: 'tasks' },
    tasks: given.map((one, at) => ({
      ...{ id: `a-${at}`, line: at, title: 'Read it', status: 'pending', startable: true },
      ...{ mine: false, approve: false, owner: null, success: [], needs: [], above: [] },
      ...{ way: 1, work: 1 },
      ...one,
    })),
  });
  const before = plan([{}, {}, {}, {}]);
  const now = plan([{}, { status: 'completed' }, { line: 3 }, { line: 4 }]);
  expect(encodePlan(now, before)).toEqual({
    change: {
      rev: 1,
      tasks: [[1, now.kind === 'plan' && now.tasks[1]]],
      lines: [[2, 1]],
    },
  });
  expect(encodePlan(now, now)).toEqual({});
  expect(encodePlan(plan([{}, {}, {}, {}]), before)).toEqual({});
});

test('[RUN19] a change of another board than the one before is none', () => {
  const change = { rev: 2, tasks: [], lines: [[7, 1] as [number, number]] };
  expect(decodePlan({ change }, { kind: 'plan', rev: 1, unit: 'tasks', tasks: [] })).toBe(
    undefined,
  );
  expect(decodePlan({ change }, { kind: 'unreadable', message: '' })).toBe(undefined);
  expect(decodePlan({ change }, undefined)).toBe(undefined);
});
