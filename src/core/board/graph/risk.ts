import type { Task } from '../task';
import { isOpen, type PlanGraph } from './plan-graph';

/** How likely a task of this risk succeeds at the first try. */
const SUCCESS: Readonly<Record<string, number>> = {
  trivial: 0.98,
  low: 0.9,
  medium: 0.8,
  high: 0.65,
  critical: 0.5,
};
/** What a task of this scope costs; a `narrow` one 2. */
const COST: Readonly<Record<string, number>> = {
  single: 1,
  narrow: 2,
  moderate: 3,
  broad: 4,
  system: 5,
};
/** How many times its cost a failure of a task of this impact costs, the second try included. */
const FAILURE: Readonly<Record<string, number>> = {
  isolated: 1,
  component: 1.5,
  phase: 2,
  project: 3,
};

export interface TaskRisk {
  /** 0 to 1 */
  readonly success: number;
  /** if all goes well */
  readonly cost: number;
  /** cost + (1 − success) × what a failure costs */
  readonly expectedCost: number;
  /** (1 − success) × the factor of its impact: what the risk path adds up */
  readonly exposure: number;
}

/** What is not assessed counts as medium risk, narrow scope and isolated impact. */
export function taskRisk(task: Pick<Task, 'risk' | 'scope' | 'impact'>): TaskRisk {
  const success = figure(SUCCESS, task.risk, 0.8);
  const cost = figure(COST, task.scope, 2);
  const exposure = (1 - success) * figure(FAILURE, task.impact, 1);
  return { success, cost, expectedCost: cost * (1 + exposure), exposure };
}

export interface ExpectedPlan {
  /** of all open tasks, if each goes well */
  readonly cost: number;
  readonly expectedCost: number;
  /** that every open task succeeds at the first try, 0 to 1; the tasks count as independent */
  readonly success: number;
  /** how many of `tasks` have risk, scope or impact */
  readonly assessed: number;
  /** open tasks without open sub-tasks: those with them stand for their sub-tasks */
  readonly tasks: number;
}

export function expectedPlan(graph: PlanGraph): ExpectedPlan {
  const sum = { cost: 0, expectedCost: 0, success: 1, assessed: 0, tasks: 0 };
  graph.tasks.forEach((task, i) => {
    if (graph.step[i] === 0) return;
    const risk = taskRisk(task);
    sum.cost += risk.cost;
    sum.expectedCost += risk.expectedCost;
    sum.success *= risk.success;
    sum.tasks += 1;
    if (task.risk !== null || task.scope !== null || task.impact !== null) sum.assessed += 1;
  });
  return sum;
}

/**
 * The chain of open tasks, each waiting for the one before, in which most can go wrong: of the
 * largest sum of exposure. Tasks, first to last.
 * @param order as `nodeOrder` gives it
 */
export function riskPath(graph: PlanGraph, order: Int32Array): readonly number[] {
  const { nodes, edges, holds, tasks } = graph;
  const sum = new Float64Array(nodes);
  const before = new Int32Array(nodes).fill(-1);
  let last = -1;
  for (const v of order) {
    let most = 0;
    for (let e = edges.firstIn[v] as number; e >= 0; e = edges.nextIn[e] as number) {
      const u = edges.from[e] as number;
      const better = (sum[u] as number) > most || (sum[u] === most && u < (before[v] as number));
      if (holds[u] === 0 || !better) continue;
      most = sum[u] as number;
      before[v] = u;
    }
    const task = v < tasks.length && graph.step[v] === 1 ? tasks[v] : undefined;
    sum[v] = most + (task === undefined ? 0 : taskRisk(task).exposure);
    if (v >= tasks.length || !isOpen(graph, v)) continue;
    const more = last < 0 ? 1 : sum[v] - (sum[last] as number);
    if (more > 0 || (more === 0 && v < last)) last = v;
  }
  const path: number[] = [];
  for (let v = last; v >= 0; v = before[v] as number) if (v < tasks.length) path.push(v);
  return path.reverse();
}

function figure(figures: Readonly<Record<string, number>>, word: string | null, none: number) {
  return word === null || !Object.hasOwn(figures, word) ? none : (figures[word] ?? none);
}
