import type { RunView } from '../../core/orchestrator/runs';
import type { WaitReason } from '../../core/orchestrator/wait-reason';
import type { PlannedTask } from '../../core/orchestrator/plan-look';
import { openSession, type DeedButton } from './deed';
import type { ReasonCard } from './reason-card';
import { runOf, sessionOf, stepsOf } from './run-of';

type Held = Extract<WaitReason, { kind: 'held' }>;

const TITLES: Readonly<Record<Held['why'], (title: string) => string>> = {
  failed: (title) => `${title} failed`,
  interrupted: (title) => `${title} was stopped`,
  unanswered: (title) => `${title} got no answer`,
  refused: (title) => `${title} can’t go on`,
  given_up: (title) => `${title} was given up by its agent`,
};

/** A step that goes on only at the person's word. */
export function heldCard(view: RunView, why: Held): Omit<ReasonCard, 'key'> {
  const { task, message } = why;
  const step = stepsOf(view).find((one) => one.task === task.id);
  const attempts = runOf(view)?.wish.limits.attempts ?? 0;
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

function heldButtons(task: string, title: string): readonly DeedButton[] {
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
