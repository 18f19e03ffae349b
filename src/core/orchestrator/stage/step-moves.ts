import { retryAfter } from '../limits';
import type { PlanLook, PlannedTask } from '../plan-look';
import type { Run } from '../state';
import type { Doing, Step, TaskWrite } from '../task-step';
import { oneLine, type About } from '../timeline';
import type { StopCause, Talk } from '../turn';
import { tooManyCriteria } from '../verdict';
import { withKey } from './key';
import { noteStep } from './note';

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
    : held(run, step, 'refused', many);
}

/** Who works on a task; null: the agent that plans. The person's own tasks are no agent's. */
export function agentOf(owner: string | null): string | null {
  return owner === null || owner === '' || owner === 'me' ? null : owner;
}

export function writing(run: Run, step: Step, write: TaskWrite): Moved {
  const { run: next, key } = withKey(run);
  return { run: next, step: { ...step, doing: { kind: 'writing', key, write } } };
}

export function held(
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
export function check(run: Run, step: Step, talk: Talk | null, again: boolean): Moved {
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
export function failAttempt(
  run: Run,
  step: Step,
  wrong: string,
  task: PlannedTask | undefined,
): Moved {
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
      return held(run, step, 'interrupted', 'You stopped the turn.');
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
