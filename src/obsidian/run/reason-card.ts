import type { LimitName } from '../../core/orchestrator/limits';
import { stepsOf, type RunView } from '../../core/orchestrator/runs';
import type { WaitReason } from '../../core/orchestrator/state';
import {
  actionIntent,
  intentButton,
  openSessionButtons,
  type RunIntent,
  type RunIntentButton,
} from './run-intent';
import {
  asSentence,
  activeRun,
  knownRun,
  listTitles,
  plannedTasks,
  stepSession,
  waitReason,
} from './run-words';
import type { PlannedTask } from '../../core/orchestrator/plan-snapshot';
import { waitReasons } from '../../core/orchestrator/stage/next-state';
import { t, translated } from '../language/text';

/** A card that says why a run waits, with buttons for what can be done about it. */
export interface ReasonCard {
  readonly key: string;
  readonly icon: string;
  readonly tone: 'plain' | 'error';
  readonly title: string;
  readonly text: string;
  readonly buttons: readonly RunIntentButton[];
}

export function reasonCard(view: RunView, why: WaitReason): ReasonCard {
  const about = 'task' in why ? (why.task?.id ?? why.task?.title ?? '') : '';
  const [icon, title, text, buttons] = cardParts(view, why);
  const tone = why.kind === 'held' && why.why === 'failed' ? 'error' : 'plain';
  return { key: `${why.kind} ${about}`, tone, icon, title, text, buttons };
}

type CardParts = readonly [icon: string, title: string, text: string, readonly RunIntentButton[]];

function cardParts(view: RunView, why: WaitReason): CardParts {
  switch (why.kind) {
    case 'limit':
      return limitCard(view, why.limit);
    case 'offline': {
      const text = t('run.goesOnWhenBack');
      const connect = intentButton(t('run.connect'), { kind: 'connect' });
      return ['unplug', t('run.openCodeIsNotConnected'), text, [connect]];
    }
    case 'asked': {
      const { task, session } = why;
      const title =
        task === null ? t('run.thePlanningAsksYou') : t('run.titleAsksYou', { title: task.title });
      const text = askedText(why.what);
      const review = intentButton(t('run.review'), { kind: 'review', session });
      return ['shield-question-mark', title, text, [review, ...openSessionButtons(session)]];
    }
    case 'held':
      return heldCard(view, why);
    case 'approval':
      return approvalCard(view, why.task);
    case 'own': {
      const { id: task, title } = why.task;
      const done = intentButton(t('common.markDone'), { kind: 'tick', task });
      const open = intentButton(t('run.openTask'), { kind: 'board', task }, true);
      return [
        'user-round',
        t('run.titleIsYours', { title }),
        t('run.itIsDoneWhenYouTick'),
        [done, open],
      ];
    }
    case 'plan':
    case 'board':
    case 'blocked':
      return planCard(view, why);
  }
}

/** "bash: rm -rf build. And 1 more. Its turn waits for your answer." */
function askedText(what: readonly string[]): string {
  const first = what.find((one) => one !== '');
  if (first === undefined) return t('run.turnWaits');
  const [firstText, count] = [asSentence(first), what.length - 1];
  return count === 0
    ? t('run.turnWaitsFor', { what: firstText })
    : t('run.turnWaitsForMore', { what: firstText, count });
}

const FINISH = intentButton(t('run.finishHere'), { kind: 'finish' }, true);

const RESUME = actionIntent({ type: 'resume' });

function openBoard(quiet = false): RunIntentButton {
  return intentButton(t('common.openBoard'), { kind: 'board' }, quiet);
}

/** How much a button adds to each limit. */
const LIMIT_INCREASES = {
  turns: { label: t('run.add20Turns'), more: { turns: 20 } },
  tokens: { label: t('run.add200kTokens'), more: { tokens: 200_000 } },
  minutes: { label: t('run.add60Minutes'), more: { minutes: 60 } },
} as const;

/** The action that raises the limit at which a run stopped; undefined if it did not stop at one. */
export function raiseLimitIntent(view: RunView): RunIntent | undefined {
  const limit = attentionReasons(view).find(
    (why): why is Extract<WaitReason, { kind: 'limit' }> => why.kind === 'limit',
  )?.limit;
  if (limit === undefined || limit === 'no_progress') return undefined;
  return actionIntent({ type: 'more', more: LIMIT_INCREASES[limit].more });
}

function limitCard(view: RunView, limit: LimitName): CardParts {
  if (limit !== 'no_progress') {
    const title = reasonText(view, { kind: 'limit', limit });
    const { label, more } = LIMIT_INCREASES[limit];
    const text = t('run.noMorePrompts');
    return [
      'gauge',
      title,
      text,
      [intentButton(label, actionIntent({ type: 'more', more })), FINISH],
    ];
  }
  const sessions = stepsOf(view).flatMap((step) => stepSession(step) ?? []);
  const newest = sessions.at(-1) ?? knownRun(view)?.planner ?? undefined;
  const talk = openSessionButtons(newest).map(({ label, intent }) => intentButton(label, intent));
  const buttons = [...talk, openBoard(true), intentButton(t('run.goOn'), RESUME, true), FINISH];
  return ['circle-pause', t('run.noProgress'), t('run.lookOrChange'), buttons];
}

