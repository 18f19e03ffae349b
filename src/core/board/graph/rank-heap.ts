/** Numbered nodes that come out by rank, the lowest (or highest) first; each is in it at most once. */
export class RankHeap {
  private readonly heap: number[] = [];
  private readonly inside: Uint8Array;

  /** @param sign 1: lowest rank first, -1: highest first */
  constructor(
    private readonly rank: Int32Array,
    private readonly sign: 1 | -1,
  ) {
    this.inside = new Uint8Array(rank.length);
  }

  push(node: number): void {
    if (this.inside[node] === 1) return;
    this.inside[node] = 1;
    const { heap } = this;
    let at = heap.length;
    heap.push(node);
    while (at > 0) {
      const above = (at - 1) >> 1;
      if (this.key(above) <= this.key(at)) break;
      this.swap(at, above);
      at = above;
    }
  }

  pop(): number | undefined {
    const { heap } = this;
    const top = heap[0];
    const last = heap.pop();
    if (top === undefined || last === undefined) return undefined;
    this.inside[top] = 0;
    if (heap.length === 0) return top;
    heap[0] = last;
    for (let at = 0; ;) {
      let least = at;
      for (const below of [2 * at + 1, 2 * at + 2]) {
        if (below < heap.length && this.key(below) < this.key(least)) least = below;
      }
      if (least === at) return top;
      this.swap(at, least);
      at = least;
    }
  }

  clear(): void {
    for (const node of this.heap) this.inside[node] = 0;
    this.heap.length = 0;
  }

  private key(at: number): number {
    return this.sign * (this.rank[this.heap[at] as number] as number);
  }

  private swap(a: number, b: number): void {
    const node = this.heap[a] as number;
    this.heap[a] = this.heap[b] as number;
    this.heap[b] = node;
  }
}
