import type { LimitName } from '../../core/orchestrator/limits';
import { waitWords } from '../../core/orchestrator/run-words';
import type { RunView } from '../../core/orchestrator/runs';
import type { WaitReason } from '../../core/orchestrator/wait-reason';
import { openSession, type DeedButton } from './deed';
import { goingOf, runOf, sessionOf, stepsOf } from './run-of';
import { heldCard } from './held-card';
import { named } from './named';

/** Why a run waits, and what can be done about it. */
export interface ReasonCard {
  readonly key: string;
  readonly icon: string;
  readonly tone: 'plain' | 'error';
  readonly title: string;
  readonly text: string;
  readonly buttons: readonly DeedButton[];
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

const FINISH: DeedButton = { label: 'Finish here', deed: { kind: 'finish' }, quiet: true };
const BOARD: DeedButton = { label: 'Open board', deed: { kind: 'board' } };
const AGAIN: DeedButton = { label: 'Try again', deed: { kind: 'act', action: { type: 'resume' } } };

/** What a run gets more at a time. */
const MORE = {
  turns: { label: 'Add 20 turns', more: { turns: 20 } },
  tokens: { label: 'Add 200k tokens', more: { tokens: 200_000 } },
  minutes: { label: 'Add 60 minutes', more: { minutes: 60 } },
} as const;

function limitCard(view: RunView, limit: LimitName): Body {
  const run = runOf(view);
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
    ...{ icon: 'gauge', title, text: 'Nothing more is sent before you have a say.' },
    buttons: [{ label, deed: { kind: 'act', action: { type: 'more', more } } }, FINISH],
  };
}

function newestSession(view: RunView): string | undefined {
  const sessions = stepsOf(view).flatMap((step) => sessionOf(step) ?? []);
  return sessions.at(-1) ?? runOf(view)?.planner ?? undefined;
}

function approvalCard(view: RunView, task: { id: string | null; title: string }): Body {
  const step = stepsOf(view).find((one) => one.task === task.id);
  const session = step === undefined ? undefined : sessionOf(step);
  return {
    ...{ icon: 'hand', title: `${task.title} is done if you say so` },
    text: step?.result ?? '',
    buttons: [
      ...(task.id === null ? [] : approvalButtons(task.id)),
      ...(session === undefined ? [] : [openSession(session)]),
    ],
  };
}

function approvalButtons(task: string): readonly DeedButton[] {
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
  const run = runOf(view);
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
