import type { PlanSnapshot, PlannedTask } from '../plan-snapshot';
import {
  RUN_SENTENCES,
  oneLine,
  runSentence,
  type StepActivity,
  type Run,
  type Step,
  type StopCause,
  type TaskWrite,
  type TurnResult,
} from '../state';
import { readVerdict, criteriaLimitFault } from '../verdict';
import type { RunDraft } from './run-draft';
import { nextTurn, type TurnOutcome } from './turn-step';

/** The step's task on the board; undefined if it is gone, or the board can't be read. */
export function taskOf(snapshot: PlanSnapshot, step: Step): PlannedTask | undefined {
  return snapshot.kind === 'plan' ? snapshot.tasks.find(({ id }) => id === step.task) : undefined;
}

/**
 * Takes up a task. First a checkpoint of the board is made. A task that can't be checked is
 * suspended.
 */
export function startStep(draft: RunDraft, task: string, planned: PlannedTask): Step {
  const { title, owner, success } = planned;
  const fault = criteriaLimitFault(success);
  const step: Step = {
    ...{ task, title, agent: agentOf(owner), attempt: 1, since: draft.run.at },
    ...{ worker: null, wrong: null, result: '' },
    doing:
      fault === undefined ? { kind: 'saving', key: draft.nextKey() } : suspension('refused', fault),
  };
  if (fault === undefined) draft.addStepEntry('begun', step);
  return step;
}

/**
 * The agent that works on a task; null for the planning agent. `me` is the person, not an agent.
 */
export function agentOf(owner: string | null): string | null {
  return owner === null || owner === '' || owner === 'me' ? null : owner;
}

export function startWrite(draft: RunDraft, step: Step, write: TaskWrite): Step {
  return { ...step, doing: { kind: 'writing', key: draft.nextKey(), write } };
}

type SuspendedActivity = Extract<StepActivity, { kind: 'held' }>;

function suspension(why: SuspendedActivity['why'], message: string): SuspendedActivity {
  return { kind: 'held', why, message: oneLine(message, 500) };
}

export function suspendStep(step: Step, why: SuspendedActivity['why'], message: string): Step {
  return { ...step, doing: suspension(why, message) };
}

export function startWork(draft: RunDraft, step: Step): Step {
  return { ...step, doing: { kind: 'work', turn: nextTurn(draft, step.worker, step.attempt) } };
}

/** Starts a check in another session, or once more in the same one if its answer was no verdict. */
function startCheck(draft: RunDraft, step: Step, talk: TurnOutcome['talk'], again: boolean): Step {
  const turn = nextTurn(draft, talk, 1);
  if (talk === null) draft.addStepEntry('checked', step);
  return { ...step, doing: { kind: 'check', turn, again } };
}

/** Handles a failed attempt: tries again with what went wrong, or fails the task. */
function failAttempt(draft: RunDraft, step: Step, wrong: string, task?: PlannedTask): Step {
  if (step.attempt >= draft.run.wish.limits.attempts) {
    // A failed task changes the board, which counts as progress.
    draft.updateUsage({ idle: 0 });
    return startWrite(draft, step, { kind: 'fail', reason: oneLine(wrong, 300) });
  }
  const next: Step = { ...step, attempt: step.attempt + 1, wrong: oneLine(wrong, 2_000) };
  draft.addStepEntry('tried_again', step, wrong, draft.attemptDetails(step));
  return task?.status === 'in_progress' && task.review === undefined
    ? startWork(draft, next)
    : startWrite(draft, next, { kind: 'reopen' });
}

/** The task is done and verified: stores its result on the board. */
export function storeResult(draft: RunDraft, step: Step): Step | null {
  const result = oneLine(step.result, 500);
  return result === ''
    ? finishStep(draft, step)
    : startWrite(draft, step, { kind: 'result', result });
}

export function finishStep(draft: RunDraft, step: Step): null {
  const { task, title, attempt, result, since } = step;
  const ms = Math.max(0, draft.run.at - since);
  const one: Run['done'][number] = {
    ...{ task, title, attempts: attempt, ms },
    result: oneLine(result, 500),
  };
  draft.run = { ...draft.run, done: [...draft.run.done.filter((o) => o.task !== task), one] };
  draft.addStepEntry('passed', step, result, attempt === 1 ? {} : draft.attemptDetails(step));
  return null;
}

/** Applies the reason for which a turn was stopped. @returns null if the step is over */
export function afterStop(
  draft: RunDraft,
  step: Step,
  cause: StopCause,
  task: PlannedTask | undefined,
): Step | null {
  switch (cause.kind) {
    case 'person':
      return suspendStep(step, 'interrupted', RUN_SENTENCES.turnStopped);
    case 'limit':
      return startWork(draft, step);
    case 'gone':
      return null;
    case 'skip':
      return startWrite(draft, step, { kind: cause.how, reason: cause.reason });
    case 'done':
      return task?.status === 'completed'
        ? finishStep(draft, step)
        : startWrite(draft, step, { kind: 'complete' });
  }
}

/**
 * Handles the end of a turn of work. The task is done if the agent completed it and the turn did
 * not fail. A task that the person approves can't be completed by an agent; there the end of the
 * turn counts.
 * @returns null if the step is over
 */
