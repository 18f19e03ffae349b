import { count } from '../counts';
import { isCutInside } from '../cut-text';
import { wishSchema, type RunWish } from '../state';
import type { OrchestratorDeps } from './orchestrator-deps';

/** Why a run can't be started; undefined where it can. */
export function startFault(
  wish: RunWish,
  { link }: Pick<OrchestratorDeps, 'link'>,
): string | undefined {
  const { goal } = wish;
  if (goal.trim() === '') return 'Say what the run is to reach: the goal is empty.';
  if (goal.length > MOST_GOAL) {
    return `The goal has ${count(goal.length)} characters. Say it in at most ${count(MOST_GOAL)}; what is longer belongs in a note that the goal names.`;
  }
  if (isCutInside(goal)) {
    return 'The goal holds half of a character, which can’t be stored. Type it anew where it was cut.';
  }
  const read = wishSchema.safeParse(wish);
  if (!read.success) {
    const place = read.error.issues[0]?.path.join('.') ?? '';
    return `The run can’t be started with this ${place === '' ? 'wish' : place}.`;
  }
  if (!link.up()) return 'OpenCode is not connected. Start it in this vault, then start the run.';
  if (!link.knowsKeys()) {
    return 'The bridge in OpenCode is too old for runs. Update it, then restart OpenCode.';
  }
  return undefined;
}

const MOST_GOAL = 20_000;
