/** What the benchmark uses of packages that are installed only when it first runs. */

declare module 'graphology' {
  export interface DirectedGraph {
    addNode(key: string): void;
    addEdge(from: string, to: string): void;
    inNeighbors(key: string): string[];
    outNeighbors(key: string): string[];
  }
  const graphology: { DirectedGraph: new () => DirectedGraph };
  export default graphology;
}

declare module 'graphology-dag' {
  const dag: {
    hasCycle(graph: unknown): boolean;
    topologicalSort(graph: unknown): string[];
  };
  export default dag;
}

declare module '@dagrejs/graphlib' {
  export class Graph {
    setNode(key: string): void;
    setEdge(from: string, to: string): void;
    predecessors(key: string): string[] | undefined;
    successors(key: string): string[] | undefined;
  }
  export const alg: {
    isAcyclic(graph: Graph): boolean;
    topsort(graph: Graph): string[];
  };
}

declare module 'mdast-util-from-markdown' {
  export function fromMarkdown(text: string): { children: readonly unknown[] };
}

declare module 'gpt-tokenizer/encoding/o200k_base' {
  export function encode(text: string): readonly number[];
}
