import { isOpen, topologicalOrder, planGraph, type PlanGraph } from './plan-graph';
import type { Board, Task } from '../task';
import { boardFacts, isFinished } from '../facts';

/** Earliest end of each node, and the length of what comes after it, in the graph's unit. */
interface Schedule {
  /** earliest end; -1 for nodes that are not in the order */
  readonly end: Float64Array;
  /** longest path from a node to the end of the plan, including its own weight */
  readonly tail: Float64Array;
  /** wave of the node: 1 for a task that waits for no open one */
  readonly level: Int32Array;
}

/** @param order as returned by `topologicalOrder` */
export function schedule(graph: PlanGraph, order: Int32Array): Schedule {
  const { nodes } = graph;
  const made = {
    end: new Float64Array(nodes).fill(-1),
    tail: new Float64Array(nodes),
    level: new Int32Array(nodes),
  };
  for (let at = 0; at < order.length; at++) forward(graph, made, order[at] as number);
  for (let at = order.length - 1; at >= 0; at--) backward(graph, made, order[at] as number);
  return made;
}

/** Computes a node's end and wave from the nodes before it. @returns whether one changed */
function forward(graph: PlanGraph, { end, level }: Schedule, v: number): boolean {
  const { edges, holds, weight, step } = graph;
  let ready = 0;
  let wave = 0;
  for (let e = edges.firstIn[v] as number; e >= 0; e = edges.nextIn[e] as number) {
    const u = edges.from[e] as number;
    if (holds[u] === 0) continue;
    if ((end[u] as number) > ready) ready = end[u] as number;
    if ((level[u] as number) > wave) wave = level[u] as number;
  }
  ready += weight[v] as number;
  wave += step[v] as number;
  if (ready === end[v] && wave === level[v]) return false;
  end[v] = ready;
  level[v] = wave;
  return true;
}

/** Computes a node's tail from the nodes after it. @returns whether it changed */
function backward(graph: PlanGraph, { tail }: Schedule, v: number): boolean {
  const { edges, holds, weight } = graph;
  let after = 0;
  if (holds[v] === 1) {
    for (let e = edges.firstOut[v] as number; e >= 0; e = edges.nextOut[e] as number) {
      const next = tail[edges.to[e] as number] as number;
      if (next > after) after = next;
    }
  }
  after += weight[v] as number;
  if (after === tail[v]) return false;
  tail[v] = after;
  return true;
}

/** The length of the plan: of the longest path through its open tasks. */
export function planLength(graph: PlanGraph, { end }: Schedule): number {
  let length = 0;
  for (let i = 0; i < graph.tasks.length; i++) {
    if ((end[i] as number) > length && isOpen(graph, i)) length = end[i] as number;
  }
  return length;
}

/** How much longer a task may take without delaying the whole plan. */
export function slackOf(
  graph: PlanGraph,
  { end, tail }: Schedule,
  length: number,
  task: number,
): number {
  const through = (end[task] as number) + (tail[task] as number) - (graph.weight[task] as number);
  return length - through;
}

/**
 * The longest chain of open tasks in which each waits for the one before: nodes, first to last.
 * Among chains of the same length, the one with more steps, then the one whose tasks come first in
 * the note.
 */
export function criticalPath(graph: PlanGraph, plan: Schedule): readonly number[] {
  const { end } = plan;
  const length = planLength(graph, plan);
  let last = -1;
  for (let i = 0; i < graph.tasks.length; i++) {
    if (isOpen(graph, i) && end[i] === length && isLater(plan, i, last)) last = i;
  }
  const path: number[] = [];
  for (let v = last; v >= 0; v = criticalPredecessor(graph, plan, v)) {
    if (v < graph.tasks.length) path.push(v);
  }
  return path.reverse();
}

/** The predecessor that a node has to wait for longest, -1 for none. */
function criticalPredecessor(
  { edges, holds, weight }: PlanGraph,
  plan: Schedule,
  v: number,
): number {
  const begin = (plan.end[v] as number) - (weight[v] as number);
  let best = -1;
  for (let e = edges.firstIn[v] as number; e >= 0; e = edges.nextIn[e] as number) {
    const u = edges.from[e] as number;
    if (holds[u] === 1 && plan.end[u] === begin && isLater(plan, u, best)) best = u;
  }
  return best;
}

