import type { PlannedTask } from '../../core/orchestrator/plan-look';
import { stepsOf, type RunView } from '../../core/orchestrator/runs';
import {
  oneLine,
  STATE_WORDS,
  stateName,
  type ActiveRun,
  type Run,
  type Step,
  type TimelineEntry,
} from '../../core/orchestrator/state';
import { counted, saidOf, whyWords } from '../../core/orchestrator/run-words';
import type { RunUpdate } from '../../core/orchestrator/command';

/** Undefined for a run of which nothing is known. */
export function knownRun({ state }: Pick<RunView, 'state'>): Run | undefined {
  return state.kind === 'idle' ? undefined : state.run;
}

/** The state of a run that is not over. */
export function goingOf({ state }: Pick<RunView, 'state'>): ActiveRun | undefined {
  return state.kind === 'going' || state.kind === 'paused' || state.kind === 'waiting'
    ? state
    : undefined;
}

/** Whether its plan waits for the person's approval, and it is not paused. */
export function approves({ state }: Pick<RunView, 'state'>): boolean {
  return state.kind === 'going' && state.stage.kind === 'approving';
}

export function stateWords({ state }: Pick<RunView, 'state'>): string {
  return STATE_WORDS[stateName(state)];
}

/** Most characters of a goal where it stands in a line with other words. */
const SHORT = 60;

/** A run's goal in one line. */
export function goalLine(view: Pick<RunView, 'id' | 'state'>): string {
  const goal = oneLine(knownRun(view)?.wish.goal ?? '', SHORT);
  return goal === '' ? view.id : goal;
}

/** The tasks of its plan; none where there is no plan that can be read. */
export function plannedTasks({ look }: Pick<RunView, 'look'>): readonly PlannedTask[] {
  return look.kind === 'plan' ? look.tasks : [];
}

/** "5 of 12 tasks"; nothing where there is none. */
export function doneWords(view: Pick<RunView, 'look'>): string {
  const tasks = plannedTasks(view).filter(({ status }) => status !== 'cancelled');
  const done = tasks.filter(({ status }) => status === 'completed').length;
  return tasks.length === 0 ? '' : `${done} of ${counted(tasks.length, 'task')}`;
}

/** Tasks that are done: what the agent calls done and the run has not let go of is not. */
export function doneTasks(view: Pick<RunView, 'state' | 'look'>): readonly PlannedTask[] {
  const taken = new Set(stepsOf(view).map(({ task }) => task));
  return plannedTasks(view).filter(
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

/** What came of steps since a moment, a sentence each, for who does not see the panel. */
export function runNews(view: RunView, since: number): readonly string[] {
  const run = knownRun(view);
  if (run === undefined) return [];
  return run.timeline.filter(({ at }) => at > since).flatMap(newsOf);
}

function newsOf(entry: TimelineEntry): readonly string[] {
  const { kind, task } = entry;
  if (kind === 'tried_again') return [saidOf(entry)];
  if (kind === 'failed') return [`${task ?? 'A task'} failed. ${saidOf(entry)}`];
  return kind === 'passed' ? [`${task ?? 'A task'}, done.`] : [];
}

/** The tidings of a run in a notice, and what its button, which opens the panel, is called. */
export function runNotice(view: RunView, what: RunUpdate) {
  const goal = goalLine(view);
  switch (what.kind) {
    case 'approve':
      return { text: `The plan for ${goal} is ready.`, button: 'Review' };
    case 'waits':
      return { text: `${goal} waits for you: ${waits(view, what)}`, button: 'Open' };
    case 'ended':
      return { text: endWords(view, goal, what.as), button: 'Open' };
  }
}

function waits(view: RunView, { why }: Extract<RunUpdate, { kind: 'waits' }>): string {
  const run = knownRun(view);
  const words = run === undefined ? '' : whyWords(why, run.wish.limits);
  return words === '' ? 'look at the run.' : words;
}

type Ended = Extract<RunUpdate, { kind: 'ended' }>['as'];

function endWords(view: RunView, goal: string, as: Ended): string {
  const { state } = view;
  const done = doneWords(view);
  const part = done === '' ? '' : `: ${done}`;
  if (as === 'completed') return `${goal} is done${part}.`;
  const partDone = done === '' ? '' : `${part} done`;
  if (as === 'cancelled') return `${goal} is cancelled${partDone}.`;
  return `${goal} ended${partDone}.${state.kind === 'failed' ? ` ${state.message}` : ''}`;
}

/** "A", "A and B", "A, B and 3 more". */
export function named(tasks: readonly { readonly title: string }[]): string {
  const [first, second] = tasks;
  if (first === undefined) return '';
  if (second === undefined) return first.title;
  if (tasks.length === 2) return `${first.title} and ${second.title}`;
  return `${first.title}, ${second.title} and ${tasks.length - 2} more`;
}
