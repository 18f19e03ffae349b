/** Edges between numbered nodes, in both directions, that can be added and taken away. */
export class EdgeList {
  /** first edge out of a node, -1 for none; the next ones by `nextOut` */
  readonly firstOut: Int32Array;
  /** first edge into a node, -1 for none; the next ones by `nextIn` */
  readonly firstIn: Int32Array;
  nextOut: Int32Array;
  nextIn: Int32Array;
  /** the node that an edge leaves */
  from: Int32Array;
  /** the node that an edge enters */
  to: Int32Array;
  private used = 0;
  private free = -1;

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
    const edge = this.place();
    this.from[edge] = from;
    this.to[edge] = to;
    this.nextOut[edge] = this.firstOut[from] as number;
    this.firstOut[from] = edge;
    this.nextIn[edge] = this.firstIn[to] as number;
    this.firstIn[to] = edge;
  }

  has(from: number, to: number): boolean {
    for (let e = this.firstIn[to] as number; e >= 0; e = this.nextIn[e] as number) {
      if (this.from[e] === from) return true;
    }
    return false;
  }

  /** Takes one such edge away; false where there is none. */
  remove(from: number, to: number): boolean {
    for (let e = this.firstIn[to] as number; e >= 0; e = this.nextIn[e] as number) {
      if (this.from[e] !== from) continue;
      unlink(this.firstIn, this.nextIn, to, e);
      unlink(this.firstOut, this.nextOut, from, e);
      this.nextOut[e] = this.free;
      this.free = e;
      return true;
    }
    return false;
  }

  private place(): number {
    if (this.free >= 0) {
      const edge = this.free;
      this.free = this.nextOut[edge] as number;
      return edge;
    }
    if (this.used === this.to.length) this.grow();
    return this.used++;
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

function unlink(first: Int32Array, next: Int32Array, node: number, edge: number): void {
  if (first[node] === edge) {
    first[node] = next[edge] as number;
    return;
  }
  for (let e = first[node] as number; e >= 0; e = next[e] as number) {
    if (next[e] === edge) next[e] = next[edge] as number;
  }
}
