import type { RunAction } from '../../core/orchestrator/event';
import type { Deed } from './deed';

/** What is shown from the person's word on until a run has taken it. */
export const DOING_WORDS: Readonly<Record<RunAction['type'], string>> = {
  approve: 'Approving…',
  replan: 'Asking for another plan…',
  pause: 'Pausing…',
  resume: 'Resuming…',
  interrupt: 'Stopping the turns…',
  skip: 'Skipping…',
  retry: 'Trying again…',
  mark_done: 'Marking done…',
  more: 'Adding…',
  finish: 'Finishing…',
  cancel: 'Cancelling…',
  rolled_back: 'Going back…',
};
export const GOING_BACK = 'Going back…';
export const TAKING_UP = 'Taking it up…';

/** Whether a deed changes the run: it waits while another one is under way. What ends or stops never does. */
export function waitsItsTurn(deed: Deed): boolean {
  switch (deed.kind) {
    case 'act':
      return !STOPS.has(deed.action.type);
    case 'skip':
    case 'retry':
    case 'mark_done':
    case 'replan':
    case 'take_up':
    case 'checkpoint':
    case 'roll_back':
      return true;
    case 'finish':
    case 'cancel':
    case 'start':
    case 'connect':
    case 'review':
    case 'session':
    case 'board':
    case 'tick':
    case 'note':
    case 'replay':
      return false;
  }
}

const STOPS: ReadonlySet<RunAction['type']> = new Set(['cancel', 'finish', 'interrupt']);
