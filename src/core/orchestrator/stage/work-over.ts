import type { PlanLook, PlannedTask } from '../plan-look';
import type { Run } from '../state';
import type { Step } from '../task-step';
import type { Rest, TurnResult } from '../turn';
import { tooManyCriteria } from '../verdict';
import {
  afterStop,
  check,
  failAttempt,
  finish,
  held,
  taskOf,
  work,
  type Moved,
} from './step-moves';

/**
 * A turn of work is over. The task is done where the agent completed it and the turn did not fail;
 * one that the person approves can't be completed by an agent, so there the end of the turn is it.
 */
export function workOver(
  run: Run,
  before: Step,
  result: TurnResult,
  { talk, lapsed, stop: cause }: Rest,
  look: PlanLook,
): Moved {
  const said = 'said' in result && result.said !== '' ? result.said : before.result;
  const step: Step = { ...before, worker: talk, result: said };
  if (look.kind !== 'plan') {
    return held(
      run,
      step,
      'refused',
      `The turn is over, and its task can’t be read. ${look.message}`,
    );
  }
  const task = taskOf(look, step);
  // A turn that ended by itself was not cut short by the limit.
  const stop = cause?.kind === 'limit' && result.kind === 'completed' ? null : cause;
  // That the person took it back is no reason to take the agent at its word.
  const soft = stop === null || stop.kind === 'limit' || stop.kind === 'gone';
  if (soft && isDone(task, result)) return evidence(progressed(run), step, task);
  if (stop !== null) return afterStop(run, step, stop, task);
  if (task === undefined) return held(run, step, 'given_up', 'The task is gone from the board.');
  if (result.kind === 'interrupted') {
    return held(run, step, 'interrupted', 'You stopped the turn.');
  }
  if (result.kind === 'cut') return work(run, step);
  // Asked for again as it is, it is refused again: the person changes something first.
  if (result.kind === 'refused') return held(run, step, 'refused', notBegun(step, result.message));
  const idle = { ...run, used: { ...run.used, idle: run.used.idle + 1 } };
  if (lapsed) return held(idle, step, 'unanswered', 'It asked, and nobody answered in time.');
  if (task.status === 'cancelled' || task.status === 'deferred') {
    return held(idle, step, 'given_up', `The agent set the task to ${task.status}.`);
  }
  return failAttempt(idle, step, result.kind === 'error' ? result.message : NOT_DONE, task);
}

function isDone(task: PlannedTask | undefined, result: TurnResult): task is PlannedTask {
  if (task === undefined || result.kind === 'error' || result.kind === 'refused') return false;
  if (task.status === 'completed') return true;
  return task.approve && task.status === 'in_progress' && result.kind === 'completed';
}

/** What was refused, and where the board names the agent, that this can be changed there. */
function notBegun({ agent }: Step, message: string): string {
  return agent === null
    ? message
    : `${message} The board names the agent ${agent} for it: change the owner there, then try again.`;
}

function evidence(run: Run, step: Step, task: PlannedTask): Moved {
  const many = tooManyCriteria(task.success);
  if (many !== undefined) return held(run, step, 'refused', many);
  if (task.success.length > 0) return check(run, step, null, false);
  return accepted(run, step, task);
}

/** Checked, or nothing to check: the person has the last word where they want it. */
export function accepted(run: Run, step: Step, task: PlannedTask): Moved {
  if (task.status === 'completed') return finish(run, step);
  return { run, step: { ...step, doing: { kind: 'approval' } } };
}

function progressed(run: Run): Run {
  return { ...run, used: { ...run.used, idle: 0 } };
}

const NOT_DONE = 'The turn ended and the task was not completed.';
