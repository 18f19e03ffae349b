import type { Bridges } from '../../core/session/bridges';

/** The connections and what was dropped, line by line, for who looks into a fault; no secret in it. */
export function connectionDetails({ all, dropped }: Pick<Bridges, 'all' | 'dropped'>): string {
  const bridges = all.map(({ id, state }) =>
    state.kind === 'connected'
      ? `${id}: connected, bridge ${state.bridge}, OpenCode ${state.opencode}`
      : `${id}: ${state.kind}`,
  );
  const counts = Object.entries(dropped).map(([why, count]) => `${why} ${count}`);
  return [...bridges, `Messages dropped: ${counts.join(', ')}`].join('\n');
}