export function handleWorkEnd(
  draft: RunDraft,
  before: Step,
  { result, talk, lapsed, stop: cause }: TurnOutcome,
  snapshot: PlanSnapshot,
): Step | null {
  const said = 'said' in result && result.said !== '' ? result.said : before.result;
  const step: Step = { ...before, worker: talk, result: said };
  if (snapshot.kind !== 'plan') {
    const why = `The turn is over, and its task can’t be read. ${snapshot.message}`;
    return suspendStep(step, 'refused', why);
  }
  const task = taskOf(snapshot, step);
  // A turn that ended by itself was not cut short by the limit.
  const stop = cause?.kind === 'limit' && result.kind === 'completed' ? null : cause;
  // Even if the person took the task back, one that the agent completed is checked, not trusted.
  const mayCheck = stop === null || stop.kind === 'limit' || stop.kind === 'gone';
  if (mayCheck && isDone(task, result)) {
    draft.updateUsage({ idle: 0 });
    const fault = criteriaLimitFault(task.success);
    if (fault !== undefined) return suspendStep(step, 'refused', fault);
    return task.success.length > 0
      ? startCheck(draft, step, null, false)
      : acceptTask(draft, step, task);
  }
  if (stop !== null) return afterStop(draft, step, stop, task);
  if (task === undefined) return suspendStep(step, 'given_up', RUN_SENTENCES.taskGone);
  if (result.kind === 'interrupted') return afterStop(draft, step, { kind: 'person' }, task);
  if (result.kind === 'cut') return startWork(draft, step);
  // The same request would be refused again: the person has to change something first.
  if (result.kind === 'refused') {
    return suspendStep(step, 'refused', refusalText(step, result.message));
  }
  if (result.kind === 'no_access') return suspendStep(step, 'no_access', result.message);
  // The same session would be too long again. A new one knows less, unless this was its first turn.
  if (result.kind === 'too_long' && before.worker === null) {
    const why = runSentence('tooLong', { why: result.message });
    return suspendStep({ ...step, worker: null }, 'refused', why);
  }
  draft.updateUsage({ idle: draft.run.used.idle + 1 });
  if (lapsed) return suspendStep(step, 'unanswered', RUN_SENTENCES.unanswered);
  if (task.status === 'cancelled' || task.status === 'deferred') {
    return suspendStep(
      step,
      'given_up',
      task.status === 'cancelled' ? RUN_SENTENCES.agentCancelled : RUN_SENTENCES.agentDeferred,
    );
  }
  return failAttempt(
    draft,
    result.kind === 'too_long' ? { ...step, worker: null } : step,
    'message' in result ? result.message : RUN_SENTENCES.notDone,
    task,
  );
}

function isDone(task: PlannedTask | undefined, result: TurnResult): task is PlannedTask {
  if (task === undefined || !('said' in result || result.kind === 'interrupted')) return false;
  if (task.status === 'completed') return true;
  return task.approve && task.status === 'in_progress' && result.kind === 'completed';
}

/**
 * The message of a refusal; if the board names the agent, with a hint that it can be changed there.
 */
function refusalText({ agent }: Step, message: string): string {
  return agent === null
    ? message
    : `${message} The board names the agent ${agent} for it: change the owner there, then try again.`;
}

/** The task passed, or had nothing to check; the person approves it if they want to. */
function acceptTask(draft: RunDraft, step: Step, task: PlannedTask): Step | null {
  return task.status === 'completed'
    ? storeResult(draft, step)
    : { ...step, doing: { kind: 'approval', sentBack: task.sentBack?.length ?? 0 } };
}

/**
 * Handles the end of a check: the task passes only with a verdict that lists every criterion as
 * met.
 */
export function handleCheckEnd(
  draft: RunDraft,
  step: Step,
  again: boolean,
  { result, talk, stop }: TurnOutcome,
  snapshot: PlanSnapshot,
): Step | null {
  const task = taskOf(snapshot, step);
  // A check that a limit stopped is repeated when the person raises the limit.
  const limited = stop?.kind === 'limit';
  if (limited && result.kind !== 'completed') return startCheck(draft, step, talk, again);
  if (stop !== null && !limited) return afterStop(draft, step, stop, task);
  if (task === undefined) {
    const why = snapshot.kind === 'plan' ? RUN_SENTENCES.taskGone : snapshot.message;
    return suspendStep(step, 'refused', `The check is over, and its task can’t be read. ${why}`);
  }
  if (result.kind === 'interrupted') {
    return suspendStep(step, 'interrupted', RUN_SENTENCES.checkStopped);
  }
  if (result.kind === 'cut') return startCheck(draft, step, talk, again);
  if (result.kind !== 'completed') {
    return result.kind === 'error' && !again
      ? startCheck(draft, step, talk, true)
      : suspendStep(
          step,
          result.kind === 'no_access' ? 'no_access' : 'refused',
          `It could not be checked: ${result.message}`,
        );
  }
  const verdict = readVerdict(result.said, task.success);
  if (verdict.kind === 'unclear' && !again) return startCheck(draft, step, talk, true);
  if (verdict.kind !== 'pass') return failAttempt(draft, step, verdict.message, task);
  const passed: Step = verdict.result === '' ? step : { ...step, result: verdict.result };
  const isStillDone =
    task.status === 'completed' || (task.approve && task.status === 'in_progress');
  return isStillDone
    ? acceptTask(draft, passed, task)
    : failAttempt(draft, step, RUN_SENTENCES.reopened, task);
}
