import type { PlannedTask } from '../../core/orchestrator/plan-look';
import { stepsOf, type RunView } from '../../core/orchestrator/runs';
import {
  oneLine,
  stateName,
  type ActiveRun,
  type Run,
  type Step,
  type TimelineEntry,
} from '../../core/orchestrator/state';
import { counted, saidOf, STATE_WORDS, whyWords } from '../../core/orchestrator/run-words';
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

/** What came of steps since a moment, a sentence each, for who does not see the panel. */
export function runNews(view: RunView, since: number): readonly string[] {
  const run = knownRun(view);
  if (run === undefined) return [];
  return run.timeline.filter(({ at }) => at > since).flatMap(newsOf);
}

function newsOf(entry: TimelineEntry): readonly string[] {
  const { kind, task } = entry;
  switch (kind) {
    case 'tried_again':
      return [saidOf(entry)];
    case 'failed':
      return [`${task ?? 'A task'} failed. ${saidOf(entry)}`];
    case 'passed':
      return [`${task ?? 'A task'}, done.`];
    case 'started':
    case 'planned':
    case 'approved':
    case 'checkpoint':
    case 'begun':
    case 'checked':
    case 'person':
    case 'rolled_back':
    case 'paused':
    case 'resumed':
    case 'waits':
    case 'connection':
    case 'ended':
      return [];
  }
}

/** What a notice says of a run, and what its button, which opens the panel, is called. */
interface RunNotice {
  readonly text: string;
  readonly button: 'Review' | 'Open';
}

/** The tidings of a run in words. */
export function runNotice(view: RunView, what: RunUpdate): RunNotice {
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

function endWords(
  { look, state }: RunView,
  goal: string,
  as: Extract<RunUpdate, { kind: 'ended' }>['as'],
): string {
  const tasks = look.kind === 'plan' ? look.tasks : [];
  const all = tasks.filter(({ status }) => status !== 'cancelled').length;
  const done = tasks.filter(({ status }) => status === 'completed').length;
  const part = all === 0 ? '' : `: ${done} of ${counted(all, 'task')}`;
  const partDone = part === '' ? '' : `${part} done`;
  switch (as) {
    case 'completed':
      return `${goal} is done${part}.`;
    case 'cancelled':
      return `${goal} is cancelled${partDone}.`;
    case 'failed': {
      const why = state.kind === 'failed' ? ` ${state.message}` : '';
      return `${goal} ended${partDone}.${why}`;
    }
  }
}

/** "A", "A and B", "A, B and 3 more". */
export function named(tasks: readonly { readonly title: string }[]): string {
  const [first, second] = tasks;
  if (first === undefined) return '';
  if (second === undefined) return first.title;
  if (tasks.length === 2) return `${first.title} and ${second.title}`;
  return `${first.title}, ${second.title} and ${tasks.length - 2} more`;
}
