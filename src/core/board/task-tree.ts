import { isFinished } from './facts';
import type { Task } from './task';

export interface TaskNode {
  readonly task: Task;
  readonly children: readonly TaskNode[];
  /** it or a task under it is not finished */
  readonly open: boolean;
  /** tasks in it, itself included */
  readonly size: number;
}

/** Top-level tasks that follow each other under one heading. */
export interface Section {
  /** unique; the same heading text twice makes two sections */
  readonly key: string;
  /** null under no heading */
  readonly title: string | null;
  readonly nodes: readonly TaskNode[];
  /** completed tasks of those that count, sub-tasks too, cancelled ones not */
  readonly done: number;
  readonly total: number;
}

interface Growing {
  readonly task: Task;
  readonly children: Growing[];
  open: boolean;
  size: number;
}

/** The tasks of a board by heading and hierarchy, in the order of their lines. */
export function taskTree(tasks: readonly Task[]): readonly Section[] {
  const nodes = new Map<string, Growing>();
  const roots: Growing[] = [];
  for (const task of tasks) {
    const node: Growing = { task, children: [], open: !isFinished(task), size: 1 };
    nodes.set(task.key, node);
    const parent = task.parent === null ? undefined : nodes.get(task.parent);
    (parent?.children ?? roots).push(node);
  }
  for (let i = tasks.length - 1; i >= 0; i -= 1) {
    const task = tasks[i] as Task;
    // Sub-tasks stand behind their parent, so from the end each is complete before it is added.
    const node = nodes.get(task.key);
    const parent = task.parent === null ? undefined : nodes.get(task.parent);
    if (!node || !parent) continue;
    parent.size += node.size;
    parent.open ||= node.open;
  }
  return sectionsOf(roots);
}

function sectionsOf(roots: readonly TaskNode[]): readonly Section[] {
  const sections: Section[] = [];
  const seen = new Map<string | null, number>();
  for (let i = 0; i < roots.length;) {
    const title = roots[i]?.task.phase ?? null;
    const start = i;
    while (i < roots.length && (roots[i]?.task.phase ?? null) === title) i += 1;
    const nth = (seen.get(title) ?? 0) + 1;
    seen.set(title, nth);
    const nodes = roots.slice(start, i);
    const key = title === null ? `tasks ${nth}` : `phase ${nth} ${title}`;
    sections.push({ key, title, nodes, ...countOf(nodes) });
  }
  return sections;
}

function countOf(nodes: readonly TaskNode[]): { done: number; total: number } {
  let done = 0;
  let total = 0;
  const rest = [...nodes];
  for (let node = rest.pop(); node; node = rest.pop()) {
    if (node.task.status === 'completed') done += 1;
    if (node.task.status !== 'cancelled') total += 1;
    for (const child of node.children) rest.push(child);
  }
  return { done, total };
}
