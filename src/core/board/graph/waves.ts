import { isOpen, type PlanGraph } from './plan-graph';
import type { Schedule } from './schedule';

/**
 * Open tasks in groups that can be worked on at the same time: the first waits for nothing open, each
 * other for one of the group before. A task with open sub-tasks is in the wave of the last of them,
 * and stands behind them. Read one after the other, the groups are an order to do the tasks in.
 */
export function waves(graph: PlanGraph, { end, level }: Schedule): readonly (readonly number[])[] {
  const groups: { steps: number[]; frames: number[] }[] = [];
  for (let i = 0; i < graph.tasks.length; i++) {
    if (!isOpen(graph, i) || (end[i] as number) < 0) continue;
    const wave = level[i] as number;
    while (groups.length < wave) groups.push({ steps: [], frames: [] });
    const group = groups[wave - 1];
    (graph.step[i] === 1 ? group?.steps : group?.frames)?.push(i);
  }
  // An inner frame stands behind its outer one in the note, and has to be done before it.
  return groups.map(({ steps, frames }) => [...steps, ...frames.reverse()]);
}
