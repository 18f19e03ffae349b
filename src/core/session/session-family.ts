import type { Session } from './session';

/** The session that a sub-agent works for, at the top; itself where it has no parent that is known. */
export function rootOf(sessions: readonly Session[], sessionId: string): string {
  const parents = new Map(sessions.map(({ id, parentId }) => [id, parentId]));
  const seen = new Set<string>();
  let id = sessionId;
  for (;;) {
    const parent = parents.get(id);
    if (typeof parent !== 'string' || !parents.has(parent) || seen.has(id)) return id;
    seen.add(id);
    id = parent;
  }
}

/** A session and those of its sub-agents, and theirs. */
export function familyOf(sessions: readonly Session[], sessionId: string): readonly Session[] {
  const family = new Set([sessionId]);
  // A parent may stand after its child in the list.
  for (let before = 0; before !== family.size;) {
    before = family.size;
    for (const { id, parentId } of sessions) if (family.has(parentId ?? '')) family.add(id);
  }
  return sessions.filter(({ id }) => family.has(id));
}
