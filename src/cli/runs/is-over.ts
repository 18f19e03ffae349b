import type { Ended, RunState } from '../../core/orchestrator/state';

/** Whether nothing moves a run any more. */
export function isOver(state: RunState): state is Ended {
  return state.kind === 'completed' || state.kind === 'failed' || state.kind === 'cancelled';
}
