import type { LimitName } from '../../core/orchestrator/limits';
import { waitWords } from '../../core/orchestrator/run-words';
import { stepsOf, type RunView } from '../../core/orchestrator/runs';
import type { WaitReason } from '../../core/orchestrator/state';
import { act, button, openSession, type RunIntent, type RunIntentButton } from './run-intent';
import { goingOf, knownRun, named, plannedTasks, sessionOf } from './run-words';
import type { PlannedTask } from '../../core/orchestrator/plan-look';
import { waitReasons } from '../../core/orchestrator/stage/next-state';

/** Why a run waits, and what can be done about it. */
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
  const [icon, title, text, buttons] = cardOf(view, why);
  const tone = why.kind === 'held' && why.why === 'failed' ? 'error' : 'plain';
  return { key: `${why.kind} ${about}`, tone, icon, title, text, buttons };
}

type Parts = readonly [icon: string, title: string, text: string, readonly RunIntentButton[]];

function cardOf(view: RunView, why: WaitReason): Parts {
  switch (why.kind) {
    case 'limit':
      return limitCard(view, why.limit);
    case 'offline': {
      const text = 'The run goes on by itself when it is back.';
      const connect = button('Connect', { kind: 'connect' });
      return ['unplug', 'OpenCode is not connected', text, [connect]];
    }
    case 'asked': {
      const { task, session } = why;
      const title = task === null ? 'The planning asks you' : `${task.title} asks you`;
      const text = `${askedFor(why.what)} Its turn waits for your answer.`.trim();
      const review = button('Review', { kind: 'review', session });
      return ['shield-question-mark', title, text, [review, ...openSession(session)]];
    }
    case 'held':
      return heldCard(view, why);
    case 'approval':
      return approvalCard(view, why.task);
    case 'own': {
      const { id: task, title } = why.task;
      const done = button('Mark done', { kind: 'tick', task });
      const open = button('Open task', { kind: 'board', task }, true);
      return ['user-round', `${title} is yours`, 'It is done when you tick it.', [done, open]];
    }
    case 'plan':
    case 'board':
    case 'blocked':
      return planCard(view, why);
  }
}

/** "bash: rm -rf build. And 1 more." */
function askedFor(what: readonly string[]): string {
  const first = what.find((one) => one !== '');
  if (first === undefined) return '';
  const more = what.length === 1 ? '' : ` And ${what.length - 1} more.`;
  return ended(first) + more;
}

function ended(text: string): string {
  return text === '' || /[.!?…]$/.test(text) ? text : `${text}.`;
}

const FINISH = button('Finish here', { kind: 'finish' }, true);

const RESUME = act({ type: 'resume' });

function openBoard(quiet = false): RunIntentButton {
  return button('Open board', { kind: 'board' }, quiet);
}

/** What a run gets more at a time. */
const MORE = {
  turns: { label: 'Add 20 turns', more: { turns: 20 } },
  tokens: { label: 'Add 200k tokens', more: { tokens: 200_000 } },
  minutes: { label: 'Add 60 minutes', more: { minutes: 60 } },
} as const;

/** What gives a run that stopped at a limit more of it; undefined where it did not. */
export function moreIntent(view: RunView): RunIntent | undefined {
  const limit = attention(view).find(
    (why): why is Extract<WaitReason, { kind: 'limit' }> => why.kind === 'limit',
  )?.limit;
  if (limit === undefined || limit === 'no_progress') return undefined;
  return act({ type: 'more', more: MORE[limit].more });
}

function limitCard(view: RunView, limit: LimitName): Parts {
  const title = wordsOf(view, { kind: 'limit', limit });
  if (limit !== 'no_progress') {
    const { label, more } = MORE[limit];
    const text = 'No more prompts are sent until you decide.';
    return ['gauge', title, text, [button(label, act({ type: 'more', more })), FINISH]];
  }
  const sessions = stepsOf(view).flatMap((step) => sessionOf(step) ?? []);
  const newest = sessions.at(-1) ?? knownRun(view)?.planner ?? undefined;
  const end = title.indexOf('. ') + 1;
  const talk = openSession(newest).map(({ label, intent }) => button(label, intent));
  const buttons = [...talk, openBoard(true), button('Go on', RESUME, true), FINISH];
  return ['circle-pause', title.slice(0, end), title.slice(end).trim(), buttons];
}

