import type { Session } from './session';

/**
 * Sessions to hide because another one shows the same session of a program; maps each hidden id to
 * the shown one. A session that works or waits for the person is always shown. Of the idle ones,
 * preferably one is shown that can be reached, then one that its bridge started or opened, then
 * that of the bridge inside the program, then one that is only listed. Without one of the bridge
 * inside the program, only those of bridges that name the same program are the same session: two
 * programs may give different sessions the same id.
 */
export function hiddenTwins(sessions: readonly Session[]): ReadonlyMap<string, string> {
  const inside = new Set(sessions.flatMap(({ id, twin }) => (twin === undefined ? id : [])));
  const same = new Map<string, Session[]>();
  for (const one of sessions) {
    const { id, twin } = one;
    const key =
      twin === undefined || inside.has(twin.id)
        ? (twin?.id ?? id)
        : `${twin.program ?? id} ${twin.id}`;
    same.set(key, [...(same.get(key) ?? []), one]);
  }
  const hidden = new Map<string, string>();
  for (const group of same.values()) {
    const [shown, ...others] = group.sort((a, b) => rank(a) - rank(b));
    if (shown === undefined) continue;
    for (const one of others) if (!isAtWork(one)) hidden.set(one.id, shown.id);
  }
  return hidden;
}

function rank(session: Session): number {
  const { twin, state, away } = session;
  if (isAtWork(session)) return 0;
  const claim = twin === undefined ? 2 : twin.opened ? 1 : 3;
  return state.kind === 'ended' || away === true ? claim + 3 : claim;
}

function isAtWork({ state: { kind }, permissions, questions }: Session): boolean {
  return kind === 'busy' || kind === 'retry' || permissions.length + questions.length > 0;
}
