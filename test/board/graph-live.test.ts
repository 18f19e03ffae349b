import { expect, test } from 'vitest';
import { boardFacts } from '../../src/core/board/facts';
import { analyseBoard } from '../../src/core/board/graph/analyse-board';
import { LiveGraph } from '../../src/core/board/graph/live-graph';
import { STATUSES, type Status, type Task } from '../../src/core/board/task';
import { fc } from '../seeded';
import { boardOf } from './note-sample';
import { drawnPlan, MOST, planText } from './plan-model';

const place = fc.nat({ max: MOST - 1 });
const change = fc.oneof(
  fc.record({ type: fc.constantFrom('connect', 'connect', 'disconnect'), task: place, on: place }),
  fc.record({ type: fc.constant('status'), task: place, status: fc.constantFrom(...STATUSES) }),
);

/** Says the same as an analysis of these tasks from nothing. */
function sameAsFresh(live: LiveGraph, tasks: readonly Task[]): void {
  const fresh = analyseBoard({ tasks });
  const facts = boardFacts({ tasks });
  expect(live.length).toBe(fresh.length);
  expect(live.criticalPath()).toEqual(fresh.criticalPath);
  const wave = new Map(fresh.waves.flatMap((keys, at) => keys.map((key) => [key, at + 1])));
  for (const { key } of tasks) {
    expect(live.blocked(key)).toBe(facts.get(key)?.blocked);
    expect(live.ready(key)).toBe(facts.get(key)?.ready);
    expect(live.slack(key)).toBe(fresh.slack.get(key));
    expect(live.wave(key)).toBe(wave.get(key));
  }
}

test('[GRAPH15] [GRAPH16] after each change a live graph says what a fresh analysis says', () => {
  const did = { connect: 0, refused: 0, disconnect: 0, status: 0, reopened: 0 };
  fc.assert(
    fc.property(
      drawnPlan,
      fc.boolean(),
      fc.array(change, { maxLength: 12 }),
      (drawn, sorted, changes) => {
        // The unit is that of the start, so that no change of status turns tasks into minutes.
        const plain = drawn.map((task) => ({ ...task, estimate: null }));
        let tasks = boardOf(planText(plain, sorted)).tasks;
        const live = new LiveGraph(tasks);
        sameAsFresh(live, tasks);
        for (const one of changes) {
          const task = tasks[one.task % tasks.length] as Task;
          if ('status' in one) {
            const opened = ['completed', 'cancelled'].includes(task.status);
            if (opened && !['completed', 'cancelled'].includes(one.status)) did.reopened += 1;
            live.setStatus(task.key, one.status);
            tasks = withTask(tasks, task, { status: one.status });
            did.status += 1;
          } else {
            const on = tasks[one.on % tasks.length] as Task;
            if (one.type === 'disconnect') {
              // Every other time one that it does wait for.
              const waits = task.dependsOn.filter((id) => tasks.some(({ key }) => key === id));
              const key = waits[one.on % (2 * waits.length || 1)] ?? on.key;
              const ids = task.dependsOn.filter((id) => id !== key);
              expect(live.disconnect(task.key, key)).toBe(ids.length < task.dependsOn.length);
              if (ids.length < task.dependsOn.length) did.disconnect += 1;
              tasks = withTask(tasks, task, { dependsOn: ids });
            } else {
              const ids = [...new Set([...task.dependsOn, on.key])];
              const then = withTask(tasks, task, { dependsOn: ids });
              const before = analyseBoard({ tasks }).order.length;
              const made = live.connect(task.key, on.key);
              if (made.ok) {
                tasks = then;
                did.connect += 1;
              } else {
                expect(made.cycle[0]).toBe(task.key);
                expect(made.cycle[1]).toBe(on.key);
                expect(made.cycle[made.cycle.length - 1]).toBe(task.key);
                expect(analyseBoard({ tasks: then }).cycles.length).toBeGreaterThan(0);
                expect(analyseBoard({ tasks: then }).order.length).toBeLessThanOrEqual(before);
                did.refused += 1;
              }
            }
          }
          sameAsFresh(live, tasks);
        }
      },
    ),
    { numRuns: 1500 },
  );
  for (const count of Object.values(did)) expect(count).toBeGreaterThan(100);
});

test('[GRAPH16] an edge that would close a circle is refused, and the way round is named', () => {
  const { tasks } = boardOf('- [ ] a 🆔 p-1\n- [ ] b 🆔 p-2 ⛔ p-1\n- [ ] c 🆔 p-3 ⛔ p-2\n');
  const live = new LiveGraph(tasks);
  expect(live.connect('p-1', 'p-3')).toEqual({ ok: false, cycle: ['p-1', 'p-3', 'p-2', 'p-1'] });
  expect(live.connect('p-1', 'p-1')).toEqual({ ok: false, cycle: ['p-1', 'p-1'] });
  expect(live.length).toBe(3);
  live.setStatus('p-3', 'completed');
  expect(live.connect('p-1', 'p-3')).toEqual({ ok: true });
  expect(live.length).toBe(2);
});

function withTask(
  tasks: readonly Task[],
  task: Task,
  fields: { status?: Status; dependsOn?: readonly string[] },
): readonly Task[] {
  return tasks.map((one) => (one === task ? { ...one, ...fields } : one));
}
