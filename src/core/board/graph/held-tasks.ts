import { isOpen, type PlanGraph } from './plan-graph';

/** Which tasks are blocked, kept while edges and statuses change; the rules are those of `facts.ts`. */
export class HeldTasks {
  /** own prerequisites that are not finished, unknown ones too */
  private readonly waits: Int32Array;
  private readonly held: Uint8Array;

  constructor(private readonly graph: PlanGraph) {
    const count = graph.tasks.length;
    this.waits = new Int32Array(count);
    this.held = new Uint8Array(count);
    for (const { task } of graph.unknown) this.waits[task] = (this.waits[task] as number) + 1;
    for (let i = 0; i < count; i++) this.waits[i] = (this.waits[i] as number) + this.openBefore(i);
    // A parent stands before its sub-tasks, so what holds it up is known first.
    for (let i = 0; i < count; i++) this.held[i] = this.isHeldNow(i) ? 1 : 0;
  }

  blocked(task: number): boolean {
    return this.held[task] === 1;
  }

  ready(task: number): boolean {
    const { status, openChildren } = this.graph;
    return status[task] === 'pending' && !this.blocked(task) && openChildren[task] === 0;
  }

  /** A task has one prerequisite more (1) or less (-1) that is not finished. */
  count(task: number, change: 1 | -1): void {
    this.waits[task] = (this.waits[task] as number) + change;
    this.refresh(task);
  }

  /** The status of a task changed; `opened`: 1 it was finished, -1 it is now, 0 neither. */
  changed(task: number, opened: 1 | -1 | 0): void {
    if (opened !== 0) for (const waiting of this.dependents(task)) this.count(waiting, opened);
    for (const child of this.subtasks(task)) this.refresh(child);
  }

  private refresh(task: number): void {
    const todo = [task];
    for (const one of todo) {
      const now = this.isHeldNow(one) ? 1 : 0;
      if (this.held[one] === now) continue;
      this.held[one] = now;
      todo.push(...this.subtasks(one));
    }
  }

  private isHeldNow(task: number): boolean {
    if ((this.waits[task] as number) > 0) return true;
    const above = this.graph.parent[task] as number;
    if (above < 0) return false;
    const status = this.graph.status[above];
    return status === 'failed' || status === 'deferred' || this.held[above] === 1;
  }

  /** How many of a task's prerequisites on the board are not finished. */
  private openBefore(task: number): number {
    const { graph } = this;
    const { firstIn, nextIn, from } = graph.edges;
    const begin = graph.start[task] as number;
    let open = 0;
    for (let e = firstIn[begin] as number; e >= 0; e = nextIn[e] as number) {
      const node = from[e] as number;
      // Beyond the tasks are starts: that of the task above leads here too, and is no prerequisite.
      if (node < graph.tasks.length && isOpen(graph, node)) open++;
    }
    return open;
  }

  /** Tasks that name this one in `dependsOn`. */
  private dependents(task: number): readonly number[] {
    const { start, owner } = this.graph;
    return this.after(task).flatMap((node) => {
      const other = owner[node] as number;
      return start[other] === node ? [other] : [];
    });
  }

  private subtasks(task: number): readonly number[] {
    const { start, owner, parent } = this.graph;
    const begin = start[task] as number;
    if (begin === task) return [];
    return this.after(begin).flatMap((node) => {
      const other = owner[node] as number;
      return parent[other] === task ? [other] : [];
    });
  }

  private after(node: number): readonly number[] {
    const { firstOut, nextOut, to } = this.graph.edges;
    const found: number[] = [];
    for (let e = firstOut[node] as number; e >= 0; e = nextOut[e] as number) {
      found.push(to[e] as number);
    }
    return found;
  }
}
