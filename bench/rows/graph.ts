import { cycles } from '../../src/core/board/graph/cycles';
import { criticalPath } from '../../src/core/board/graph/critical-path';
import { HeldTasks } from '../../src/core/board/graph/held-tasks';
import { LiveGraph } from '../../src/core/board/graph/live-graph';
import { nodeOrder } from '../../src/core/board/graph/node-order';
import { planGraph } from '../../src/core/board/graph/plan-graph';
import { planLength, schedule, slackOf } from '../../src/core/board/graph/schedule';
import type { Task } from '../../src/core/board/task';
import { compare, type Work } from '../measure';
import type { Row } from '../row';

const BLANK: Task = {
  key: '',
  id: null,
  n: null,
  title: 'Build part of the index',
  status: 'pending',
  mark: ' ',
  parent: null,
  depth: 0,
  phase: null,
  dependsOn: [],
  priority: 'normal',
  owner: null,
  scope: null,
  risk: null,
  impact: null,
  level: null,
  reason: null,
  estimate: null,
  approve: null,
  due: null,
  done: null,
  cancelled: null,
  waitsFor: null,
  body: [],
  line: 1,
  malformed: null,
};

/** Repeatable: Lehmer's generator. */
function drawing(seed: number): (below: number) => number {
  let state = seed;
  return (below) => (state = (state * 16_807) % 2_147_483_647) % below;
}

/** A plan of `size` tasks, each waiting for up to three of the two hundred before it. */
function plan(size: number): readonly Task[] {
  const draw = drawing(7);
  return Array.from({ length: size }, (_, at) => {
    const waits = Array.from({ length: Math.min(at, draw(4)) }, () => at - draw(Math.min(at, 200)));
    const key = `k3f9-${at + 1}`;
    const dependsOn = [...new Set(waits)].map((n) => `k3f9-${n}`);
    return { ...BLANK, key, id: key, n: at + 1, dependsOn };
  });
}

/** Order, cycle check, ready, critical path and slack of all tasks, from the tasks as read. */
function wholeAnalysis(tasks: readonly Task[]): Work {
  return (times) => {
    let sum = 0;
    for (let n = 0; n < times; n++) {
      const graph = planGraph(tasks);
      const order = nodeOrder(graph);
      const made = schedule(graph, order);
      const length = planLength(graph, made);
      const held = new HeldTasks(graph);
      sum += cycles(graph, order).length + criticalPath(graph, made).length;
      for (let i = 0; i < tasks.length; i++) {
        sum += slackOf(graph, made, length, i) + Number(held.ready(i));
      }
    }
    return sum;
  };
}

/** One dependency added, and what follows from it read; every other time the same one is taken away. */
function edges(tasks: readonly Task[]): Work {
  const live = new LiveGraph(tasks);
  const draw = drawing(11);
  const pairs = Array.from({ length: 500 }, () => {
    const later = 201 + draw(tasks.length - 201);
    return [`k3f9-${later}`, `k3f9-${later - 1 - draw(200)}`] as const;
  });
  return (times) => {
    let sum = 0;
    for (let n = 0; n < times; n++) {
      const [task, on] = pairs[(n >> 1) % pairs.length] as readonly [string, string];
      if (n % 2 === 0) live.connect(task, on);
      else live.disconnect(task, on);
      sum += live.length + Number(live.ready(task)) + (live.slack(task) ?? 0);
    }
    return sum;
  };
}

export function graphRows(): Row[] {
  return [
    {
      name: 'graph.edge',
      against: 'the full analysis at 10,000 tasks',
      target: 0.02,
      measure: () => {
        const tasks = plan(10_000);
        return compare(edges(tasks), wholeAnalysis(tasks));
      },
    },
  ];
}
