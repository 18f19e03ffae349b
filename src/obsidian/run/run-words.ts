import type { PlannedTask } from '../../core/orchestrator/plan-snapshot';
import { stepsOf, type RunView } from '../../core/orchestrator/runs';
import {
  oneLine,
  stateName,
  type ActiveRun,
  type Run,
  type Step,
  type TimelineEntry,
  type WaitReason,
} from '../../core/orchestrator/state';
import type { Limits } from '../../core/orchestrator/limits';
import { waitSentence } from '../../core/orchestrator/run-text';
import { listed } from '../language/listed';
import { COMMA, sentenceText, t, translated } from '../language/text';
import type { RunUpdate } from '../../core/orchestrator/command';

/** The data of a run; undefined if nothing is known of it. */
export function knownRun({ state }: Pick<RunView, 'state'>): Run | undefined {
  return state.kind === 'idle' ? undefined : state.run;
}

/** The state of a run that is not over. */
export function activeRun({ state }: Pick<RunView, 'state'>): ActiveRun | undefined {
  return state.kind === 'going' || state.kind === 'paused' || state.kind === 'waiting'
    ? state
    : undefined;
}

/** Whether a run's plan waits for the person's approval, and the run is not paused. */
export function awaitsApproval({ state }: Pick<RunView, 'state'>): boolean {
  return state.kind === 'going' && state.stage.kind === 'approving';
}

export function stateWords({ state }: Pick<RunView, 'state'>): string {
  return t(`runState.${stateName(state)}`);
}

/** Most characters of a goal in a line with other text. */
const MAX_GOAL_LINE = 60;

/** A run's goal in one line. */
export function goalLine(view: Pick<RunView, 'id' | 'state'>): string {
  const goal = oneLine(knownRun(view)?.wish.goal ?? '', MAX_GOAL_LINE);
  return goal === '' ? view.id : goal;
}

/** The tasks of a run's plan; none if there is no readable plan. */
export function plannedTasks({ plan: look }: Pick<RunView, 'plan'>): readonly PlannedTask[] {
  return look.kind === 'plan' ? look.tasks : [];
}

/** "5 of 12 tasks"; empty if there are none. */
export function doneWords(view: Pick<RunView, 'plan'>): string {
  const tasks = plannedTasks(view).filter(({ status }) => status !== 'cancelled');
  const done = tasks.filter(({ status }) => status === 'completed').length;
  return tasks.length === 0 ? '' : t('run.doneOf', { done, count: tasks.length });
}

/**
 * Tasks that are done. A task that the agent completed counts only when the run has released it.
 */
export function doneTasks(view: Pick<RunView, 'state' | 'plan'>): readonly PlannedTask[] {
  const taken = new Set(stepsOf(view).map(({ task }) => task));
  return plannedTasks(view).filter(
    ({ id, status }) => status === 'completed' && !(id !== null && taken.has(id)),
  );
}

/** The session of a step: that of its turn, else the one that last worked on it. */
export function stepSession({ doing, worker }: Step): string | undefined {
  const turn = doing.kind === 'work' || doing.kind === 'check' ? doing.turn : undefined;
  if (turn !== undefined && turn.kind !== 'opening') return turn.session;
  return worker?.session;
}

/** The run that a view shows: the chosen one, else the newest active one, else the newest. */
export function shownRun(all: readonly RunView[], chosen: string | undefined): RunView | undefined {
  return (
    all.find(({ id }) => id === chosen) ??
    all.find((one) => activeRun(one) !== undefined) ??
    all.find(({ state }) => state.kind !== 'idle') ??
    all[0]
  );
}

/** Whether a step waits to be tried again. */
export function canRetry({ doing }: Step): boolean {
  return doing.kind === 'held' || doing.kind === 'approval';
}

/** Outcomes of steps since `since` (ms since the epoch), one sentence each, for screen readers. */
export function stepOutcomes(view: RunView, since: number): readonly string[] {
  const run = knownRun(view);
  if (run === undefined) return [];
  return run.timeline.filter(({ at }) => at > since).flatMap(outcomeSentences);
}

