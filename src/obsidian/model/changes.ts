/**
 * Which tasks others changed and the person has not looked at yet: board path → task key → how
 * often, so that a view can play its highlight again for the same row.
 */
export type Changes = ReadonlyMap<string, ReadonlyMap<string, number>>;

export const NO_CHANGES: Changes = new Map();

/** The same with these tasks marked as changed once more. */
export function withChanged(changes: Changes, path: string, keys: readonly string[]): Changes {
  if (keys.length === 0) return changes;
  const board = new Map(changes.get(path));
  for (const key of keys) board.set(key, (board.get(key) ?? 0) + 1);
  return new Map(changes).set(path, board);
}

/** The same with one task seen, or all of a board's, or all there are. */
export function withSeen(changes: Changes, path?: string, key?: string): Changes {
  if (path === undefined) return changes.size === 0 ? changes : NO_CHANGES;
  const board = changes.get(path);
  if (board === undefined || (key !== undefined && !board.has(key))) return changes;
  const left = new Map(board);
  if (key === undefined) left.clear();
  else left.delete(key);
  const all = new Map(changes);
  if (left.size === 0) all.delete(path);
  else all.set(path, left);
  return all;
}
