import type { RunView } from '../../core/orchestrator/runs';
import type { Turn } from '../../core/orchestrator/turn';
import { turnsOf } from '../../core/orchestrator/turns-of';
import type { Deed } from './deed';
import { playOf } from './play';
import { canRetry, goingOf, runOf, stepsOf } from './run-of';

/** A line of the menu; null is a rule between them. */
export type RunMenuItem = {
  readonly icon: string;
  readonly label: string;
  readonly deed: Deed;
} | null;

/** What can be done to a run where none of its buttons are: at its session in the sidebar. */
export function runDeedsOf(view: RunView): readonly NonNullable<RunMenuItem>[] {
  if (goingOf(view) === undefined) return [];
  const play = playOf(view);
  return [
    ...(play === undefined ? [] : [play]),
    ...(stepsOf(view).length === 0
      ? []
      : [{ icon: 'skip-forward', label: 'Skip step…', deed: { kind: 'skip' } as const }]),
    ...steps(view),
    CANCEL,
  ];
}

const CANCEL = { icon: 'circle-x', label: 'Cancel run…', deed: { kind: 'cancel' } } as const;

/** What can be done to a run beside its buttons, as it stands. */
export function runMenu(view: RunView, canStart: boolean): readonly RunMenuItem[] {
  const groups = [steps(view), places(view), ends(view), others(canStart)];
  return groups
    .filter((items) => items.length > 0)
    .flatMap((items, at) => (at === 0 ? items : [null, ...items]));
}

function steps(view: RunView): readonly NonNullable<RunMenuItem>[] {
  const going = goingOf(view);
  if (going === undefined) return [];
  const act = (icon: string, label: string, deed: Deed) => ({ icon, label, deed });
  const approves = going.kind === 'going' && going.stage.kind === 'approving';
  return [
    ...(going.kind === 'waiting' || approves
      ? [act('pause', 'Pause run', { kind: 'act', action: { type: 'pause' } })]
      : []),
    ...(canInterrupt(view)
      ? [
          act('square', 'Interrupt turns', {
            kind: 'act',
            action: { type: 'interrupt', task: null },
          }),
        ]
      : []),
    ...(stepsOf(view).some(canRetry)
      ? [act('rotate-ccw', 'Try step again', { kind: 'retry' })]
      : []),
    ...(approves ? [act('list-restart', 'Ask for another plan…', { kind: 'replan' })] : []),
  ];
}

/** Whether there is a turn that can be stopped: one that runs, or is about to begin. */
export function canInterrupt(view: RunView): boolean {
  const going = goingOf(view);
  return going !== undefined && turnsOf(going.stage).some((turn) => !isStopping(turn));
}

function isStopping(turn: Turn): boolean {
  return turn.kind === 'working' && turn.stop !== null;
}

function places(view: RunView): readonly RunMenuItem[] {
  const planner = runOf(view)?.planner ?? undefined;
  return [
    ...(view.board === undefined
      ? []
      : [
          { icon: 'list-checks', label: 'Open board', deed: { kind: 'board' } as const },
          {
            ...{ icon: 'history', label: 'Roll back to checkpoint…' },
            deed: { kind: 'roll_back' } as const,
          },
        ]),
    ...(planner === undefined
      ? []
      : [
          {
            ...{ icon: 'messages-square', label: 'Open planning conversation' },
            deed: { kind: 'session', session: planner } as const,
          },
        ]),
  ];
}

function ends(view: RunView): readonly RunMenuItem[] {
  if (goingOf(view) === undefined) return [];
  return [{ icon: 'flag', label: 'Finish here…', deed: { kind: 'finish' } }, CANCEL];
}

function others(canStart: boolean): readonly RunMenuItem[] {
  return canStart ? [{ icon: 'plus', label: 'Start another run…', deed: { kind: 'start' } }] : [];
}