function outcomeSentences(entry: TimelineEntry): readonly string[] {
  const { kind, task } = entry;
  const title = task ?? t('run.aTask');
  if (kind === 'tried_again') return [attemptWords(entry)];
  if (kind === 'failed') return [t('run.failedNews', { title, why: attemptWords(entry) })];
  return kind === 'passed' ? [t('run.doneNews', { title })] : [];
}

/** A sentence without its full stop, to be put into another one. */
export function withoutStop(words: string): string {
  return words.replace(/[.。\s]+$/, '');
}

/** Text of an entry, with the attempt that it is about; may be empty. */
export function attemptWords({ kind, words: english, attempt }: TimelineEntry): string {
  const words = translated(english);
  if (attempt === undefined) return words;
  const { n, of } = attempt;
  const why = withoutStop(words);
  if (kind === 'tried_again') return t('run.attemptFailedTryingAgain', { n, why, next: n + 1, of });
  if (kind !== 'passed') return t('run.attemptSays', { n, of, words });
  return why === '' ? t('run.attemptPassed', { n }) : t('run.attemptPassedWith', { n, words });
}

/**
 * Text of a notice about a run, `brief` without commands, questions and errors, and the label of
 * its button, which opens the panel.
 */
export function runNotice(view: RunView, what: RunUpdate) {
  const goal = goalLine(view);
  switch (what.kind) {
    case 'approve': {
      const text = t('run.planIsReady', { goal });
      return { text, brief: text, button: t('run.review') };
    }
    case 'waits': {
      const brief = t('run.waitsLook', { goal });
      return { text: waitsNotice(view, goal, what), brief, button: t('run.open') };
    }
    case 'ended': {
      const { state } = view;
      const brief = endWords(view, goal, what.as);
      const error = state.kind === 'failed' ? ` ${translated(state.message)}` : '';
      return { text: brief + error, brief, button: t('run.open') };
    }
  }
}

function waitsNotice(
  view: RunView,
  goal: string,
  { why }: Extract<RunUpdate, { kind: 'waits' }>,
): string {
  const run = knownRun(view);
  const words = run === undefined ? '' : waitReasonsSummary(why, run.wish.limits);
  return words === '' ? t('run.waitsLook', { goal }) : t('run.waitsWhy', { goal, why: words });
}

/** One line that says why a run waits: the first reason, and the number of others. */
export function waitReasonsSummary(why: readonly WaitReason[], limits: Limits): string {
  const [first] = why;
  if (first === undefined) return '';
  const reason = asSentence(waitReason(first, limits).trim());
  if (why.length === 1) return reason;
  return t('run.andMoreReasons', { said: reason, count: why.length - 1 });
}

/** Why a run waits, in a sentence. */
export function waitReason(why: WaitReason, limits: Limits): string {
  if (why.kind !== 'blocked' || why.tasks.length === 0)
    return sentenceText(waitSentence(why, limits));
  return t('runWait.blocked', { titles: why.tasks.map(({ title }) => title).join(COMMA) });
}

/** Adds a full stop unless the text ends with a punctuation mark. */
export function asSentence(text: string): string {
  return text === '' || /[.!?…。！？]$/.test(text) ? text : t('common.sentence', { text });
}

type EndKind = Extract<RunUpdate, { kind: 'ended' }>['as'];

function endWords(view: RunView, goal: string, as: EndKind): string {
  const done = doneWords(view);
  const none = done === '';
  if (as === 'completed')
    return none ? t('run.isDone', { goal }) : t('run.isDoneWith', { goal, done });
  if (as === 'cancelled')
    return none ? t('run.isCancelled', { goal }) : t('run.isCancelledWith', { goal, done });
  return none ? t('run.hasEnded', { goal }) : t('run.hasEndedWith', { goal, done });
}

/** "A", "A and B", "A, B and 3 more". */
export function listTitles(tasks: readonly { readonly title: string }[]): string {
  const titles = tasks.slice(0, 2).map(({ title }) => title);
  const more = tasks.length - titles.length;
  return listed(more === 0 ? titles : [...titles, t('run.countMore', { count: more })]);
}
