import type { RunState } from '../state';

/** Whether nothing happened but that time went on: then there is nothing to keep. */
export function sameButTime(before: RunState, after: RunState): boolean {
  if (before === after) return true;
  if (before.kind === 'idle' || after.kind === 'idle') return false;
  // The moments that are set back with the clock are to be kept, also where there are none else.
  if (after.run.at < before.run.at) return false;
  // What only grows is another list when it has grown: most of a long run need not be compared.
  const timeline = after.run.timeline === before.run.timeline;
  const done = after.run.done === before.run.done;
  return timeline && done && text(before) === text(after);
}

function text(state: Exclude<RunState, { kind: 'idle' }>): string {
  const { run } = state;
  const timeless = { ...run, at: 0, used: { ...run.used, ms: 0 }, timeline: [], done: [] };
  return JSON.stringify({ ...state, run: timeless });
}
