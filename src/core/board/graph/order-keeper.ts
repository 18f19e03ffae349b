import { nodeOrder } from './node-order';
import type { PlanGraph } from './plan-graph';

/**
 * Keeps the nodes in an order in which each comes after all that it waits for, while edges come
 * (Pearce and Kelly): only what lies between the two ends of a new edge is looked at.
 */
export class OrderKeeper {
  /** place of each node; means nothing while `knotted` */
  readonly rank: Int32Array;
  /** tasks wait for each other, so there is no order */
  knotted = false;
  private readonly seen: Int32Array;
  private readonly via: Int32Array;
  private visit = 0;

  constructor(private readonly graph: PlanGraph) {
    this.rank = new Int32Array(graph.nodes);
    this.seen = new Int32Array(graph.nodes);
    this.via = new Int32Array(graph.nodes);
  }

  /** Orders all nodes anew, and returns the order. */
  settle(): Int32Array {
    const order = nodeOrder(this.graph);
    for (let at = 0; at < order.length; at++) this.rank[order[at] as number] = at;
    this.knotted = order.length < this.graph.nodes;
    return order;
  }

  /**
   * Makes room for an edge that is not there yet. Where it would close a circle, nothing is changed
   * and the way from `to` to `from` is returned, both included.
   */
  admit(from: number, to: number): readonly number[] | undefined {
    const { rank } = this;
    if (from === to) return [from];
    if (!this.knotted && (rank[from] as number) < (rank[to] as number)) return undefined;
    const last = this.knotted ? Infinity : (rank[from] as number);
    const after = this.reach(to, 'out', (node) => (rank[node] as number) <= last);
    if (this.seen[from] === this.visit) return this.way(to, from);
    if (this.knotted) return undefined;
    const first = rank[to] as number;
    const before = this.reach(from, 'in', (node) => (rank[node] as number) >= first);
    this.place([...this.sorted(before), ...this.sorted(after)]);
    return undefined;
  }

  private sorted(nodes: readonly number[]): readonly number[] {
    return [...nodes].sort((a, b) => (this.rank[a] as number) - (this.rank[b] as number));
  }

  /** Gives these nodes the places that they have among them, in this order. */
  private place(nodes: readonly number[]): void {
    const places = Int32Array.from(nodes, (node) => this.rank[node] as number).sort();
    nodes.forEach((node, at) => {
      this.rank[node] = places[at] as number;
    });
  }

  private reach(
    from: number,
    way: 'out' | 'in',
    within: (node: number) => boolean,
  ): readonly number[] {
    const { edges, holds } = this.graph;
    const [first, next, end] =
      way === 'out'
        ? [edges.firstOut, edges.nextOut, edges.to]
        : [edges.firstIn, edges.nextIn, edges.from];
    const visit = ++this.visit;
    const found = [from];
    this.seen[from] = visit;
    for (const node of found) {
      if (way === 'out' && holds[node] === 0) continue;
      for (let e = first[node] as number; e >= 0; e = next[e] as number) {
        const other = end[e] as number;
        if (this.seen[other] === visit || !within(other)) continue;
        if (way === 'in' && holds[other] === 0) continue;
        this.seen[other] = visit;
        this.via[other] = node;
        found.push(other);
      }
    }
    return found;
  }

  private way(start: number, end: number): readonly number[] {
    const path = [end];
    for (let at = end; at !== start;) {
      at = this.via[at] as number;
      path.unshift(at);
    }
    return path;
  }
}
