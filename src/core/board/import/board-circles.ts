import type { Task } from '../task';
import { closingEdges } from './break-cycles';

interface NewTask {
  readonly id: string;
  readonly parent: string | null;
  readonly dependsOn: readonly string[];
}

/**
 * What new tasks may not wait for on a board that has tasks already, since it would close a circle
 * with them: pairs of ids, the new task's first.
 */
export function boardCircles(
  there: readonly Task[],
  added: readonly NewTask[],
): readonly (readonly [string, string])[] {
  const all = [
    ...there.map(({ id, key, parent, dependsOn }) => ({ id: id ?? key, parent, dependsOn })),
    ...added,
  ];
  const index = new Map<string, number>();
  all.forEach(({ id }, at) => {
    if (!index.has(id)) index.set(id, at);
  });
  const waiting = all.map(({ parent, dependsOn }) => ({
    parent: parent === null ? -1 : (index.get(parent) ?? -1),
    dependsOn: dependsOn.flatMap((id) => index.get(id) ?? []),
  }));
  return closingEdges(waiting)
    .filter(({ from }) => from >= there.length)
    .map(({ from, to }) => [all[from]?.id ?? '', all[to]?.id ?? '']);
}
