import type { RunView } from '../../core/orchestrator/runs';
import type { WaitReason } from '../../core/orchestrator/wait-reason';
import { waitReasons } from '../../core/orchestrator/wait-reasons';
import { goingOf } from './run-of';

/** What needs the person while the rest of the run goes on, or is paused. */
const BESIDE: ReadonlySet<WaitReason['kind']> = new Set(['asked', 'held', 'approval']);

/** What of a run needs the person now: why it waits, or what waits while something else goes on. */
export function attention(view: Pick<RunView, 'state' | 'look'>): readonly WaitReason[] {
  if (view.state.kind === 'waiting') return view.state.why;
  const going = goingOf(view);
  if (going === undefined || going.stage.kind === 'approving') return [];
  const all = waitReasons(going.run, going.stage, view.look, undefined);
  return all.filter(({ kind }) => BESIDE.has(kind));
}
