import type { PlanLook } from '../plan-look';
import type { Run } from '../state';
import type { Step } from '../task-step';
import type { Rest, TurnResult } from '../turn';
import { readVerdict } from '../verdict';
import { afterStop, check, failAttempt, held, taskOf, type Moved } from './step-moves';
import { accepted } from './work-over';

/** A turn of a check is over: only a verdict that names every criterion as met lets the task pass. */
export function checkOver(
  run: Run,
  step: Step,
  again: boolean,
  result: TurnResult,
  { talk, stop }: Rest,
  look: PlanLook,
): Moved {
  const task = taskOf(look, step);
  // What the limit stopped is checked anew when the person gives more.
  const limited = stop?.kind === 'limit';
  if (limited && result.kind !== 'completed') return check(run, step, talk, again);
  if (stop !== null && !limited) return afterStop(run, step, stop, task);
  if (task === undefined) {
    const why = look.kind === 'plan' ? 'The task is gone from the board.' : look.message;
    return held(run, step, 'refused', `The check is over, and its task can’t be read. ${why}`);
  }
  switch (result.kind) {
    case 'interrupted':
      return held(run, step, 'interrupted', 'You stopped the check.');
    case 'cut':
      return check(run, step, talk, again);
    case 'refused':
      return held(run, step, 'refused', `It could not be checked: ${result.message}`);
    case 'error':
      return again
        ? held(run, step, 'refused', `It could not be checked: ${result.message}`)
        : check(run, step, talk, true);
    case 'completed':
      break;
  }
  const verdict = readVerdict(result.said, task.success);
  if (verdict.kind === 'unclear') {
    return again ? failAttempt(run, step, verdict.message, task) : check(run, step, talk, true);
  }
  if (verdict.kind === 'fail') return failAttempt(run, step, verdict.message, task);
  const passed: Step = verdict.result === '' ? step : { ...step, result: verdict.result };
  const stands = task.status === 'completed' || (task.approve && task.status === 'in_progress');
  return stands
    ? accepted(run, passed, task)
    : failAttempt(run, step, 'The task was opened again while it was checked.', task);
}
