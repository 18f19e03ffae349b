import { retryAfter } from '../limits';
import type { PlanLook, PlannedTask } from '../plan-look';
import {
  noted,
  oneLine,
  type About,
  type Doing,
  type Rest,
  type Run,
  type Stage,
  type Step,
  type StopCause,
  type Talk,
  type TaskWrite,
  type TimelineEntry,
  type TurnResult,
} from '../state';
import { readVerdict, tooManyCriteria } from '../verdict';

/** A step and its run after an event; without a step, it is over. */
export interface Moved {
  readonly run: Run;
  readonly step: Step | undefined;
}

/** Its task as it stands on the board; undefined where it is gone, or can’t be read. */
export function taskOf(look: PlanLook, step: Step): PlannedTask | undefined {
  return look.kind === 'plan' ? look.tasks.find(({ id }) => id === step.task) : undefined;
}

/** A task is taken up: first of all the board is kept as it is. One that can't be checked waits. */
export function takeUp(
  run: Run,
  { id, title, owner, success }: PlannedTask & { id: string },
): { readonly run: Run; readonly step: Step } {
  const { run: next, key } = withKey(run);
  const step: Step = {
    ...{ task: id, title, agent: agentOf(owner), attempt: 1, since: run.at },
    ...{ worker: null, wrong: null, result: '' },
    doing: { kind: 'saving', key },
  };
  const many = tooManyCriteria(success);
  return many === undefined
    ? { run: noteStep(next, 'begun', step), step }
    : suspended(run, step, 'refused', many);
}

/** Who works on a task; null: the agent that plans. The person's own tasks are no agent's. */
export function agentOf(owner: string | null): string | null {
  return owner === null || owner === '' || owner === 'me' ? null : owner;
}

export function writing(run: Run, step: Step, write: TaskWrite): Moved {
  const { run: next, key } = withKey(run);
  return { run: next, step: { ...step, doing: { kind: 'writing', key, write } } };
}

export function suspended(
  run: Run,
  step: Step,
  why: Extract<Doing, { kind: 'held' }>['why'],
  message: string,
): { readonly run: Run; readonly step: Step } {
  return { run, step: { ...step, doing: { kind: 'held', why, message: oneLine(message, 500) } } };
}

/** The next prompt of the work: in its session, else in a new one. */
export function work(run: Run, step: Step): Moved {
  const { worker, attempt } = step;
  if (worker !== null) {
    const from = run.at + (attempt > 1 ? retryAfter(attempt) : 0);
    return {
      run,
      step: { ...step, doing: { kind: 'work', turn: { kind: 'due', from, ...worker } } },
    };
  }
  const { run: next, key } = withKey(run);
  return { run: next, step: { ...step, doing: { kind: 'work', turn: { kind: 'opening', key } } } };
}

/** Another session judges, or the same one once more where its answer was no verdict. */
function check(run: Run, step: Step, talk: Talk | null, again: boolean): Moved {
  if (talk !== null) {
    const turn = { kind: 'due', from: run.at, ...talk } as const;
    return { run, step: { ...step, doing: { kind: 'check', turn, again } } };
  }
  const { run: next, key } = withKey(run);
  const turn = { kind: 'opening', key } as const;
  return {
    run: noteStep(next, 'checked', step),
    step: { ...step, doing: { kind: 'check', turn, again } },
  };
}

/** The attempt failed: once more with what went wrong, or the task fails. */
function failAttempt(run: Run, step: Step, wrong: string, task: PlannedTask | undefined): Moved {
  if (step.attempt >= run.wish.limits.attempts) {
    // That a task failed is a change of the board: the others go on.
    const settled = { ...run, used: { ...run.used, idle: 0 } };
    return writing(settled, step, { kind: 'fail', reason: oneLine(wrong, 300) });
  }
  const next: Step = { ...step, attempt: step.attempt + 1, wrong: oneLine(wrong, 2_000) };
  const noted = noteStep(run, 'tried_again', step, wrong, attemptOf(run, step));
  return task?.status === 'in_progress'
    ? work(noted, next)
    : writing(noted, next, { kind: 'reopen' });
}

/** The task is done, and there is evidence: what came of it is kept with it. */
export function finish(run: Run, step: Step): Moved {
  const result = oneLine(step.result, 500);
  return result === '' ? finished(run, step) : writing(run, step, { kind: 'result', result });
}

