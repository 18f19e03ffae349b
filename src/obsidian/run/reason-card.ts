import type { LimitName } from '../../core/orchestrator/limits';
import { waitWords } from '../../core/orchestrator/run-words';
import { stepsOf, type RunView } from '../../core/orchestrator/runs';
import type { WaitReason } from '../../core/orchestrator/state';
import { openSession, type RunIntentButton } from './run-intent';
import { goingOf, knownRun, named, sessionOf } from './run-words';
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

type Body = Omit<ReasonCard, 'key' | 'tone'> & Partial<Pick<ReasonCard, 'tone'>>;

export function reasonCard(view: RunView, why: WaitReason): ReasonCard {
  const about = 'task' in why ? (why.task?.id ?? why.task?.title ?? '') : '';
  return { key: `${why.kind} ${about}`, tone: 'plain', ...bodyOf(view, why) };
}

function bodyOf(view: RunView, why: WaitReason): Body {
  switch (why.kind) {
    case 'limit':
      return limitCard(view, why.limit);
    case 'offline':
      return {
        ...{ icon: 'unplug', title: 'OpenCode is not connected' },
        text: 'The run goes on by itself when it is back.',
        buttons: [{ label: 'Connect', deed: { kind: 'connect' } }],
      };
    case 'asked':
      return {
        icon: 'shield-question-mark',
        title: why.task === null ? 'The planning asks you' : `${why.task.title} asks you`,
        text: [askedFor(why.what), 'Its turn waits for your answer.'].join(' ').trim(),
        buttons: [
          { label: 'Review', deed: { kind: 'review', session: why.session } },
          openSession(why.session),
        ],
      };
    case 'held':
      return heldCard(view, why);
    case 'approval':
      return approvalCard(view, why.task);
    case 'own':
      return {
        ...{ icon: 'user-round', title: `${why.task.title} is yours` },
        text: 'It is done when you tick it.',
        buttons: [
          { label: 'Mark done', deed: { kind: 'tick', task: why.task.id } },
          { label: 'Open task', deed: { kind: 'board', task: why.task.id }, quiet: true },
        ],
      };
    case 'plan':
    case 'board':
    case 'blocked':
      return planCard(view, why);
  }
}

/** "bash: rm -rf build. And 1 more." */
function askedFor(what: readonly string[]): string {
  const known = what.filter((one) => one !== '');
  const [first] = known;
  if (first === undefined) return '';
  const more = what.length === 1 ? '' : ` And ${what.length - 1} more.`;
  return `${/[.!?…]$/.test(first) ? first : `${first}.`}${more}`;
}

const FINISH: RunIntentButton = { label: 'Finish here', deed: { kind: 'finish' }, quiet: true };

const BOARD: RunIntentButton = { label: 'Open board', deed: { kind: 'board' } };

const AGAIN: RunIntentButton = {
  label: 'Try again',
  deed: { kind: 'act', action: { type: 'resume' } },
};

/** What a run gets more at a time. */
const MORE = {
  turns: { label: 'Add 20 turns', more: { turns: 20 } },
  tokens: { label: 'Add 200k tokens', more: { tokens: 200_000 } },
  minutes: { label: 'Add 60 minutes', more: { minutes: 60 } },
} as const;

function limitCard(view: RunView, limit: LimitName): Body {
  const run = knownRun(view);
  const title = run === undefined ? '' : waitWords({ kind: 'limit', limit }, run.wish.limits);
  if (limit === 'no_progress') {
    const session = newestSession(view);
    const end = title.indexOf('. ') + 1;
    return {
      ...{ icon: 'circle-pause', title: title.slice(0, end), text: title.slice(end).trim() },
      buttons: [
        ...(session === undefined ? [] : [{ ...openSession(session), quiet: false }]),
        { ...BOARD, quiet: true },
        { ...AGAIN, label: 'Go on', quiet: true },
        FINISH,
      ],
    };
  }
  const { label, more } = MORE[limit];
  return {
    ...{ icon: 'gauge', title, text: 'No more prompts are sent until you decide.' },
    buttons: [{ label, deed: { kind: 'act', action: { type: 'more', more } } }, FINISH],
  };
}

function newestSession(view: RunView): string | undefined {
  const sessions = stepsOf(view).flatMap((step) => sessionOf(step) ?? []);
  return sessions.at(-1) ?? knownRun(view)?.planner ?? undefined;
}

