import { isOpen, type PlanGraph } from './plan-graph';

/** Up to this many open tasks each is a source; above, as many are drawn, always the same ones. */
const EXACT = 1_000;
/** Lehmer's generator; any start does, a fixed one gives the same answer twice. */
const SEED = 20_261_121;

export interface Betweenness {
  /** by task: in how many shortest ways of waiting, from one open task to another, it stands between */
  readonly score: Float64Array;
  readonly sampled: boolean;
}

/**
 * Betweenness by Brandes' algorithm over the open tasks. Starts of tasks with sub-tasks are passed
 * through and count as nothing. Sources × edges; exact to 1,000 open tasks.
 */
export function betweenness(graph: PlanGraph): Betweenness {
  const open: number[] = [];
  for (let i = 0; i < graph.tasks.length; i++) if (isOpen(graph, i)) open.push(i);
  const sources = open.length <= EXACT ? open : drawn(open, EXACT);
  const run = new Run(graph);
  for (const source of sources) run.from(source);
  const factor = open.length / Math.max(sources.length, 1);
  const score = run.score.subarray(0, graph.tasks.length).map((value) => value * factor);
  return { score, sampled: sources.length < open.length };
}

function drawn(all: readonly number[], count: number): readonly number[] {
  const left = [...all];
  let state = SEED;
  for (let i = 0; i < count; i++) {
    state = (state * 16_807) % 2_147_483_647;
    const j = i + (state % (left.length - i));
    [left[i], left[j]] = [left[j] as number, left[i] as number];
  }
  return left.slice(0, count);
}

class Run {
  readonly score: Float64Array;
  private readonly distance: Int32Array;
  private readonly ways: Float64Array;
  private readonly share: Float64Array;
  private readonly queue: Int32Array;

  constructor(private readonly graph: PlanGraph) {
    const { nodes } = graph;
    this.score = new Float64Array(nodes);
    this.distance = new Int32Array(nodes).fill(-1);
    this.ways = new Float64Array(nodes);
    this.share = new Float64Array(nodes);
    this.queue = new Int32Array(nodes);
  }

  /** Adds what every shortest way out of one task says about the tasks between. */
  from(source: number): void {
    const reached = this.spread(source);
    this.gather(source, reached);
    for (let at = 0; at < reached; at++) {
      const v = this.queue[at] as number;
      this.distance[v] = -1;
      this.ways[v] = 0;
      this.share[v] = 0;
    }
  }

  private spread(source: number): number {
    const { distance, ways, queue, graph } = this;
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

  private gather(source: number, reached: number): void {
    const { distance, ways, share, queue, graph, score } = this;
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

  /** Whether waiting goes on from `v` to `next`: not through what is finished, nor past open sub-tasks. */
  private leads(v: number, next: number): boolean {
    const { graph } = this;
    const count = graph.tasks.length;
    if (graph.holds[v] === 0 || (next < count && graph.holds[next] === 0)) return false;
    const past = v >= count && next < count && graph.start[next] === v;
    return !past || graph.openChildren[next] === 0;
  }
}
