import { withoutArchived } from '../archive/archived-numbers';
import { boardFacts, isFinished } from '../facts';
import type { Board, Task } from '../task';
import { criticalPath, planLength, schedule, slackOf, waves } from './schedule';
import { cycles } from './cycles';
import { estimateMinutes, isOpen, topologicalOrder, planGraph, type PlanGraph } from './plan-graph';

/**
 * A plan analysed as a graph. Tasks are named by id, those without one by title; finished ones are
 * left out.
 */
export interface BoardAnalysis {
  /** open tasks */
  readonly open: number;
  /** unit of `length` and `slack` */
  readonly unit: PlanGraph['unit'];
  readonly length: number;
  /** whether `bottlenecks` were estimated from a sample */
  readonly sampled: boolean;
  readonly expected: ExpectedPlan;
  readonly ready: readonly string[];
  /** open tasks that wait for something */
  readonly blocked: readonly string[];
  /** an order to do the open tasks in, without those in cycles and those that depend on them */
  readonly order: readonly string[];
  /** each a list of tasks that wait for each other, the first repeated at the end */
  readonly cycles: readonly (readonly string[])[];
  /** prerequisites that are not on the board */
  readonly unknown: readonly { readonly task: string; readonly id: string }[];
  readonly criticalPath: readonly string[];
  /** slack of the tasks in `order` */
  readonly slack: readonly { readonly task: string; readonly slack: number }[];
  /** groups of tasks that can be done at the same time, one group after another */
  readonly parallel: readonly (readonly string[])[];
  /** tasks between others, highest score first */
  readonly bottlenecks: readonly { readonly task: string; readonly score: number }[];
  readonly risk: { readonly path: readonly string[]; readonly success: number };
  readonly decompose: readonly { readonly task: string; readonly reasons: readonly string[] }[];
}

export function analyseBoard(board: Pick<Board, 'tasks' | 'archived'>): BoardAnalysis {
  const graph = planGraph(withoutArchived(board));
  const order = topologicalOrder(graph);
  const plan = schedule(graph, order);
  const length = planLength(graph, plan);
  const groups = waves(graph, plan);
  const inOrder = groups.flat();
  const name = (node: number): string => nameOf(graph.tasks[node]);
  const names = (nodes: readonly number[]): readonly string[] => nodes.map(name);
  const between = betweenness(graph);
  const risky = riskPath(graph, order);
  return {
    open: graph.tasks.filter((_, i) => isOpen(graph, i)).length,
    unit: graph.unit,
    length,
    sampled: between.sampled,
    expected: expectedPlan(graph),
    ...readiness(board),
    order: names(inOrder),
    cycles: cycles(graph, order).map(names),
    unknown: graph.unknown.flatMap(({ task, id }) =>
      isOpen(graph, task) ? [{ task: name(task), id }] : [],
    ),
    criticalPath: names(criticalPath(graph, plan)),
    slack: inOrder.map((task) => ({
      task: name(task),
      slack: slackOf(graph, plan, length, task),
    })),
    parallel: groups.map(names),
    bottlenecks: ranked(between.score).map((task) => ({
      task: name(task),
      score: between.score[task] ?? 0,
    })),
    risk: { path: names(risky), success: successOf(graph, risky) },
    decompose: tasksToSplit(graph).map(({ task, reasons }) => ({ task: name(task), reasons })),
  };
}

function nameOf(task: Task | undefined): string {
  return task?.id ?? task?.title ?? '';
}

