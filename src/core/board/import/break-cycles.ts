/** What a task waits for, by index. */
export interface Waiting {
  /** -1 for none */
  readonly parent: number;
  readonly dependsOn: readonly number[];
}

/** An edge that was left out; `way` names each task on the circle, the first again at the end. */
export interface LeftEdge {
  readonly from: number;
  readonly to: number;
  /** empty where the tasks are too tangled to look for it */
  readonly way: readonly number[];
}

/** Steps that may be spent on circles. Plans that people wrote need some hundred. */
const BUDGET = 50_000_000;

/**
 * Which edges close a circle, in the order in which they are given: each that does is left out, and
 * those behind it are looked at without it. Parents must be free of circles. Linear where there is no
 * circle at all.
 *
 * A task is two nodes, its start (2t) and its end (2t + 1). A start waits for the parent's start and
 * the ends of the prerequisites, an end for the own start and the ends of the sub-tasks: so a task
 * can wait neither for those above nor for those under it.
 */
export function closingEdges(tasks: readonly Waiting[]): readonly LeftEdge[] {
  const search = new Search(tasks);
  const left: LeftEdge[] = [];
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
  /** whether a node can be on a circle */
  private readonly knotted: Uint8Array;
  private readonly cameFrom: Int32Array;
  private readonly seen: Int32Array;
  private round = 0;
  private steps = 0;

  constructor(tasks: readonly Waiting[]) {
    const size = 2 * tasks.length;
    this.out = Array.from({ length: size }, (): number[] => []);
    tasks.forEach(({ parent }, task) => {
      this.out[2 * task + 1]?.push(2 * task);
      if (parent < 0) return;
      this.out[2 * task]?.push(2 * parent);
      this.out[2 * parent + 1]?.push(2 * task + 1);
    });
    this.knotted = knots(tasks, this.out);
    this.cameFrom = new Int32Array(size);
    this.seen = new Int32Array(size);
  }

  /** Takes the edge in, or answers the circle that it would close. */
  admit(from: number, to: number): readonly number[] | undefined {
    const [start, end] = [2 * from, 2 * to + 1];
    if (this.knotted[start] === 1 && this.knotted[end] === 1) {
      if (this.steps > BUDGET) return [];
      const way = this.way(end, start);
      if (way !== undefined) return [from, ...way];
    }
    this.out[start]?.push(end);
    return undefined;
  }

  /** The tasks on a shortest way from one node to another, each once in a row. */
  private way(from: number, to: number): readonly number[] | undefined {
    this.round += 1;
    const queue = [from];
    this.seen[from] = this.round;
    for (let at = 0; at < queue.length; at += 1) {
      const node = queue[at] as number;
      if (node === to) return this.trail(from, to);
      for (const next of this.out[node] ?? []) {
        this.steps += 1;
        if (this.seen[next] === this.round || this.knotted[next] !== 1) continue;
        this.seen[next] = this.round;
        this.cameFrom[next] = node;
        queue.push(next);
      }
    }
    return undefined;
  }

  private trail(from: number, to: number): readonly number[] {
    const tasks: number[] = [];
    for (let node = to; ; node = this.cameFrom[node] as number) {
      if (tasks[0] !== node >> 1) tasks.unshift(node >> 1);
      if (node === from) return tasks;
    }
  }
}

/** Marks what is left when nodes that wait for nothing are taken away, again and again. */
function knots(tasks: readonly Waiting[], tree: readonly (readonly number[])[]): Uint8Array {
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
