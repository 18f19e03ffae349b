import { expect, test } from 'vitest';
import { boardFacts, isFinished } from '../../src/core/board/facts';
import { analyseBoard } from '../../src/core/board/graph/analyse-board';
import { fc } from '../seeded';
import { boardOf } from './note-sample';
import { randomPlan, planText, NaivePlan } from './plan-model';

test('[GRAPH3] [GRAPH4] [GRAPH7] [GRAPH8] order, waves, length and slack are what the rules say, word by word', () => {
  let compared = 0;
  let chains = 0;
  fc.assert(
    fc.property(randomPlan, fc.boolean(), (drawn, backwards) => {
      const { tasks } = boardOf(planText(drawn, backwards));
      const slow = new NaivePlan(tasks);
      const fast = analyseBoard({ tasks });
      const slack = new Map(fast.slack.map((one) => [one.task, one.slack]));
      const placed = tasks.filter((task) => !isFinished(task) && !slow.isInCycle(task.key));
      expect([...fast.order].sort()).toEqual(placed.map(({ key }) => key).sort());
      fast.order.forEach((key, at) => {
        for (const one of slow.before(key)) expect(fast.order.indexOf(one)).toBeLessThan(at);
      });
      expect(fast.length).toBe(slow.length());
      fast.parallel.forEach((wave, at) => {
        for (const key of wave) expect(slow.wave(key)).toBe(at + 1);
      });
      for (const { key } of placed) {
        expect(slack.get(key)).toBe(slow.slack(key));
        compared += 1;
      }
      const path = fast.criticalPath;
      path.forEach((key, at) => {
        expect(slack.get(key)).toBe(0);
        if (at > 0) expect(waitsFor(slow, key, path[at - 1] ?? '')).toBe(true);
      });
      expect(path.reduce((sum, key) => sum + slow.weight(key), 0)).toBe(fast.length);
      if (path.length > 2) chains += 1;
    }),
    { numRuns: 600 },
  );
  expect(compared).toBeGreaterThan(1000);
  expect(chains).toBeGreaterThan(50);
});

test('[GRAPH5] cycles are found where there are some, and each step of one is a wait', () => {
  let found = 0;
  let none = 0;
  fc.assert(
    fc.property(randomPlan, fc.boolean(), (drawn, backwards) => {
      const { tasks } = boardOf(planText(drawn, backwards));
      const slow = new NaivePlan(tasks);
      const { cycles } = analyseBoard({ tasks });
      const knotted = tasks.some((task) => !isFinished(task) && slow.isInCycle(task.key));
      expect(cycles.length > 0).toBe(knotted);
      if (!knotted) none += 1;
      for (const path of cycles) {
        found += 1;
        expect(path.length).toBeGreaterThan(1);
        expect(path[path.length - 1]).toBe(path[0]);
        path.slice(1).forEach((key, at) => {
          const from = path[at] ?? '';
          const above = slow.ancestors(from).some((task) => task.key === key);
          expect(above || slow.before(from).includes(key)).toBe(true);
        });
      }
    }),
    { numRuns: 600 },
  );
  expect(found).toBeGreaterThan(50);
  expect(none).toBeGreaterThan(50);
});

test('[GRAPH14] what is ready stands in the first wave, and what is pending there is ready or stuck', () => {
  let ready = 0;
  fc.assert(
    fc.property(randomPlan, (drawn) => {
      const { tasks } = boardOf(planText(drawn, true));
      const facts = boardFacts({ tasks });
      const slow = new NaivePlan(tasks);
      const { parallel, unknown, ...fast } = analyseBoard({ tasks });
      const first = parallel[0] ?? [];
      expect(fast.ready.filter((key) => !first.includes(key))).toEqual([]);
      ready += fast.ready.length;
      for (const key of first) {
        if (slow.task(key).status !== 'pending' || facts.get(key)?.ready === true) continue;
        const line = [slow.task(key), ...slow.ancestors(key)];
        const stopped = line.slice(1).some(({ status }) => ['failed', 'deferred'].includes(status));
        const missing = line.some(({ dependsOn }) => dependsOn.some((id) => !facts.has(id)));
        expect(stopped || missing || slow.step(key) === 0).toBe(true);
      }
      expect(unknown.every(({ id }) => !facts.has(id))).toBe(true);
    }),
    { numRuns: 600 },
  );
  expect(ready).toBeGreaterThan(300);
});

test('[GRAPH9] bottlenecks are what counting all shortest ways gives', () => {
  let between = 0;
  fc.assert(
    fc.property(randomPlan, (drawn) => {
      const flat = drawn.map((task) => ({ ...task, deeper: false }));
      const { tasks } = boardOf(planText(flat, false));
      const slow = new NaivePlan(tasks);
      const open = tasks.filter((task) => !isFinished(task)).map(({ key }) => key);
      const score = new Map(open.map((key) => [key, 0]));
      for (const from of open) {
        for (const to of open) {
          if (from === to) continue;
          const ways = shortest(slow, from, to);
          for (const key of ways.flatMap((way) => way.slice(1, -1))) {
            score.set(key, (score.get(key) ?? 0) + 1 / ways.length);
          }
        }
      }
      const expected = open.filter((key) => (score.get(key) ?? 0) > 0);
      const { bottlenecks } = analyseBoard({ tasks });
      expect(bottlenecks.map(({ task }) => task).sort()).toEqual(expected.sort());
      for (const one of bottlenecks) expect(one.score).toBeCloseTo(score.get(one.task) ?? 0, 9);
      between += bottlenecks.length;
    }),
    { numRuns: 700 },
  );
  expect(between).toBeGreaterThan(100);
});

function waitsFor(slow: NaivePlan, key: string, other: string): boolean {
  return slow.before(key).includes(other);
}

/** All shortest dependency paths, found by trying every path. */
function shortest(slow: NaivePlan, from: string, to: string): readonly (readonly string[])[] {
  let ways: (readonly string[])[] = [[from]];
  for (let steps = 0; steps < 10; steps++) {
    const arrived = ways.filter((way) => way[way.length - 1] === to);
    if (arrived.length > 0) return arrived;
    ways = ways.flatMap((way) =>
      slow
        .before(way[way.length - 1] ?? '')
        .filter((next) => !way.includes(next))
        .map((next) => [...way, next]),
    );
  }
  return [];
}
