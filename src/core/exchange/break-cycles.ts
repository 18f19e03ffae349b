import type { Task } from '../board/task';

/** The parent and prerequisites of a task, by index. */
export interface WaitingTask {
  /** -1 if there is none */
  readonly parent: number;
  readonly dependsOn: readonly number[];
}

/** Limit on search steps. Plans written by people need a few hundred. */
const BUDGET = 50_000_000;

/**
 * Finds the edges that close a cycle. Goes through them in the given order; an edge that closes a
 * cycle is left out, and later ones are checked without it. Each comes with the cycle as a path
 * whose first task is repeated at the end; the path is empty if the search took too many steps.
 * Parents must be free of cycles. Takes linear time if there is no cycle.
 *
 * A task is two nodes, its start (2t) and its end (2t + 1). A start waits for the parent's start
 * and the ends of the prerequisites; an end waits for the task's own start and the ends of the
 * subtasks. So a task can't wait for its ancestors or its descendants.
 */
export function closingEdges(tasks: readonly WaitingTask[]) {
  const search = new Search(tasks);
  const left: { from: number; to: number; way: readonly number[] }[] = [];
  tasks.forEach(({ dependsOn }, from) => {
    for (const to of dependsOn) {
      const way = search.addEdge(from, to);
      if (way !== undefined) left.push({ from, to, way });
    }
  });
  return left;
}

class Search {
  private readonly out: number[][];
  private readonly into: number[][];
  /** whether a node may be on a cycle */
  private readonly mayBeOnCycle: Uint8Array;
  private steps = 0;

  constructor(tasks: readonly WaitingTask[]) {
    this.out = tasks.flatMap((): number[][] => [[], []]);
    this.into = tasks.flatMap((): number[][] => [[], []]);
    tasks.forEach(({ parent }, task) => {
      this.connect(2 * task + 1, 2 * task);
      if (parent < 0) return;
      this.connect(2 * task, 2 * parent);
      this.connect(2 * parent + 1, 2 * task + 1);
    });
    this.mayBeOnCycle = nodesOnCycles(tasks, this.out);
  }

  /** Adds the edge, or returns the cycle that it would close. */
  addEdge(from: number, to: number): readonly number[] | undefined {
    const [start, end] = [2 * from, 2 * to + 1];
    if (this.mayBeOnCycle[start] === 1 && this.mayBeOnCycle[end] === 1) {
      if (this.steps > BUDGET) return [];
      const way = this.findPath(end, start);
      if (way !== undefined) return [from, ...tasksOn(way)];
    }
    this.connect(start, end);
    return undefined;
  }

  private connect(from: number, to: number): void {
    this.out[from]?.push(to);
    this.into[to]?.push(from);
  }

  /** Finds a path by searching from both ends, so that a long chain costs only its shorter side. */
  private findPath(from: number, to: number): readonly number[] | undefined {
    const ahead = { edges: this.out, cameFrom: new Map([[from, from]]), edge: [from] };
    const back = { edges: this.into, cameFrom: new Map([[to, to]]), edge: [to] };
    if (from === to) return [from];
    while (ahead.edge.length > 0 && back.edge.length > 0) {
      const first = ahead.cameFrom.size <= back.cameFrom.size;
      const [side, other] = first ? [ahead, back] : [back, ahead];
      const met = this.step(side, other.cameFrom);
      if (met === undefined) continue;
      return [
        ...pathToStart(ahead.cameFrom, met).toReversed(),
        ...pathToStart(back.cameFrom, met).slice(1),
      ];
    }
    return undefined;
  }

  /** Advances one side by one step. Returns the node where the sides meet, if they do. */
  private step(side: Side, other: ReadonlyMap<number, number>): number | undefined {
    const next: number[] = [];
    for (const node of side.edge) {
      for (const one of side.edges[node] ?? []) {
        this.steps += 1;
        if (this.mayBeOnCycle[one] !== 1 || side.cameFrom.has(one)) continue;
        side.cameFrom.set(one, node);
        if (other.has(one)) return one;
        next.push(one);
      }
    }
    side.edge = next;
    return undefined;
  }
}

interface Side {
  readonly edges: readonly (readonly number[])[];
  readonly cameFrom: Map<number, number>;
  /** the nodes reached in the last step */
  edge: number[];
}

/** The path from a node back to the start of its side. */
function pathToStart(cameFrom: ReadonlyMap<number, number>, node: number): number[] {
  const nodes = [node];
  for (let at = node; ;) {
    const before = cameFrom.get(at) ?? at;
    if (before === at) return nodes;
    nodes.push(before);
    at = before;
  }
}

/** The tasks on a path of nodes, without repeating neighbours. */
function tasksOn(nodes: readonly number[]): readonly number[] {
  const tasks = nodes.map((node) => node >> 1);
  return tasks.filter((task, at) => task !== tasks[at - 1]);
}

/**
 * Marks the nodes that may be on a cycle: those left after repeatedly removing nodes that wait for
 * nothing.
 */
function nodesOnCycles(
  tasks: readonly WaitingTask[],
  tree: readonly (readonly number[])[],
): Uint8Array {
  const waits = tree.map((list, node) => [
    ...list,
    ...(node % 2 === 0 ? (tasks[node / 2]?.dependsOn ?? []).map((to) => 2 * to + 1) : []),
  ]);
  const open = Int32Array.from(waits, (list) => list.length);
  const behind = Array.from({ length: waits.length }, (): number[] => []);
  waits.forEach((list, node) => {
    for (const other of list) behind[other]?.push(node);
  });
  const mayBeOnCycle = new Uint8Array(waits.length).fill(1);
  const free = [...waits.keys()].filter((node) => open[node] === 0);
  for (let at = 0; at < free.length; at += 1) {
    const node = free[at] as number;
    mayBeOnCycle[node] = 0;
    for (const other of behind[node] ?? []) {
      open[other] = (open[other] as number) - 1;
      if (open[other] === 0) free.push(other);
    }
  }
  return mayBeOnCycle;
}

/**
 * Finds prerequisites of new tasks that would close a cycle with the tasks already on the board.
 * Returns pairs of ids, the new task first.
 */
export function boardClosingEdges(
  there: readonly Task[],
  added: readonly (Pick<Task, 'parent' | 'dependsOn'> & { readonly id: string })[],
): readonly (readonly [string, string])[] {
  const all = [
    ...there.map(({ id, key, parent, dependsOn }) => ({ id: id ?? key, parent, dependsOn })),
    ...added,
  ];
  const index = new Map<string, number>();
  all.forEach(({ id }, at) => {
    if (!index.has(id)) index.set(id, at);
  });
  const waiting = all.map(({ parent, dependsOn }) => ({
    parent: parent === null ? -1 : (index.get(parent) ?? -1),
    dependsOn: dependsOn.flatMap((id) => index.get(id) ?? []),
  }));
  return closingEdges(waiting)
    .filter(({ from }) => from >= there.length)
    .map(({ from, to }) => [all[from]?.id ?? '', all[to]?.id ?? '']);
}