function reasonText(view: RunView, why: WaitReason): string {
  const run = knownRun(view);
  return run === undefined ? '' : waitReason(why, run.wish.limits);
}

function approvalCard(view: RunView, task: { id: string | null; title: string }): CardParts {
  const step = stepsOf(view).find((one) => one.task === task.id);
  const title = t('run.finishedApproveIt', { title: task.title });
  const { id } = task;
  const answers = id !== null && [
    intentButton(t('run.approve'), actionIntent({ type: 'mark_done', task: id })),
    intentButton(t('run.doItAgain'), actionIntent({ type: 'retry', task: id })),
    intentButton(t('run.skipMore'), { kind: 'skip', task: id }, true),
  ];
  const talk = openSessionButtons(step && stepSession(step));
  return ['hand', title, step?.result ?? '', [...(answers || []), ...talk]];
}

function planCard(
  view: RunView,
  why: Extract<WaitReason, { kind: 'plan' | 'board' | 'blocked' }>,
): CardParts {
  const words = reasonText(view, why);
  const again = (quiet: boolean) => intentButton(t('common.tryAgain'), RESUME, quiet);
  if (why.kind === 'plan') {
    const other = intentButton(t('run.askForAnotherPlanMore'), { kind: 'replan' });
    const talk = openSessionButtons(activeRun(view)?.run.planner ?? undefined);
    return ['hand', t('run.thePlanningStopped'), words, [again(false), other, ...talk]];
  }
  if (why.kind === 'board') {
    return ['file-warning', t('run.theBoardNeedsYou'), words, [openBoard(), again(true)]];
  }
  const { tasks } = why;
  if (tasks.length === 0) return ['octagon-pause', words, '', [openBoard(), FINISH]];
  const text = t('run.waitForWhatIsFailed', { tasks: listTitles(tasks), count: tasks.length });
  return ['octagon-pause', t('run.nothingCanBeStarted'), text, [openBoard(), FINISH]];
}

type Held = Extract<WaitReason, { kind: 'held' }>;

/** The card of a step that continues only when the person says so. */
function heldCard(view: RunView, why: Held): CardParts {
  const { id: task, title } = why.task;
  const step = stepsOf(view).find((one) => one.task === task);
  const attempts = knownRun(view)?.wish.limits.attempts ?? 0;
  const failed = why.why === 'failed';
  const tried = failed && step ? t('run.ofAttempts', { n: step.attempt, count: attempts }) : '';
  const text = [tried, asSentence(translated(why.message.trim())), waitingText(view, task)]
    .filter((one) => one !== '')
    .join(' ');
  const answers = task !== null && [
    intentButton(t('common.tryAgain'), actionIntent({ type: 'retry', task })),
    intentButton(t('run.markDoneMore'), { kind: 'mark_done', task, title }),
    intentButton(t('run.skipMore'), { kind: 'skip', task }, true),
  ];
  const icon = failed ? 'octagon-alert' : 'hand';
  const talk = openSessionButtons(step && stepSession(step));
  return [icon, t(`runHeld.${why.why}`, { title }), text, [...(answers || []), ...talk]];
}

/** "Publish the beta waits for it; everything else is done." */
function waitingText(view: RunView, id: string | null): string {
  if (view.plan.kind !== 'plan' || id === null) return '';
  const open = plannedTasks(view).filter(
    (one) => one.id !== id && (one.status === 'pending' || one.status === 'in_progress'),
  );
  const first = open.find(({ needs }) => needs.includes(id));
  const behind = dependentsOf(open, id);
  const rest = behind.size === open.length;
  if (first === undefined) return rest ? t('run.everythingElseIsDone') : '';
  const { title } = first;
  const count = behind.size;
  if (count === 1)
    return rest ? t('run.oneWaitsElseDone', { title }) : t('run.oneWaits', { title });
  return rest ? t('run.severalWaitElseDone', { count }) : t('run.severalWait', { count });
}

/** Open tasks that depend on a task, directly or indirectly. */
function dependentsOf(open: readonly PlannedTask[], id: string): ReadonlySet<PlannedTask> {
  const ids = new Set([id]);
  const found = new Set<PlannedTask>();
  for (let before = -1; before !== found.size;) {
    before = found.size;
    for (const task of open) {
      const { needs, above } = task;
      if (![...needs, ...above].some((one) => ids.has(one))) continue;
      found.add(task);
      if (task.id !== null) ids.add(task.id);
    }
  }
  return found;
}

/** Reasons that need the person while the rest of the run continues or is paused. */
const REASONS_WHILE_ACTIVE: ReadonlySet<WaitReason['kind']> = new Set([
  'asked',
  'held',
  'approval',
]);

/** What a run needs the person for: why it waits, or which tasks wait while others continue. */
export function attentionReasons(view: Pick<RunView, 'state' | 'plan'>): readonly WaitReason[] {
  if (view.state.kind === 'waiting') return view.state.why;
  const going = activeRun(view);
  if (going === undefined || going.stage.kind === 'approving') return [];
  const all = waitReasons(going.run, going.stage, view.plan, undefined);
  return all.filter(({ kind }) => REASONS_WHILE_ACTIVE.has(kind));
}