function approvalCard(view: RunView, task: { id: string | null; title: string }): Body {
  const step = stepsOf(view).find((one) => one.task === task.id);
  const session = step === undefined ? undefined : sessionOf(step);
  return {
    ...{ icon: 'hand', title: `${task.title} is finished. Approve it?` },
    text: step?.result ?? '',
    buttons: [
      ...(task.id === null ? [] : approvalButtons(task.id)),
      ...(session === undefined ? [] : [openSession(session)]),
    ],
  };
}

function approvalButtons(task: string): readonly RunIntentButton[] {
  return [
    { label: 'Approve', deed: { kind: 'act', action: { type: 'mark_done', task } } },
    { label: 'Do it again', deed: { kind: 'act', action: { type: 'retry', task } } },
    { label: 'Skip…', deed: { kind: 'skip', task }, quiet: true },
  ];
}

function planCard(
  view: RunView,
  why: Extract<WaitReason, { kind: 'plan' | 'board' | 'blocked' }>,
): Body {
  const run = knownRun(view);
  const words = run === undefined ? '' : waitWords(why, run.wish.limits);
  if (why.kind === 'plan') {
    const talk = goingOf(view)?.run.planner ?? undefined;
    return {
      ...{ icon: 'hand', title: 'The planning stopped', text: words },
      buttons: [
        AGAIN,
        { label: 'Ask for another plan…', deed: { kind: 'replan' } },
        ...(talk === undefined ? [] : [openSession(talk)]),
      ],
    };
  }
  if (why.kind === 'board') {
    return {
      ...{ icon: 'file-warning', title: 'The board needs you', text: words },
      buttons: [BOARD, { ...AGAIN, quiet: true }],
    };
  }
  const empty = why.tasks.length === 0;
  return {
    ...{ icon: 'octagon-pause', title: empty ? words : 'Nothing can be started' },
    text: empty
      ? ''
      : `${named(why.tasks)} ${why.tasks.length === 1 ? 'waits' : 'wait'} for what is failed, deferred or not there.`,
    buttons: [BOARD, FINISH],
  };
}

type Held = Extract<WaitReason, { kind: 'held' }>;

const TITLES: Readonly<Record<Held['why'], (title: string) => string>> = {
  failed: (title) => `${title} failed`,
  interrupted: (title) => `${title} was stopped`,
  unanswered: (title) => `${title} got no answer`,
  refused: (title) => `${title} can’t go on`,
  given_up: (title) => `${title} was given up by its agent`,
};

/** A step that goes on only at the person's word. */
function heldCard(view: RunView, why: Held): Omit<ReasonCard, 'key'> {
  const { task, message } = why;
  const step = stepsOf(view).find((one) => one.task === task.id);
  const attempts = knownRun(view)?.wish.limits.attempts ?? 0;
  const tried = why.why === 'failed' && step ? `${step.attempt} of ${attempts} attempts.` : '';
  const session = step === undefined ? undefined : sessionOf(step);
  const failed = why.why === 'failed';
  return {
    icon: failed ? 'octagon-alert' : 'hand',
    tone: failed ? 'error' : 'plain',
    title: TITLES[why.why](task.title),
    text: [tried, sentence(message), waiting(view, task.id)].filter((one) => one !== '').join(' '),
    buttons: [
      ...(task.id === null ? [] : heldButtons(task.id, task.title)),
      ...(session === undefined ? [] : [openSession(session)]),
    ],
  };
}

function heldButtons(task: string, title: string): readonly RunIntentButton[] {
  return [
    { label: 'Try again', deed: { kind: 'act', action: { type: 'retry', task } } },
    { label: 'Mark done…', deed: { kind: 'mark_done', task, title } },
    { label: 'Skip…', deed: { kind: 'skip', task }, quiet: true },
  ];
}

function sentence(message: string): string {
  const text = message.trim();
  const whole = text === '' || /[.!?…]$/.test(text) ? text : `${text}.`;
  return whole.charAt(0).toUpperCase() + whole.slice(1);
}

/** "Publish the beta waits for it; everything else is done." */
function waiting({ look }: RunView, id: string | null): string {
  if (look.kind !== 'plan' || id === null) return '';
  const open = look.tasks.filter(
    (one) => one.id !== id && (one.status === 'pending' || one.status === 'in_progress'),
  );
  const [first] = open.filter(({ needs }) => needs.includes(id));
  const behind = behindIt(open, id);
  const rest = behind.size === open.length ? 'everything else is done' : '';
  if (first === undefined) return rest === '' ? '' : 'Everything else is done.';
  const many = behind.size === 1 ? `${first.title} waits` : `${behind.size} tasks wait`;
  return `${many} for it${rest === '' ? '' : `; ${rest}`}.`;
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
