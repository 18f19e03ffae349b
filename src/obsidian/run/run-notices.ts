import { counted } from '../../core/orchestrator/counts';
import type { Tidings } from '../../core/orchestrator/command';
import { whyWords } from '../../core/orchestrator/run-words';
import type { RunView } from '../../core/orchestrator/runs';
import { goalOf, runOf } from './run-of';

/** What a notice says of a run, and what its button, which opens the panel, is called. */
export interface RunNotice {
  readonly text: string;
  readonly button: 'Review' | 'Open';
}

/** The tidings of a run in words. */
export function runNotice(view: RunView, what: Tidings): RunNotice {
  const goal = goalOf(view);
  switch (what.kind) {
    case 'approve':
      return { text: `The plan for ${goal} is ready.`, button: 'Review' };
    case 'waits':
      return { text: `${goal} waits for you: ${waits(view, what)}`, button: 'Open' };
    case 'ended':
      return { text: endWords(view, goal, what.as), button: 'Open' };
  }
}

function waits(view: RunView, { why }: Extract<Tidings, { kind: 'waits' }>): string {
  const run = runOf(view);
  const words = run === undefined ? '' : whyWords(why, run.wish.limits);
  return words === '' ? 'look at the run.' : words;
}

function endWords(
  { look, state }: RunView,
  goal: string,
  as: Extract<Tidings, { kind: 'ended' }>['as'],
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
