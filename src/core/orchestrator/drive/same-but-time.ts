import type { RunState } from '../state';

/** Whether nothing happened but that time went on: then there is nothing to keep. */
export function sameButTime(before: RunState, after: RunState): boolean {
  return before === after || JSON.stringify(timeless(before)) === JSON.stringify(timeless(after));
}

function timeless(state: RunState): unknown {
  if (state.kind === 'idle') return state;
  const { run } = state;
  return { ...state, run: { ...run, at: 0, used: { ...run.used, ms: 0 } } };
}
