import type { RunState, Stage } from './state';

export const STATE_NAMES = [
  'idle',
  'planning',
  'approving',
  'executing',
  'validating',
  'retrying',
  'paused',
  'waiting',
  'completed',
  'failed',
  'cancelled',
] as const;
export type StateName = (typeof STATE_NAMES)[number];

/**
 * The one word for where a run stands. It validates when a step is checked and none is worked on, and
 * tries again when all that it does is a further attempt.
 */
export function stateName(state: RunState): StateName {
  return state.kind === 'going' ? stageName(state.stage) : state.kind;
}

function stageName(stage: Stage): StateName {
  if (stage.kind !== 'executing') return stage.kind;
  const active = stage.steps.filter(({ doing }) => doing.kind === 'work' || doing.kind === 'check');
  if (active.length === 0) return 'executing';
  const works = active.filter(({ doing }) => doing.kind === 'work');
  if (works.length === 0) return 'validating';
  return works.every(({ attempt }) => attempt > 1) ? 'retrying' : 'executing';
}
