import type { PlannedTask } from '../../core/orchestrator/plan-look';
import type { RunView } from '../../core/orchestrator/runs';
import type { Going, Run } from '../../core/orchestrator/state';
import { stateName } from '../../core/orchestrator/state-name';
import { STATE_WORDS } from '../../core/orchestrator/run-words';
import type { Step } from '../../core/orchestrator/task-step';
import { oneLine } from '../../core/orchestrator/timeline';

/** Undefined for a run of which nothing is known. */
export function runOf({ state }: Pick<RunView, 'state'>): Run | undefined {
  return state.kind === 'idle' ? undefined : state.run;
}

/** The state of a run that is not over. */
export function goingOf({ state }: Pick<RunView, 'state'>): Going | undefined {
  return state.kind === 'going' || state.kind === 'paused' || state.kind === 'waiting'
    ? state
    : undefined;
}

/** The steps that a run has taken up. */
export function stepsOf(view: Pick<RunView, 'state'>): readonly Step[] {
  const going = goingOf(view);
  return going?.stage.kind === 'executing' ? going.stage.steps : [];
}

export function stateWords({ state }: Pick<RunView, 'state'>): string {
  return STATE_WORDS[stateName(state)];
}

/** Most characters of a goal where it stands in a line with other words. */
const SHORT = 60;

/** A run's goal in one line. */
export function goalOf(view: Pick<RunView, 'id' | 'state'>): string {
  const goal = oneLine(runOf(view)?.wish.goal ?? '', SHORT);
  return goal === '' ? view.id : goal;
}

/** Tasks that are done: what the agent calls done and the run has not let go of is not. */
export function doneTasks(view: Pick<RunView, 'state' | 'look'>): readonly PlannedTask[] {
  if (view.look.kind !== 'plan') return [];
  const taken = new Set(stepsOf(view).map(({ task }) => task));
  return view.look.tasks.filter(
    ({ id, status }) => status === 'completed' && !(id !== null && taken.has(id)),
  );
}

/** The session of a step: that of its turn, else the one that worked on it last. */
export function sessionOf({ doing, worker }: Step): string | undefined {
  const turn = doing.kind === 'work' || doing.kind === 'check' ? doing.turn : undefined;
  if (turn !== undefined && turn.kind !== 'opening') return turn.session;
  return worker?.session;
}

/** The run that a view shows: the chosen one, else the newest that goes on, else the newest. */
export function shownRun(all: readonly RunView[], chosen: string | undefined): RunView | undefined {
  return (
    all.find(({ id }) => id === chosen) ??
    all.find((one) => goingOf(one) !== undefined) ??
    all.find(({ state }) => state.kind !== 'idle') ??
    all[0]
  );
}

/** Whether a step waits to be tried again. */
export function canRetry({ doing }: Step): boolean {
  return doing.kind === 'held' || doing.kind === 'approval';
}
