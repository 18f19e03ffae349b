import { counted } from '../../core/orchestrator/counts';
import { leftWords } from '../../core/orchestrator/run-words';
import { timeLeft } from '../../core/orchestrator/estimate';
import type { RunView } from '../../core/orchestrator/runs';
import { stateName, type StateName } from '../../core/orchestrator/state-name';
import type { RunState } from '../../core/orchestrator/state';
import type { DeedButton } from './deed';
import { goingOf, stepsOf } from './run-of';
import { named } from './named';

/** What stands at the head of the panel under the state's word. */
export interface HeadWords {
  /** `spinner`, or the name of an icon */
  readonly icon: string;
  readonly tone: 'plain' | 'error';
  /** its cause, where the cards below don't say it; may be empty */
  readonly text: string;
  readonly buttons: readonly DeedButton[];
}

const ICONS: Readonly<Record<StateName, string>> = {
  idle: 'circle-alert',
  planning: 'spinner',
  approving: 'hand',
  executing: 'spinner',
  validating: 'spinner',
  retrying: 'spinner',
  paused: 'circle-pause',
  waiting: 'hand',
  completed: 'circle-check',
  failed: 'circle-alert',
  cancelled: 'circle-slash',
};

/** Where nobody carries the run out, nothing turns. */
export function headWords(view: RunView): HeadWords {
  const name = stateName(view.state);
  const rests = view.by === 'nobody' || view.fault !== null;
  const icon = ICONS[name] === 'spinner' && rests ? 'circle-pause' : ICONS[name];
  const tone = name === 'failed' || name === 'idle' ? 'error' : 'plain';
  return { icon, tone, text: causeOf(view, name), buttons: buttonsOf(name) };
}

function causeOf(view: RunView, name: StateName): string {
  const { state, look } = view;
  const tasks = look.kind === 'plan' ? look.tasks : [];
  switch (name) {
    case 'idle':
      return 'What is stored of this run can’t be read.';
    case 'planning':
      return planningWords(view);
    case 'approving':
      return look.kind === 'unreadable'
        ? look.message
        : `The agent planned ${counted(tasks.length, 'task')}. Change the board as you like; the run starts from what it says when you approve.`;
    case 'validating':
      return `A session of its own checks ${named(stepsOf(view).filter(({ doing }) => doing.kind === 'check'))}.`;
    case 'retrying':
      return retryWords(view);
    case 'paused':
      return 'Nothing is begun before you resume. A turn that runs is let finish.';
    case 'completed': {
      const total = tasks.filter(({ status }) => status !== 'cancelled').length;
      const done = tasks.filter(({ status }) => status === 'completed').length;
      return total === 0 ? '' : `${done} of ${counted(total, 'task')} done.`;
    }
    case 'failed':
      return state.kind === 'failed' ? failedWords(state) : '';
    case 'cancelled':
      return 'You cancelled it. The board stays as it is.';
    case 'executing':
    case 'waiting':
      return '';
  }
}

function failedWords({ reason, message }: Extract<RunState, { kind: 'failed' }>): string {
  return reason === 'no_plan' ? `No plan came of the attempts. ${message}` : message;
}

function planningWords(view: RunView): string {
  const going = goingOf(view);
  if (going?.stage.kind !== 'planning') return '';
  const { attempt, wrong, doing } = going.stage;
  if (doing.kind === 'writing') return 'The plan came as text. It is put onto the board.';
  if (attempt === 1) return 'The agent makes the plan.';
  const { attempts } = going.run.wish.limits;
  return `Attempt ${attempt - 1} made no plan: ${wrong ?? ''} Trying again, ${attempt} of ${attempts}.`;
}

/** "Attempt 1 failed: 2 of 40 samples split wrongly. Trying again, 2 of 3." */
function retryWords(view: RunView): string {
  const attempts = goingOf(view)?.run.wish.limits.attempts ?? 0;
  const steps = stepsOf(view).filter(({ attempt, wrong }) => attempt > 1 && wrong !== null);
  return steps
    .map(({ attempt, wrong }) => {
      const why = (wrong ?? '').replace(/[.\s]+$/, '');
      return `Attempt ${attempt - 1} failed: ${why}. Trying again, ${attempt} of ${attempts}.`;
    })
    .join(' ');
}

function buttonsOf(name: StateName): readonly DeedButton[] {
  switch (name) {
    case 'approving':
      return [
        { label: 'Approve and run', deed: { kind: 'act', action: { type: 'approve' } } },
        { label: 'Open board', deed: { kind: 'board' } },
        { label: 'Ask for another plan…', deed: { kind: 'replan' }, quiet: true },
      ];
    case 'paused':
      return [{ label: 'Resume', deed: { kind: 'act', action: { type: 'resume' } } }];
    case 'completed':
    case 'failed':
    case 'cancelled':
      return [{ label: 'Start another run', deed: { kind: 'start' } }];
    case 'idle':
    case 'planning':
    case 'executing':
    case 'validating':
    case 'retrying':
    case 'waiting':
      return [];
  }
}

/** How long it still takes, and what says so; nothing where it is no question. */
export function estimateWords(view: RunView): string {
  const going = goingOf(view);
  // While it waits, how long it takes is the person's.
  if (going?.stage.kind !== 'executing' || going.kind === 'waiting') return '';
  return leftWords(timeLeft(view.look, going.run));
}
