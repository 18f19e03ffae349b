import { withoutArchived } from '../archive/archived-numbers';
import { boardFacts } from '../facts';
import type { Board } from '../task';
import { betweenness } from './bottlenecks';
import { criticalPath } from './critical-path';
import { cycles } from './cycles';
import { toSplit } from './decompose';
import { nodeOrder } from './node-order';
import { isOpen, planGraph, type PlanGraph } from './plan-graph';
import { expectedPlan, riskPath, taskRisk, type ExpectedPlan } from './risk';
import { planLength, schedule, slackOf } from './schedule';
import { waves } from './waves';

/** What a plan looks like as a graph; tasks are named by their keys, finished ones left out. */
export interface BoardAnalysis {
  /** open tasks */
  readonly open: number;
  /** what lengths and slack count */
  readonly unit: PlanGraph['unit'];
  readonly length: number;
  readonly ready: readonly string[];
  /** not ready to be worked on, for something that is waited for */
  readonly blocked: readonly string[];
  /** an order to do the open tasks in; those of cycles and behind them have no place in it */
  readonly order: readonly string[];
  /** each a way of waiting that ends where it began */
  readonly cycles: readonly (readonly string[])[];
  readonly unknown: readonly { readonly key: string; readonly id: string }[];
  readonly criticalPath: readonly string[];
  /** by key, of the tasks in `order` */
  readonly slack: ReadonlyMap<string, number>;
  readonly waves: readonly (readonly string[])[];
  /** those that stand between others, most first */
  readonly bottlenecks: readonly { readonly key: string; readonly score: number }[];
  /** bottlenecks were estimated from a sample */
  readonly sampled: boolean;
  readonly riskPath: { readonly keys: readonly string[]; readonly success: number };
  readonly expected: ExpectedPlan;
  readonly split: readonly { readonly key: string; readonly reasons: readonly string[] }[];
}

export function analyseBoard(board: Pick<Board, 'tasks' | 'archived'>): BoardAnalysis {
  const graph = planGraph(withoutArchived(board));
  const order = nodeOrder(graph);
  const plan = schedule(graph, order);
  const length = planLength(graph, plan);
  const groups = waves(graph, plan);
  const inOrder = groups.flat();
  const keyOf = (node: number): string => graph.tasks[node]?.key ?? '';
  const keysOf = (nodes: readonly number[]): readonly string[] => nodes.map(keyOf);
  const between = betweenness(graph);
  const risky = riskPath(graph, order);
  return {
    ...readiness(board),
    open: graph.tasks.filter((_, i) => isOpen(graph, i)).length,
    unit: graph.unit,
    length,
    order: keysOf(inOrder),
    cycles: cycles(graph, order).map(keysOf),
    unknown: graph.unknown.flatMap(({ task, id }) =>
      isOpen(graph, task) ? [{ key: keyOf(task), id }] : [],
    ),
    criticalPath: keysOf(criticalPath(graph, plan)),
    slack: new Map(inOrder.map((task) => [keyOf(task), slackOf(graph, plan, length, task)])),
    waves: groups.map(keysOf),
    bottlenecks: ranked(between.score).map((task) => ({
      key: keyOf(task),
      score: between.score[task] ?? 0,
    })),
    sampled: between.sampled,
    riskPath: { keys: keysOf(risky), success: successOf(graph, risky) },
    expected: expectedPlan(graph),
    split: toSplit(graph).map(({ task, reasons }) => ({ key: keyOf(task), reasons })),
  };
}

function readiness(
  board: Pick<Board, 'tasks' | 'archived'>,
): Pick<BoardAnalysis, 'ready' | 'blocked'> {
  const facts = boardFacts(board);
  const open = board.tasks.filter(({ status }) => status !== 'completed' && status !== 'cancelled');
  return {
    ready: open.flatMap(({ key }) => (facts.get(key)?.ready === true ? [key] : [])),
    blocked: open.flatMap(({ key }) => (facts.get(key)?.blocked === true ? [key] : [])),
  };
}

function ranked(score: Float64Array): readonly number[] {
  const between: number[] = [];
  score.forEach((value, task) => {
    if (value > 0) between.push(task);
  });
  return between.sort((a, b) => (score[b] ?? 0) - (score[a] ?? 0) || a - b);
}

function successOf(graph: PlanGraph, path: readonly number[]): number {
  const steps = path.filter((task) => graph.step[task] === 1);
  return steps.reduce((product, i) => {
    const task = graph.tasks[i];
    return task === undefined ? product : product * taskRisk(task).success;
  }, 1);
}
