import type { RunView } from '../../core/orchestrator/runs';
import { turnsOf } from '../../core/orchestrator/turns-of';
import type { Deed } from './deed';
import { canRetry } from './run-deeds';
import { goingOf, runOf, stepsOf } from './run-of';

/** A line of the menu; null is a rule between them. */
export type RunMenuItem = {
  readonly icon: string;
  readonly label: string;
  readonly deed: Deed;
} | null;

/** What can be done to a run beside its buttons, as it stands. */
export function runMenu(view: RunView, canStart: boolean): readonly RunMenuItem[] {
  const groups = [steps(view), places(view), ends(view), others(canStart)];
  return groups
    .filter((items) => items.length > 0)
    .flatMap((items, at) => (at === 0 ? items : [null, ...items]));
}

function steps(view: RunView): readonly RunMenuItem[] {
  const going = goingOf(view);
  if (going === undefined) return [];
  const act = (icon: string, label: string, deed: Deed): RunMenuItem => ({ icon, label, deed });
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

/** Whether a turn runs that can be stopped. */
export function canInterrupt(view: RunView): boolean {
  const going = goingOf(view);
  return going !== undefined && turnsOf(going.stage).some(({ kind }) => kind === 'working');
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
  return [
    { icon: 'flag', label: 'Finish here…', deed: { kind: 'finish' } },
    { icon: 'circle-x', label: 'Cancel run…', deed: { kind: 'cancel' } },
  ];
}

function others(canStart: boolean): readonly RunMenuItem[] {
  return canStart ? [{ icon: 'plus', label: 'Start another run…', deed: { kind: 'start' } }] : [];
}
