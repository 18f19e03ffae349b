import type { Task } from '../board/task';

/** What a task waits for, by index. */
export interface WaitingTask {
  /** -1 for none */
  readonly parent: number;
  readonly dependsOn: readonly number[];
}

/** Steps that may be spent on circles. Plans that people wrote need some hundred. */
const BUDGET = 50_000_000;

/**
 * Which edges close a circle, each with the way round (the first task again at its end; empty where
 * the tasks are too tangled to look for it), in the order in which they are given: each that does is left out, and
 * those behind it are looked at without it. Parents must be free of circles. Linear where there is no
 * circle at all.
 *
 * A task is two nodes, its start (2t) and its end (2t + 1). A start waits for the parent's start and
 * the ends of the prerequisites, an end for the own start and the ends of the sub-tasks: so a task
 * can wait neither for those above nor for those under it.
 */
export function closingEdges(tasks: readonly WaitingTask[]) {
  const search = new Search(tasks);
  const left: { from: number; to: number; way: readonly number[] }[] = [];
  tasks.forEach(({ dependsOn }, from) => {
    for (const to of dependsOn) {
      const way = search.admit(from, to);
      if (way !== undefined) left.push({ from, to, way });
    }
  });
  return left;
}

class Search {
  private readonly out: number[][];
  private readonly into: number[][];
  /** whether a node can be on a circle */
  private readonly knotted: Uint8Array;
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
    this.knotted = knots(tasks, this.out);
  }

  /** Takes the edge in, or answers the circle that it would close. */
  admit(from: number, to: number): readonly number[] | undefined {
    const [start, end] = [2 * from, 2 * to + 1];
    if (this.knotted[start] === 1 && this.knotted[end] === 1) {
      if (this.steps > BUDGET) return [];
      const way = this.way(end, start);
      if (way !== undefined) return [from, ...tasksOn(way)];
    }
    this.connect(start, end);
    return undefined;
  }

  private connect(from: number, to: number): void {
    this.out[from]?.push(to);
    this.into[to]?.push(from);
  }

  /** The nodes on a way, looked for from both ends: a long chain costs its shorter side only. */
  private way(from: number, to: number): readonly number[] | undefined {
    const ahead = { edges: this.out, cameFrom: new Map([[from, from]]), edge: [from] };
    const back = { edges: this.into, cameFrom: new Map([[to, to]]), edge: [to] };
    if (from === to) return [from];
    while (ahead.edge.length > 0 && back.edge.length > 0) {
      const first = ahead.cameFrom.size <= back.cameFrom.size;
      const [side, other] = first ? [ahead, back] : [back, ahead];
      const met = this.step(side, other.cameFrom);
      if (met === undefined) continue;
      return [...trail(ahead.cameFrom, met).toReversed(), ...trail(back.cameFrom, met).slice(1)];
    }
    return undefined;
  }

  /** One step further on one side; the node where the sides meet. */
  private step(side: Side, other: ReadonlyMap<number, number>): number | undefined {
    const next: number[] = [];
    for (const node of side.edge) {
      for (const one of side.edges[node] ?? []) {
        this.steps += 1;
        if (this.knotted[one] !== 1 || side.cameFrom.has(one)) continue;
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
  /** what was reached last */
  edge: number[];
}

/** From a node back to where its side began. */
function trail(cameFrom: ReadonlyMap<number, number>, node: number): number[] {
  const nodes = [node];
  for (let at = node; ;) {
    const before = cameFrom.get(at) ?? at;
    if (before === at) return nodes;
    nodes.push(before);
    at = before;
  }
}

/** The tasks of nodes in a row, each once. */
function tasksOn(nodes: readonly number[]): readonly number[] {
  const tasks = nodes.map((node) => node >> 1);
  return tasks.filter((task, at) => task !== tasks[at - 1]);
}

/** Marks what is left when nodes that wait for nothing are taken away, again and again. */
function knots(tasks: readonly WaitingTask[], tree: readonly (readonly number[])[]): Uint8Array {
  const waits = tree.map((list, node) => [
    ...list,
    ...(node % 2 === 0 ? (tasks[node / 2]?.dependsOn ?? []).map((to) => 2 * to + 1) : []),
  ]);
  const open = Int32Array.from(waits, (list) => list.length);
  const behind = Array.from({ length: waits.length }, (): number[] => []);
  waits.forEach((list, node) => {
    for (const other of list) behind[other]?.push(node);
  });
  const knotted = new Uint8Array(waits.length).fill(1);
  const free = [...waits.keys()].filter((node) => open[node] === 0);
  for (let at = 0; at < free.length; at += 1) {
    const node = free[at] as number;
    knotted[node] = 0;
    for (const other of behind[node] ?? []) {
      open[other] = (open[other] as number) - 1;
      if (open[other] === 0) free.push(other);
    }
  }
  return knotted;
}

/**
 * What new tasks may not wait for on a board that has tasks already, since it would close a circle
 * with them: pairs of ids, the new task's first.
 */
export function boardCircles(
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
