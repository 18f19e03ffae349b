import { cycles } from '../../src/core/board/graph/cycles';
import { criticalPath } from '../../src/core/board/graph/critical-path';
import { HeldTasks } from '../../src/core/board/graph/held-tasks';
import { LiveGraph } from '../../src/core/board/graph/live-graph';
import { nodeOrder } from '../../src/core/board/graph/node-order';
import { planGraph } from '../../src/core/board/graph/plan-graph';
import { planLength, schedule, slackOf } from '../../src/core/board/graph/schedule';
import type { Task } from '../../src/core/board/task';
import { compare, type Work } from '../measure';
import { drawing, plan } from '../plan-sample';
import type { Row } from '../row';

/** Order, cycle check, ready, critical path and slack of all tasks, from the tasks as read. */
export function wholeAnalysis(tasks: readonly Task[]): Work {
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
