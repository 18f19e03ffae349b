import { isFinished } from '../facts';
import type { Status, Task } from '../task';

/** Minutes assumed for a task without an estimate, if another one has an estimate. */
const UNESTIMATED_MINUTES = 60;

/**
 * A board as numbered nodes. Node `i` below `tasks.length` is the completion of task `i`. A task
 * with subtasks has a second node, its start (`start[i]`), since its subtasks wait for all that
 * it waits for, and it is done after them: prerequisite → start → subtasks → done. Linear in tasks
 * and prerequisites.
 */
export interface PlanGraph {
  readonly tasks: readonly Task[];
  /** node by the task's key */
  readonly index: ReadonlyMap<string, number>;
  readonly nodes: number;
  /** the node that a task's prerequisites lead to: its start node, or the task itself */
  readonly start: Int32Array;
  /** the task of each start or completion node */
  readonly owner: Int32Array;
  /** node of the parent task, -1 for none */
  readonly parent: Int32Array;
  readonly edges: EdgeList;
  /** by task */
  readonly status: Status[];
  /** 1 for nodes that others wait for: every start, and each unfinished task */
  readonly holds: Uint8Array;
  /** weight of each node, in `unit` */
  readonly weight: Float64Array;
  /** 1 for nodes that take a wave of their own: open tasks without open subtasks */
  readonly step: Uint8Array;
  /** number of direct subtasks that are not finished */
  readonly openChildren: Int32Array;
  /** number of direct subtasks that are not cancelled */
  readonly children: Int32Array;
  /** weight of each task in `unit`, whatever its status */
  readonly own: Float64Array;
  /**
   * minutes if any open task has an estimate (those without one then count an hour), else each task
   * counts 1
   */
  readonly unit: 'tasks' | 'minutes';
  /** prerequisites that are not on the board */
  readonly unknown: readonly { readonly task: number; readonly id: string }[];
}

export function planGraph(tasks: readonly Task[]): PlanGraph {
  const index = indexOf(tasks);
  const parent = new Int32Array(tasks.length).fill(-1);
  const start = new Int32Array(tasks.length);
  const status: Status[] = [];
  let nodes = tasks.length;
  for (let i = 0; i < tasks.length; i++) {
    const task = tasks[i] as Task;
    start[i] = i;
    status.push(task.status);
    if (task.parent === null) continue;
    const above = index.get(task.parent) ?? -1;
    parent[i] = above;
    if (above >= 0 && start[above] === above) start[above] = nodes++;
  }
  const owner = new Int32Array(nodes);
  for (let i = 0; i < tasks.length; i++) owner[i] = owner[start[i] as number] = i;
  const edges = new EdgeList(nodes);
  const unknown = connectAll(tasks, index, start, parent, edges);
  const { own, unit } = ownWeights(tasks);
  const weight = new Float64Array(nodes);
  const openChildren = new Int32Array(tasks.length);
  const children = new Int32Array(tasks.length);
  const holds = new Uint8Array(nodes).fill(1);
  const step = new Uint8Array(nodes);
  const rest = { holds, weight, step, openChildren, children, own, unit, unknown };
  const graph: PlanGraph = { tasks, index, nodes, start, owner, parent, edges, status, ...rest };
  for (let i = tasks.length - 1; i >= 0; i--) {
    // Subtasks come after their parent: going backwards counts them before it is weighed.
    const above = parent[i] as number;
    if (above >= 0 && status[i] !== 'cancelled') children[above] = (children[above] as number) + 1;
    if (above >= 0 && isOpen(graph, i)) openChildren[above] = (openChildren[above] as number) + 1;
    weigh(graph, i);
  }
  return graph;
}

export function isOpen({ status }: Pick<PlanGraph, 'status'>, task: number): boolean {
  return status[task] !== 'completed' && status[task] !== 'cancelled';
}

/** Computes from a task's status and subtasks whether others wait for it, and its weight. */
function weigh(graph: PlanGraph, task: number): void {
  const { holds, step, weight, own, openChildren, children, unit } = graph;
  const open = isOpen(graph, task);
  const whole = open && openChildren[task] === 0;
  // The estimate of a task with subtasks is the work of its subtasks.
  const done = unit === 'minutes' && (children[task] as number) > 0;
  holds[task] = open ? 1 : 0;
  step[task] = whole ? 1 : 0;
  weight[task] = whole && !done ? (own[task] as number) : 0;
}

function indexOf(tasks: readonly Task[]): Map<string, number> {
  const index = new Map<string, number>();
  for (let i = 0; i < tasks.length; i++) index.set((tasks[i] as Task).key, i);
  return index;
}