function readiness(
  board: Pick<Board, 'tasks' | 'archived'>,
): Pick<BoardAnalysis, 'ready' | 'blocked'> {
  const facts = boardFacts(board);
  const open = board.tasks.filter((task) => !isFinished(task));
  return {
    ready: open.filter(({ key }) => facts.get(key)?.ready === true).map(nameOf),
    blocked: open.filter(({ key }) => facts.get(key)?.blocked === true).map(nameOf),
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

/** A task that takes longer than a working day is hard to follow. */
const LONG_MINUTES = 8 * 60;

/** Reasons to split an open task without open subtasks; empty if there are none. */
function reasonsToSplit(task: Task): readonly string[] {
  const reasons: string[] = [];
  if (task.scope === 'broad' || task.scope === 'system') reasons.push(`${task.scope} scope`);
  if (task.risk === 'high' || task.risk === 'critical') reasons.push(`${task.risk} risk`);
  if (task.impact === 'project') reasons.push('impact on the whole project');
  const minutes = estimateMinutes(task.estimate);
  if (minutes !== undefined && minutes > LONG_MINUTES) {
    reasons.push(`estimated at ${task.estimate ?? ''}`);
  }
  return reasons;
}

/** Tasks to split, those with most reasons first, else in the order of the note. */
function tasksToSplit(
  graph: PlanGraph,
): readonly { readonly task: number; readonly reasons: readonly string[] }[] {
  const found = graph.tasks.flatMap((task, i) => {
    // A task that was split already has subtasks, finished or not.
    const reasons = graph.step[i] === 1 && graph.children[i] === 0 ? reasonsToSplit(task) : [];
    return reasons.length === 0 ? [] : [{ task: i, reasons }];
  });
  return found.sort((a, b) => b.reasons.length - a.reasons.length || a.task - b.task);
}

/** Up to this many open tasks, each is a source; above, this many are drawn, always the same. */
const MAX_SOURCES = 1_000;

/** Seed of Lehmer's generator; any seed works, a fixed one makes the result repeatable. */
const SEED = 20_261_121;

/**
 * Betweenness of each task: the number of shortest paths of dependencies between other open tasks
 * that it lies on. Brandes' algorithm over the open tasks. Start nodes of tasks with subtasks are
 * passed through and not counted. Time: sources × edges; exact up to 1,000 open tasks.
 */
function betweenness(graph: PlanGraph) {
  const open: number[] = [];
  for (let i = 0; i < graph.tasks.length; i++) if (isOpen(graph, i)) open.push(i);
  const sources = open.length <= MAX_SOURCES ? open : sample(open, MAX_SOURCES);
  const run = new BrandesRun(graph);
  for (const source of sources) run.addSource(source);
  const factor = open.length / Math.max(sources.length, 1);
  const score = run.score.subarray(0, graph.tasks.length).map((value) => value * factor);
  return { score, sampled: sources.length < open.length };
}

function sample(all: readonly number[], count: number): readonly number[] {
  const left = [...all];
  let state = SEED;
  for (let i = 0; i < count; i++) {
    state = (state * 16_807) % 2_147_483_647;
    const j = i + (state % (left.length - i));
    [left[i], left[j]] = [left[j] as number, left[i] as number];
  }
  return left.slice(0, count);
}

class BrandesRun {
  readonly score: Float64Array;
  private readonly distance: Int32Array;
  private readonly pathCounts: Float64Array;
  private readonly share: Float64Array;
  private readonly queue: Int32Array;

  constructor(private readonly graph: PlanGraph) {
    const { nodes } = graph;
    this.score = new Float64Array(nodes);
    this.distance = new Int32Array(nodes).fill(-1);
    this.pathCounts = new Float64Array(nodes);
    this.share = new Float64Array(nodes);
    this.queue = new Int32Array(nodes);
  }

  /** Adds the shares of all shortest paths from one task. */
  addSource(source: number): void {
    const reached = this.countShortestPaths(source);
    this.accumulate(source, reached);
    for (let at = 0; at < reached; at++) {
      const v = this.queue[at] as number;
      this.distance[v] = -1;
      this.pathCounts[v] = 0;
      this.share[v] = 0;
    }
  }

  private countShortestPaths(source: number): number {
    const { distance, pathCounts: ways, queue, graph } = this;
    let reached = 1;
    queue[0] = source;
    distance[source] = 0;
    ways[source] = 1;
    for (let at = 0; at < reached; at++) {
      const v = queue[at] as number;
      for (
        let e = graph.edges.firstOut[v] as number;
        e >= 0;
        e = graph.edges.nextOut[e] as number
      ) {
        const next = graph.edges.to[e] as number;
        if (!this.leads(v, next)) continue;
        if (distance[next] === -1) {
          distance[next] = (distance[v] as number) + 1;
          queue[reached++] = next;
        }
        if (distance[next] === (distance[v] as number) + 1) {
          ways[next] = (ways[next] as number) + (ways[v] as number);
        }
      }
    }
    return reached;
  }

  private accumulate(source: number, reached: number): void {
    const { distance, pathCounts: ways, share, queue, graph, score } = this;
    for (let at = reached - 1; at >= 0; at--) {
      const v = queue[at] as number;
      let sum = 0;
      for (
        let e = graph.edges.firstOut[v] as number;
        e >= 0;
        e = graph.edges.nextOut[e] as number
      ) {
        const next = graph.edges.to[e] as number;
        if (!this.leads(v, next) || distance[next] !== (distance[v] as number) + 1) continue;
        const arrives = next < graph.tasks.length ? 1 : 0;
        sum += ((ways[v] as number) / (ways[next] as number)) * (arrives + (share[next] as number));
      }
      share[v] = sum;
      if (v !== source) score[v] = (score[v] as number) + sum;
    }
  }

  /** Whether a path leads from `v` to `next`: not through finished tasks or past open subtasks. */
  private leads(v: number, next: number): boolean {
    const { graph } = this;
    const count = graph.tasks.length;
    if (graph.holds[v] === 0 || (next < count && graph.holds[next] === 0)) return false;
    const past = v >= count && next < count && graph.start[next] === v;
    return !past || graph.openChildren[next] === 0;
  }
}

/** Probability that a task of this risk succeeds at the first try. */
const SUCCESS: Readonly<Record<string, number>> = {
  trivial: 0.98,
  low: 0.9,
  medium: 0.8,
  high: 0.65,
  critical: 0.5,
};

/** Cost of a task by scope, in arbitrary units. */
const COST: Readonly<Record<string, number>> = {
  single: 1,
  narrow: 2,
  moderate: 3,
  broad: 4,
  system: 5,
};

/** Cost of a failure by impact, as a multiple of the task's cost, including the second try. */
const FAILURE: Readonly<Record<string, number>> = {
  isolated: 1,
  component: 1.5,
  phase: 2,
  project: 3,
};

/**
 * Probability that a task succeeds (0 to 1); its cost if it does; its exposure, (1 − success) × the
 * factor of its impact, which `riskPath` adds up; and its expected cost, cost × (1 + exposure).
 * Missing values count as medium risk, narrow scope and isolated impact.
 */
export function taskRisk(task: Pick<Task, 'risk' | 'scope' | 'impact'>) {
  const success = lookUp(SUCCESS, task.risk, 0.8);
  const cost = lookUp(COST, task.scope, 2);
  const exposure = (1 - success) * lookUp(FAILURE, task.impact, 1);
  return { success, cost, expectedCost: cost * (1 + exposure), exposure };
}

interface ExpectedPlan {
  /** of all open tasks, if none fails */
  readonly cost: number;
  readonly expectedCost: number;
  /** probability that all open tasks succeed at the first try, 0 to 1, as if independent */
  readonly success: number;
  /** number of `tasks` that have risk, scope or impact */
  readonly assessed: number;
  /** number of open tasks without open subtasks; others stand for their subtasks */
  readonly tasks: number;
}

function expectedPlan(graph: PlanGraph): ExpectedPlan {
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
 * The riskiest chain of open tasks in which each waits for the one before: the one with the largest
 * sum of exposure. Tasks, first to last.
 * @param order as returned by `topologicalOrder`
 */
function riskPath(graph: PlanGraph, order: Int32Array): readonly number[] {
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

function lookUp(figures: Readonly<Record<string, number>>, word: string | null, none: number) {
  return word === null || !Object.hasOwn(figures, word) ? none : (figures[word] ?? none);
}