function isLater({ level }: Schedule, node: number, best: number): boolean {
  if (best < 0) return true;
  const difference = (level[node] as number) - (level[best] as number);
  return difference > 0 || (difference === 0 && node < best);
}

const criticalCache = new WeakMap<readonly Task[], ReadonlySet<string>>();

/**
 * Keys of the tasks that views mark as the critical path. A parent stands for its subtasks on it;
 * a path of one task is not marked.
 *
 * @param before an earlier value of the same tasks: its result counts if nothing that decides on
 * the path has changed
 */
export function criticalTasks(
  tasks: readonly Task[],
  before: readonly Task[] = tasks,
): ReadonlySet<string> {
  const known =
    criticalCache.get(tasks) ?? (isSamePlan(before, tasks) ? criticalCache.get(before) : undefined);
  const critical = known ?? computeCritical(tasks);
  criticalCache.set(tasks, critical);
  return critical;
}

function isSamePlan(before: readonly Task[], after: readonly Task[]): boolean {
  const isSame = (one: Task, at: number) => {
    const other = before[at];
    return (
      other !== undefined &&
      one.key === other.key &&
      one.parent === other.parent &&
      one.estimate === other.estimate &&
      (one.status === other.status || (!isFinished(one) && !isFinished(other))) &&
      one.dependsOn.length === other.dependsOn.length &&
      one.dependsOn.every((id, index) => id === other.dependsOn[index])
    );
  };
  return before.length === after.length && after.every(isSame);
}

function computeCritical(tasks: readonly Task[]): ReadonlySet<string> {
  const graph = planGraph(tasks);
  const path = criticalPath(graph, schedule(graph, topologicalOrder(graph)));
  const on = new Set(path);
  const shown = path.filter((task) => !on.has(graph.parent[task] ?? -1));
  if (shown.length < 2) return new Set();
  return new Set(shown.map((task) => graph.tasks[task]?.key ?? ''));
}

/**
 * Groups open tasks that can be worked on at the same time: those of the first group wait for no
 * open task, those of each other group for one of the group before. A task with open subtasks is
 * in the group of the last of them, and comes after them. One after the other, the groups are an
 * order to do the tasks in.
 */
export function waves(graph: PlanGraph, { end, level }: Schedule): readonly (readonly number[])[] {
  const groups: { steps: number[]; frames: number[] }[] = [];
  for (let i = 0; i < graph.tasks.length; i++) {
    if (!isOpen(graph, i) || (end[i] as number) < 0) continue;
    const wave = level[i] as number;
    while (groups.length < wave) groups.push({ steps: [], frames: [] });
    const group = groups[wave - 1];
    (graph.step[i] === 1 ? group?.steps : group?.frames)?.push(i);
  }
  // An inner parent comes after its outer one in the note, but must be done before it.
  return groups.map(({ steps, frames }) => [...steps, ...frames.reverse()]);
}

/**
 * Simulates the completion of one task. Returns keys, in the order of the note: `frees` tasks that
 * would no longer be blocked, `makesReady` tasks that could be started (freed ones, and parents
 * whose last open subtask this is), `stillWait` tasks that wait for it and would still wait for
 * something else.
 */
export function whatIf(board: Pick<Board, 'tasks' | 'archived'>, key: string) {
  const now = boardFacts(board);
  const tasks = board.tasks.map((task) =>
    task.key === key ? ({ ...task, status: 'completed' } as const) : task,
  );
  const then = boardFacts({ ...board, tasks });
  const open = tasks.filter(({ status }) => status === 'pending' || status === 'in_progress');
  const keys = open.map((task) => task.key);
  const waiting = new Set(now.get(key)?.blocks);
  return {
    frees: keys.filter((one) => now.get(one)?.blocked === true && !then.get(one)?.blocked),
    makesReady: keys.filter((one) => now.get(one)?.ready !== true && then.get(one)?.ready),
    stillWait: keys.filter((one) => waiting.has(one) && then.get(one)?.blocked),
  };
}
