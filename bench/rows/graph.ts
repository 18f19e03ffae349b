import { boardFacts } from '../../src/core/board/facts';
import { cycles } from '../../src/core/board/graph/cycles';
import { criticalPath, planLength, schedule, slackOf } from '../../src/core/board/graph/schedule';
import { topologicalOrder, planGraph } from '../../src/core/board/graph/plan-graph';
import type { Task } from '../../src/core/board/task';
import type { Work } from '../measure';

/** Order, cycle check, ready, critical path and slack of all tasks, from the parsed tasks. */
export function wholeAnalysis(tasks: readonly Task[]): Work {
  return (times) => {
    let sum = 0;
    for (let n = 0; n < times; n++) {
      const graph = planGraph(tasks);
      const order = topologicalOrder(graph);
      const made = schedule(graph, order);
      const length = planLength(graph, made);
      const facts = boardFacts({ tasks });
      sum += cycles(graph, order).length + criticalPath(graph, made).length;
      for (let i = 0; i < tasks.length; i++) {
        const ready = facts.get(tasks[i]?.key ?? '')?.ready ?? false;
        sum += slackOf(graph, made, length, i) + Number(ready);
      }
    }
    return sum;
  };
}
