import type { KnownLine, LinePairs } from './line-pairs';

/** Ids that stand once here and once there but are no pair: such a task was moved. */
export function movedTasks(
  before: readonly KnownLine[],
  after: readonly KnownLine[],
  pairs: LinePairs,
): ReadonlyMap<string, number> {
  const [here, there] = [singles(before), singles(after)];
  const moved = new Map<string, number>();
  for (const [id, at] of here) {
    const to = there.get(id) ?? -1;
    if (at >= 0 && to >= 0 && pairs[at] !== to) moved.set(id, at);
  }
  return moved;
}

/** Where each id stands; -1 for one that stands there more than once. */
function singles(lines: readonly KnownLine[]): ReadonlyMap<string, number> {
  const found = new Map<string, number>();
  lines.forEach(({ id }, at) => {
    if (id !== null) found.set(id, found.has(id) ? -1 : at);
  });
  return found;
}