function connectAll(
  tasks: readonly Task[],
  index: ReadonlyMap<string, number>,
  start: Int32Array,
  parent: Int32Array,
  edges: EdgeList,
): PlanGraph['unknown'] {
  const unknown: { task: number; id: string }[] = [];
  for (let i = 0; i < tasks.length; i++) {
    const begin = start[i] as number;
    const above = parent[i] as number;
    if (begin !== i) edges.add(begin, i);
    if (above >= 0) {
      edges.add(start[above] as number, begin);
      edges.add(i, above);
    }
    for (const id of (tasks[i] as Task).dependsOn) {
      const prerequisite = index.get(id);
      if (prerequisite === undefined) unknown.push({ task: i, id });
      else edges.add(prerequisite, begin);
    }
  }
  return unknown;
}

function ownWeights(tasks: readonly Task[]): Pick<PlanGraph, 'own' | 'unit'> {
  const own = new Float64Array(tasks.length).fill(1);
  let estimated = false;
  for (let i = 0; i < tasks.length; i++) {
    const task = tasks[i] as Task;
    if (task.estimate === null) continue;
    const minutes = estimateMinutes(task.estimate);
    if (minutes === undefined) continue;
    if (!isFinished(task)) estimated = true;
    own[i] = -minutes;
  }
  // Estimates are negative numbers so far, so that one of 1 minute differs from none.
  for (let i = 0; i < own.length; i++) {
    const set = own[i] as number;
    if (!estimated) own[i] = 1;
    else own[i] = set === 1 ? UNESTIMATED_MINUTES : -set;
  }
  return { own, unit: estimated ? 'minutes' : 'tasks' };
}

/** Edges between numbered nodes, in both directions. */
class EdgeList {
  /** first edge out of a node, -1 for none; the next ones by `nextOut` */
  readonly firstOut: Int32Array;
  /** first edge into a node, -1 for none; the next ones by `nextIn` */
  readonly firstIn: Int32Array;
  nextOut: Int32Array;
  nextIn: Int32Array;
  /** start of an edge */
  from: Int32Array;
  /** end of an edge */
  to: Int32Array;
  private used = 0;

  constructor(nodes: number, room = nodes * 2) {
    const size = Math.max(room, 8);
    this.firstOut = new Int32Array(nodes).fill(-1);
    this.firstIn = new Int32Array(nodes).fill(-1);
    this.nextOut = new Int32Array(size);
    this.nextIn = new Int32Array(size);
    this.from = new Int32Array(size);
    this.to = new Int32Array(size);
  }

  add(from: number, to: number): void {
    if (this.used === this.to.length) this.grow();
    const edge = this.used++;
    this.from[edge] = from;
    this.to[edge] = to;
    this.nextOut[edge] = this.firstOut[from] as number;
    this.firstOut[from] = edge;
    this.nextIn[edge] = this.firstIn[to] as number;
    this.firstIn[to] = edge;
  }

  private grow(): void {
    const size = this.to.length * 2;
    const wider = (old: Int32Array): Int32Array => {
      const wide = new Int32Array(size);
      wide.set(old);
      return wide;
    };
    this.nextOut = wider(this.nextOut);
    this.nextIn = wider(this.nextIn);
    this.from = wider(this.from);
    this.to = wider(this.to);
  }
}

/**
 * Topological order of the nodes: each comes after all that it waits for (Kahn). Nodes in cycles,
 * and those that depend on them, are left out: the order is then shorter than `nodes`.
 */
export function topologicalOrder({ nodes, edges, holds }: PlanGraph): Int32Array {
  const { firstOut, nextOut, to } = edges;
  const waits = new Int32Array(nodes);
  for (let v = 0; v < nodes; v++) {
    if (holds[v] === 0) continue;
    for (let e = firstOut[v] as number; e >= 0; e = nextOut[e] as number) {
      waits[to[e] as number] = (waits[to[e] as number] as number) + 1;
    }
  }
  const order = new Int32Array(nodes);
  let placed = 0;
  for (let v = 0; v < nodes; v++) if (waits[v] === 0) order[placed++] = v;
  for (let at = 0; at < placed; at++) {
    const v = order[at] as number;
    if (holds[v] === 0) continue;
    for (let e = firstOut[v] as number; e >= 0; e = nextOut[e] as number) {
      const next = to[e] as number;
      const left = (waits[next] as number) - 1;
      waits[next] = left;
      if (left === 0) order[placed++] = next;
    }
  }
  return order.subarray(0, placed);
}

/** Minutes of an `estimate` such as `30m`, `2h`, `1.5h` or `1h 30m`; undefined if invalid. */
export function estimateMinutes(text: string | null): number | undefined {
  if (text === null) return undefined;
  const found =
    /^\s*(?:(\d{1,6}(?:\.\d{1,4})?)\s*h)?\s*(?:(\d{1,6}(?:\.\d{1,4})?)\s*m(?:in)?)?\s*$/i.exec(
      text,
    );
  const [, hours, minutes] = found ?? [];
  if (hours === undefined && minutes === undefined) return undefined;
  return Math.round(Number(hours ?? 0) * 60 + Number(minutes ?? 0));
}
