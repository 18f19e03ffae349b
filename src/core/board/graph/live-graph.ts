import type { Status, Task } from '../task';
import { criticalPath } from './critical-path';
import { HeldTasks } from './held-tasks';
import { OrderKeeper } from './order-keeper';
import { isOpen, planGraph, weigh, type PlanGraph } from './plan-graph';
import { RankHeap } from './rank-heap';
import { backward, forward, planLength, schedule, slackOf, type Schedule } from './schedule';

export type Connected =
  | { readonly ok: true }
  /** the way of waiting that the edge would close, by key; its first task is also its last */
  | { readonly ok: false; readonly cycle: readonly string[] };

/**
 * A plan whose analysis follows each change: an edge or a status costs what it affects, not the
 * whole plan. Where tasks wait for each other already, or a task that is opened again has to be put
 * elsewhere in the order, the order is made anew (linear).
 */
export class LiveGraph {
  private readonly graph: PlanGraph;
  private readonly order: OrderKeeper;
  private readonly held: HeldTasks;
  private readonly later: RankHeap;
  private readonly earlier: RankHeap;
  private plan: Schedule;
  private known: number | undefined;

  constructor(tasks: readonly Task[]) {
    this.graph = planGraph(tasks);
    this.order = new OrderKeeper(this.graph);
    this.plan = schedule(this.graph, this.order.settle());
    this.held = new HeldTasks(this.graph);
    this.later = new RankHeap(this.order.rank, 1);
    this.earlier = new RankHeap(this.order.rank, -1);
  }

  /** In the graph's unit, tasks or minutes. */
  get length(): number {
    return (this.known ??= planLength(this.graph, this.plan));
  }

  blocked(key: string): boolean {
    return this.held.blocked(this.node(key));
  }

  ready(key: string): boolean {
    return this.held.ready(this.node(key));
  }

  /** Undefined where the task is finished or has no place in the order. */
  slack(key: string): number | undefined {
    const task = this.node(key);
    return this.placed(task) ? slackOf(this.graph, this.plan, this.length, task) : undefined;
  }

  /** From 1; undefined as for `slack`. */
  wave(key: string): number | undefined {
    const task = this.node(key);
    return this.placed(task) ? this.plan.level[task] : undefined;
  }

  criticalPath(): readonly string[] {
    return criticalPath(this.graph, this.plan).map((task) => this.graph.tasks[task]?.key ?? '');
  }

  /** `key` waits for `prerequisite` from now on; refused where that would close a circle. */
  connect(key: string, prerequisite: string): Connected {
    const { graph } = this;
    const from = this.node(prerequisite);
    const task = this.node(key);
    const to = graph.start[task] as number;
    if (graph.edges.has(from, to)) return { ok: true };
    if (isOpen(graph, from)) {
      const way = this.order.admit(from, to);
      if (way !== undefined) return { ok: false, cycle: this.told(task, way) };
    }
    graph.edges.add(from, to);
    this.edgeChanged(from, to, task, 1);
    return { ok: true };
  }

  /** `key` no longer waits for `prerequisite`; false where it did not. */
  disconnect(key: string, prerequisite: string): boolean {
    const from = this.node(prerequisite);
    const task = this.node(key);
    const to = this.graph.start[task] as number;
    if (!this.graph.edges.remove(from, to)) return false;
    this.edgeChanged(from, to, task, -1);
    return true;
  }

  setStatus(key: string, status: Status): void {
    const { graph } = this;
    const task = this.node(key);
    const before = { open: isOpen(graph, task), cancelled: graph.status[task] === 'cancelled' };
    graph.status[task] = status;
    const open = isOpen(graph, task);
    const above = graph.parent[task] as number;
    if (above >= 0) {
      const { openChildren, children } = graph;
      const counted = Number(before.cancelled) - Number(status === 'cancelled');
      openChildren[above] = (openChildren[above] as number) + Number(open) - Number(before.open);
      children[above] = (children[above] as number) + counted;
      weigh(graph, above);
    }
    weigh(graph, task);
    this.held.changed(task, open === before.open ? 0 : open ? 1 : -1);
    this.statusChanged(task, above, open && !before.open);
  }

  private edgeChanged(from: number, to: number, task: number, change: 1 | -1): void {
    if (!isOpen(this.graph, from)) return;
    this.held.count(task, change);
    if (this.order.knotted) return this.anew();
    this.later.push(to);
    this.earlier.push(from);
    this.flow();
  }

  private statusChanged(task: number, above: number, opened: boolean): void {
    const { firstOut, nextOut, to } = this.graph.edges;
    if (this.order.knotted) return this.anew();
    this.later.push(task);
    this.earlier.push(task);
    if (above >= 0) {
      this.later.push(above);
      this.earlier.push(above);
    }
    const { rank } = this.order;
    let fits = true;
    for (let e = firstOut[task] as number; e >= 0; e = nextOut[e] as number) {
      const next = to[e] as number;
      if ((rank[next] as number) <= (rank[task] as number)) fits = false;
      this.later.push(next);
    }
    if (opened && !fits) this.anew();
    else this.flow();
  }

  /** Carries what changed on, each node once, in the order of the plan. */
  private flow(): void {
    const { graph, plan, later, earlier } = this;
    const { edges, holds } = graph;
    for (let v = later.pop(); v !== undefined; v = later.pop()) {
      if (!forward(graph, plan, v) || holds[v] === 0) continue;
      for (let e = edges.firstOut[v] as number; e >= 0; e = edges.nextOut[e] as number) {
        later.push(edges.to[e] as number);
      }
    }
    for (let v = earlier.pop(); v !== undefined; v = earlier.pop()) {
      if (!backward(graph, plan, v)) continue;
      for (let e = edges.firstIn[v] as number; e >= 0; e = edges.nextIn[e] as number) {
        const u = edges.from[e] as number;
        if (holds[u] === 1) earlier.push(u);
      }
    }
    this.known = undefined;
  }

  private anew(): void {
    this.later.clear();
    this.earlier.clear();
    this.plan = schedule(this.graph, this.order.settle());
    this.known = undefined;
  }

  private placed(task: number): boolean {
    return isOpen(this.graph, task) && (this.plan.end[task] as number) >= 0;
  }

  /** A way through the graph as a way of waiting: back from the prerequisite to the task itself. */
  private told(task: number, way: readonly number[]): readonly string[] {
    const tasks = [task, ...[...way].reverse().map((node) => this.graph.owner[node] as number)];
    const told = tasks.filter((one, at) => one !== tasks[at - 1]);
    const whole = told.length > 1 ? told : [...told, ...told];
    return whole.map((one) => this.graph.tasks[one]?.key ?? '');
  }

  private node(key: string): number {
    const node = this.graph.index.get(key);
    if (node === undefined) throw new Error(`assertion: no task ${key} in the graph`);
    return node;
  }
}
