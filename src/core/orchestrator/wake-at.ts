import type { RunState } from './state';
import { turnsOf } from './turns-of';

/**
 * When a run wants to hear the time, ms since the epoch: a prompt is due then, or its minutes are used
 * up. Undefined where time changes nothing.
 */
export function wakeAt(state: RunState): number | undefined {
  if (state.kind !== 'going' || state.stage.kind === 'approving') return undefined;
  const { run, stage } = state;
  const left = run.wish.limits.minutes * 60_000 - run.used.ms;
  const times = [
    ...turnsOf(stage).flatMap((turn) => (turn.kind === 'due' ? [turn.from] : [])),
    ...(left > 0 ? [run.at + left] : []),
  ];
  return times.length === 0 ? undefined : Math.max(run.at, Math.min(...times));
}
