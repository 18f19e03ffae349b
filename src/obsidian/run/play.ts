import type { RunView } from '../../core/orchestrator/runs';
import type { WaitReason } from '../../core/orchestrator/wait-reason';
import type { Deed } from './deed';

/** What the first button and the key P do. */
export interface Play {
  readonly icon: 'play' | 'pause';
  readonly label: string;
  readonly deed: Deed;
}

const PAUSE: Play = {
  ...{ icon: 'pause', label: 'Pause run' },
  deed: { kind: 'act', action: { type: 'pause' } },
};
const RESUME: Play = {
  ...{ icon: 'play', label: 'Resume run' },
  deed: { kind: 'act', action: { type: 'resume' } },
};
const APPROVE: Play = {
  ...{ icon: 'play', label: 'Approve plan and run' },
  deed: { kind: 'act', action: { type: 'approve' } },
};

/** Undefined where the run is over, or waits for something that a button here can't give. */
export function playOf({ state }: Pick<RunView, 'state'>): Play | undefined {
  switch (state.kind) {
    case 'going':
      return state.stage.kind === 'approving' ? APPROVE : PAUSE;
    case 'paused':
      return RESUME;
    case 'waiting':
      return state.why.some(canResume) ? RESUME : undefined;
    case 'idle':
    case 'completed':
    case 'failed':
    case 'cancelled':
      return undefined;
  }
}

/** Whether the person's word alone has the run try again. */
function canResume(why: WaitReason): boolean {
  if (why.kind === 'limit') return why.limit === 'no_progress';
  return why.kind === 'plan' || why.kind === 'board';
}
