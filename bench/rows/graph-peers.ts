import type { Task } from '../../src/core/board/task';
import { compare, type Work } from '../measure';
import { samplePlan } from '../plan-sample';
import type { Row } from '../row';
import { wholeAnalysis } from './graph';

/** A graph as a library represents it, with the two analyses that the library offers. */
interface PeerGraph {
  readonly acyclic: boolean;
  readonly order: readonly string[];
  before(key: string): readonly string[];
  after(key: string): readonly string[];
}

/**
 * Order, cycle check, ready, critical path and slack, from the library's functions and a map per
 * result.
 */
function peerAnalysis(tasks: readonly Task[], build: (tasks: readonly Task[]) => PeerGraph): Work {
  return (times) => {
    let sum = 0;
    for (let n = 0; n < times; n++) {
      const graph = build(tasks);
      const starts = new Map<string, number>();
      let length = 0;
      for (const key of graph.order) {
        const start = Math.max(0, ...graph.before(key).map((one) => (starts.get(one) ?? 0) + 1));
        starts.set(key, start);
        length = Math.max(length, start + 1);
      }
      const latest = new Map<string, number>();
      for (const key of [...graph.order].reverse()) {
        const ends = graph.after(key).map((one) => latest.get(one) ?? length);
        latest.set(key, Math.min(length, ...ends) - 1);
      }
      const critical = graph.order.filter((key) => latest.get(key) === starts.get(key));
      const status = new Map(tasks.map((task) => [task.key, task.status]));
      const ready = graph.order.filter((key) =>
        graph.before(key).every((one) => status.get(one) === 'completed'),
      );
      sum += Number(graph.acyclic) + critical.length + ready.length;
    }
    return sum;
  };
}

async function graphology(): Promise<(tasks: readonly Task[]) => PeerGraph> {
  const { DirectedGraph } = (await import('graphology')).default;
  const dag = (await import('graphology-dag')).default;
  return (tasks) => {
    const graph = new DirectedGraph();
    for (const { key } of tasks) graph.addNode(key);
    for (const { key, dependsOn } of tasks) for (const on of dependsOn) graph.addEdge(on, key);
    return {
      acyclic: !dag.hasCycle(graph),
      order: dag.topologicalSort(graph),
      before: (key) => graph.inNeighbors(key),
      after: (key) => graph.outNeighbors(key),
    };
  };
}

async function graphlib(): Promise<(tasks: readonly Task[]) => PeerGraph> {
  const { Graph, alg } = await import('@dagrejs/graphlib');
  return (tasks) => {
    const graph = new Graph();
    for (const { key } of tasks) graph.setNode(key);
    for (const { key, dependsOn } of tasks) for (const on of dependsOn) graph.setEdge(on, key);
    return {
      acyclic: alg.isAcyclic(graph),
      order: alg.topsort(graph),
      before: (key) => graph.predecessors(key) ?? [],
      after: (key) => graph.successors(key) ?? [],
    };
  };
}

const SIZES = [
  ['10k', 10_000],
  ['100k', 100_000],
] as const;

/** Against the graph libraries of npm. */
export function graphPeerRows(): Row[] {
  return SIZES.flatMap(([name, size]): Row[] => [
    {
      name: `graph.all.graphology.${name}`,
      against: `graphology and graphology-dag, ${size} tasks`,
      target: 0.1,
      peers: true,
      measure: async () => {
        const tasks = samplePlan(size);
        return compare(wholeAnalysis(tasks), peerAnalysis(tasks, await graphology()));
      },
    },
    {
      name: `graph.all.graphlib.${name}`,
      against: `@dagrejs/graphlib, ${size} tasks`,
      target: 0.04,
      peers: true,
      measure: async () => {
        const tasks = samplePlan(size);
        return compare(wholeAnalysis(tasks), peerAnalysis(tasks, await graphlib()));
      },
    },
  ]);
}
