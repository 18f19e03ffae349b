import type { Faults } from './faults';
import type { WireMonitor } from './wire-monitor';
import type { World } from './world';

/** Lists the errors in the calls of our tools at the end of a run, as OpenCode and the page saw them. */
export function checkCalls(
  { calls }: Pick<World, 'calls'>,
  wire: Pick<WireMonitor, 'unanswered'> | undefined,
  faults: Faults,
): void {
  const left = calls.unanswered().length + (wire?.unanswered.length ?? 0);
  if (left > 0) faults.add(`At the end ${left} call(s) of our tools had no answer.`);
  const { unknownCalls: unoffered } = calls;
  if (unoffered > 0) {
    faults.add(
      `OpenCode had no tool for ${unoffered} call(s) of ours: the bridge is not loaded, or a rule keeps the tool from the agent.`,
    );
  }
}