function wordsOf(view: RunView, why: WaitReason): string {
  const run = knownRun(view);
  return run === undefined ? '' : waitWords(why, run.wish.limits);
}

function approvalCard(view: RunView, task: { id: string | null; title: string }): Parts {
  const step = stepsOf(view).find((one) => one.task === task.id);
  const title = `${task.title} is finished. Approve it?`;
  const { id } = task;
  const answers = id !== null && [
    button('Approve', act({ type: 'mark_done', task: id })),
    button('Do it again', act({ type: 'retry', task: id })),
    button('Skip…', { kind: 'skip', task: id }, true),
  ];
  const talk = openSession(step && sessionOf(step));
  return ['hand', title, step?.result ?? '', [...(answers || []), ...talk]];
}

function planCard(
  view: RunView,
  why: Extract<WaitReason, { kind: 'plan' | 'board' | 'blocked' }>,
): Parts {
  const words = wordsOf(view, why);
  const again = (quiet: boolean) => button('Try again', RESUME, quiet);
  if (why.kind === 'plan') {
    const other = button('Ask for another plan…', { kind: 'replan' });
    const talk = openSession(goingOf(view)?.run.planner ?? undefined);
    return ['hand', 'The planning stopped', words, [again(false), other, ...talk]];
  }
  if (why.kind === 'board') {
    return ['file-warning', 'The board needs you', words, [openBoard(), again(true)]];
  }
  const { tasks } = why;
  if (tasks.length === 0) return ['octagon-pause', words, '', [openBoard(), FINISH]];
  const verb = tasks.length === 1 ? 'waits' : 'wait';
  const text = `${named(tasks)} ${verb} for what is failed, deferred or not there.`;
  return ['octagon-pause', 'Nothing can be started', text, [openBoard(), FINISH]];
}

type Held = Extract<WaitReason, { kind: 'held' }>;

/** Behind the task's title. */
const TITLES: Readonly<Record<Held['why'], string>> = {
  failed: 'failed',
  interrupted: 'was stopped',
  unanswered: 'got no answer',
  refused: 'can’t go on',
  given_up: 'was given up by its agent',
};

/** A step that goes on only at the person's word. */
function heldCard(view: RunView, why: Held): Parts {
  const { id: task, title } = why.task;
  const step = stepsOf(view).find((one) => one.task === task);
  const attempts = knownRun(view)?.wish.limits.attempts ?? 0;
  const failed = why.why === 'failed';
  const tried = failed && step ? `${step.attempt} of ${attempts} attempts.` : '';
  const message = ended(why.message.trim());
  const sentence = message.charAt(0).toUpperCase() + message.slice(1);
  const text = [tried, sentence, waiting(view, task)].filter((one) => one !== '').join(' ');
  const answers = task !== null && [
    button('Try again', act({ type: 'retry', task })),
    button('Mark done…', { kind: 'mark_done', task, title }),
    button('Skip…', { kind: 'skip', task }, true),
  ];
  const icon = failed ? 'octagon-alert' : 'hand';
  const talk = openSession(step && sessionOf(step));
  return [icon, `${title} ${TITLES[why.why]}`, text, [...(answers || []), ...talk]];
}

/** "Publish the beta waits for it; everything else is done." */
function waiting(view: RunView, id: string | null): string {
  if (view.look.kind !== 'plan' || id === null) return '';
  const open = plannedTasks(view).filter(
    (one) => one.id !== id && (one.status === 'pending' || one.status === 'in_progress'),
  );
  const first = open.find(({ needs }) => needs.includes(id));
  const behind = behindIt(open, id);
  const rest = behind.size === open.length;
  if (first === undefined) return rest ? 'Everything else is done.' : '';
  const many = behind.size === 1 ? `${first.title} waits` : `${behind.size} tasks wait`;
  return `${many} for it${rest ? '; everything else is done' : ''}.`;
}

/** Open tasks that wait for it, and for those. */
function behindIt(open: readonly PlannedTask[], id: string): ReadonlySet<PlannedTask> {
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
