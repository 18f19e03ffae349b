import type { Session } from '../../session/session';
import type { RunState } from '../state';
import { turnsOf } from '../turns-of';
import { stageOf } from './word';

/** The sessions that a run works with, as its state names them. */
export function sessionsOf(state: RunState): ReadonlySet<string> {
  if (state.kind === 'idle') return new Set();
  const own = new Set(state.run.planner === null ? [] : [state.run.planner]);
  const stage = stageOf(state);
  if (stage?.kind === 'executing') {
    for (const { worker } of stage.steps) if (worker !== null) own.add(worker.session);
  }
  for (const session of runningIn(state)) own.add(session);
  for (const turn of stage === undefined ? [] : turnsOf(stage)) {
    if ('session' in turn) own.add(turn.session);
  }
  return own;
}

/** Those in which a turn runs, or has to be stopped. */
export function runningIn(state: RunState): readonly string[] {
  const stage = stageOf(state);
  if (stage !== undefined) {
    return turnsOf(stage).flatMap((turn) => (turn.kind === 'working' ? [turn.session] : []));
  }
  return 'stops' in state ? state.stops.map(({ session }) => session) : [];
}

/**
 * The session of the run that a session is, or works for as a sub-agent; undefined for others. What a
 * sub-agent asks and uses is its parent's.
 */
export function kinOf(
  own: ReadonlySet<string>,
  sessions: readonly Session[],
  id: string,
): string | undefined {
  const parents = new Map(sessions.map((one) => [one.id, one.parentId]));
  const seen = new Set<string>();
  for (let at: string | null | undefined = id; typeof at === 'string'; at = parents.get(at)) {
    if (own.has(at)) return at;
    if (seen.has(at)) return undefined;
    seen.add(at);
  }
  return undefined;
}