export function finished(run: Run, step: Step): Moved {
  const { task, title, attempt, result, since } = step;
  const ms = Math.max(0, run.at - since);
  const done = [
    ...run.done.filter((one) => one.task !== task),
    { task, title, attempts: attempt, ms, result: oneLine(result, 500) },
  ];
  const about = attempt === 1 ? {} : attemptOf(run, step);
  return { run: noteStep({ ...run, done }, 'passed', step, result, about), step: undefined };
}

/** Which attempt it is, for the timeline. */
export function attemptOf(run: Run, { attempt }: Step): About {
  return { attempt: { n: attempt, of: run.wish.limits.attempts } };
}

/** The task is left as the board has it. */
export function dropped(run: Run): Moved {
  return { run, step: undefined };
}

/** What was to be done as soon as the turn had stopped. */
export function afterStop(
  run: Run,
  step: Step,
  cause: StopCause,
  task: PlannedTask | undefined,
): Moved {
  switch (cause.kind) {
    case 'person':
      return suspended(run, step, 'interrupted', 'You stopped the turn.');
    case 'limit':
      return work(run, step);
    case 'gone':
      return dropped(run);
    case 'skip':
      return writing(run, step, { kind: cause.how, reason: cause.reason });
    case 'done':
      return task?.status === 'completed'
        ? finished(run, step)
        : writing(run, step, { kind: 'complete' });
  }
}

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
    return suspended(
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
  if (task === undefined)
    return suspended(run, step, 'given_up', 'The task is gone from the board.');
  if (result.kind === 'interrupted') {
    return suspended(run, step, 'interrupted', 'You stopped the turn.');
  }
  if (result.kind === 'cut') return work(run, step);
  // Asked for again as it is, it is refused again: the person changes something first.
  if (result.kind === 'refused')
    return suspended(run, step, 'refused', notBegun(step, result.message));
  const idle = { ...run, used: { ...run.used, idle: run.used.idle + 1 } };
  if (lapsed) return suspended(idle, step, 'unanswered', 'It asked, and nobody answered in time.');
  if (task.status === 'cancelled' || task.status === 'deferred') {
    return suspended(idle, step, 'given_up', `The agent set the task to ${task.status}.`);
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
  if (many !== undefined) return suspended(run, step, 'refused', many);
  if (task.success.length > 0) return check(run, step, null, false);
  return accepted(run, step, task);
}

/** Checked, or nothing to check: the person has the last word where they want it. */
function accepted(run: Run, step: Step, task: PlannedTask): Moved {
  if (task.status === 'completed') return finish(run, step);
  return { run, step: { ...step, doing: { kind: 'approval' } } };
}

function progressed(run: Run): Run {
  return { ...run, used: { ...run.used, idle: 0 } };
}

const NOT_DONE = 'The turn ended and the task was not completed.';

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
    return suspended(run, step, 'refused', `The check is over, and its task can’t be read. ${why}`);
  }
  switch (result.kind) {
    case 'interrupted':
      return suspended(run, step, 'interrupted', 'You stopped the check.');
    case 'cut':
      return check(run, step, talk, again);
    case 'refused':
      return suspended(run, step, 'refused', `It could not be checked: ${result.message}`);
    case 'error':
      return again
        ? suspended(run, step, 'refused', `It could not be checked: ${result.message}`)
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

type Kind = TimelineEntry['kind'];

/** The run with one more entry in its timeline, at the time of its last event. */
export function note(run: Run, kind: Kind, words = '', about: About = {}): Run {
  return withEntry(run, { at: run.at, kind, task: null, words, ...about });
}

/** Of a step: with its task, and who works on it. */
export function noteStep(
  run: Run,
  kind: Kind,
  { task: id, title, worker }: Pick<Step, 'task' | 'title' | 'worker'>,
  words = '',
  about: About = {},
): Run {
  const session = worker === null ? {} : { session: worker.session };
  return withEntry(run, { at: run.at, kind, task: title, words, id, ...session, ...about });
}

function withEntry(run: Run, entry: TimelineEntry): Run {
  return { ...run, timeline: noted(run.timeline, entry) };
}

/** The next command's key, and the run that has given it away. */
export function withKey(run: Run): { readonly run: Run; readonly key: string } {
  return { run: { ...run, next: run.next + 1 }, key: `${run.id}.${run.next}` };
}

/** What an event makes of a stage: another one, the same, or the end of the run. */
export type StageStep =
  | { readonly kind: 'stage'; readonly run: Run; readonly stage: Stage }
  | { readonly kind: 'failed'; readonly run: Run; readonly message: string };
