import type { RunEvent } from '../event';
import type { RunState, Stage } from '../state';
import type { Working } from '../turn';
import { turnsOf } from '../turns-of';

/**
 * What a run is to hear. What was asked some time ago is judged when its turn comes, by the state as it
 * is then; undefined where it says nothing any more.
 */
export type Word = RunEvent | ((state: RunState) => RunEvent | undefined);

export function eventIn(word: Word, state: RunState): RunEvent | undefined {
  return typeof word === 'function' ? word(state) : word;
}

export function stageOf(state: RunState): Stage | undefined {
  return 'stage' in state ? state.stage : undefined;
}

/** The turn that runs in a session. */
export function workingIn(state: RunState, session: string): Working | undefined {
  const stage = stageOf(state);
  const turns = stage === undefined ? [] : turnsOf(stage);
  return turns.find((turn) => turn.kind === 'working' && turn.session === session) as
    Working | undefined;
}
