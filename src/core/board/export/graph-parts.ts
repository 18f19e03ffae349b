import { criticalTasks } from '../graph/critical-tasks';
import type { Board, Task } from '../task';

export interface GraphNode {
  /** `t1`, `t2`, … in the order of the note */
  readonly name: string;
  readonly task: Task;
  readonly critical: boolean;
}

export interface GraphEdge {
  /** names of nodes: `to` waits for `from` */
  readonly from: string;
  readonly to: string;
  readonly critical: boolean;
}

export interface GraphParts {
  readonly nodes: readonly GraphNode[];
  readonly waits: readonly GraphEdge[];
  /** `from` is a part of `to` */
  readonly parts: readonly GraphEdge[];
}

/** A board as what a drawing of it needs. Prerequisites that are not on the board have no node. */
export function graphParts({ tasks }: Board): GraphParts {
  const critical = criticalTasks(tasks);
  const names = new Map<string, string>();
  const nodes = tasks.map((task, at): GraphNode => {
    names.set(task.key, `t${at + 1}`);
    return { name: `t${at + 1}`, task, critical: critical.has(task.key) };
  });
  const edge = (from: string, to: string): readonly GraphEdge[] => {
    const [one, other] = [names.get(from), names.get(to)];
    if (one === undefined || other === undefined) return [];
    return [{ from: one, to: other, critical: critical.has(from) && critical.has(to) }];
  };
  return {
    nodes,
    waits: tasks.flatMap(({ key, dependsOn }) => dependsOn.flatMap((id) => edge(id, key))),
    parts: tasks.flatMap(({ key, parent }) => (parent === null ? [] : edge(key, parent))),
  };
}

/** A task as one line of a drawing. */
export function labelOf({ n, title }: Task): string {
  const line = title.replace(/[\p{Cc}\u2028\u2029]/gu, ' ').replace(/\p{Surrogate}/gu, '\ufffd');
  return n === null ? line : `#${n} ${line}`;
}
