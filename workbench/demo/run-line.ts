import type { Status } from '../../src/core/board/task';
import { stateName, type RunState, type StateName } from '../../src/core/orchestrator/state';
import { stateNamesOf, type StoredRun } from './stored-runs';

/** A run in the result of the demo. */
export interface RunLine {
  readonly state: StateName;
  /** total of all steps */
  readonly attempts: number;
  /** in the order of the note; a step that was not started has no attempts */
  readonly steps: readonly {
    readonly task: string;
    readonly status: Status;
    readonly attempts: number;
  }[];
  /** the states that the run went through, in order */
  readonly transitions: readonly StateName[];
}

export const NO_RUN: RunLine = { state: 'idle', attempts: 0, steps: [], transitions: [] };

export function runLine(run: StoredRun): RunLine {
  const attempts = attemptsIn(run.state);
  const steps = (run.board?.tasks ?? []).map(({ key, title, status }) => ({
    ...{ task: title, status },
    attempts: attempts.get(key) ?? 0,
  }));
  return {
    state: stateName(run.state),
    attempts: steps.reduce((sum, step) => sum + step.attempts, 0),
    steps,
    transitions: stateNamesOf(run),
  };
}

/** Attempts by task id. */
function attemptsIn(state: RunState): ReadonlyMap<string, number> {
  if (state.kind === 'idle') return new Map();
  const { done } = state.run;
  const taken = 'stage' in state && state.stage.kind === 'executing' ? state.stage.steps : [];
  return new Map([
    ...done.map(({ task, attempts }) => [task, attempts] as const),
    ...taken.map(({ task, attempt }) => [task, attempt] as const),
  ]);
}
