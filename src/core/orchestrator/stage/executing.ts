import { choose, type PlanLook, type PlannedTask } from '../plan-look';
import type { Happening, RunEvent } from '../event';
import type { Executing, Step, StopCause, TaskWrite, Turn } from '../state';
import {
  afterStop,
  agentOf,
  checkOver,
  finish,
  finished,
  suspended,
  takeUp,
  taskOf,
  work,
  workOver,
  writing,
} from './step-moves';
import { tooManyCriteria } from '../verdict';
import type { RunDraft } from './run-draft';
import { stepTurn, stopTurn, talkOf } from './turn-step';

/** Applies an event to the steps that are taken up. Does not take up new ones. */
export function stepExecuting(draft: RunDraft, stage: Executing, happening: Happening): Executing {
  const steps = stage.steps.flatMap((step) => moveStep(draft, step, happening) ?? []);
  const { event } = happening;
  const { naming, unnamed } = stage;
  if (event.type === 'board' || event.type === 'resume') return { ...stage, steps, unnamed: null };
  const answered = 'key' in event && event.key === naming?.key;
  return answered && (event.type === 'done' || event.type === 'refused')
    ? { ...stage, steps, naming: null, unnamed: event.type === 'done' ? null : event.message }
    : { ...stage, steps, naming, unnamed };
}

/**
 * Takes up tasks that can be started. Steps that wait for the person free their slot for others,
 * unless a model denied access: other tasks would be denied too.
 */
export function startMore(draft: RunDraft, stage: Executing, look: PlanLook): Executing {
  const isActive = ({ doing: { kind } }: Step): boolean => kind !== 'held' && kind !== 'approval';
  const taken = new Set(stage.steps.map(({ task }) => task));
  const locked = stage.steps.some(
    ({ doing }) => doing.kind === 'held' && doing.why === 'no_access',
  );
  const { parallel } = draft.run.wish.limits;
  let free = locked ? 0 : parallel - stage.steps.filter(isActive).length;
  let { naming } = stage;
  const steps = [...stage.steps];
  for (const task of free > 0 ? choose(look, taken) : []) {
    if (free <= 0) break;
    free -= 1;
    if (task.id !== null) {
      const step = takeUp(draft, task.id, task);
      steps.push(step);
      if (!isActive(step)) free += 1;
    } else if (naming === null && stage.unnamed === null) {
      naming = { key: draft.key(), line: task.line, title: task.title };
    }
  }
  return { ...stage, steps, naming };
}

/**
 * Applies an event to one step: first the person's action, then the board's changes, then the
 * answer to a request. Returns null if the step is over. A change of the board may be noticed at
 * any event, and does not suppress that event.
 */
function moveStep(draft: RunDraft, step: Step, { event, plan }: Happening): Step | null {
  const told = byPerson(draft, step, event, plan);
  if (told !== undefined) return told;
  const seen = byBoard(draft, step, event, plan);
  return seen === null ? null : byAnswer(draft, seen ?? step, event, plan);
}

function byAnswer(draft: RunDraft, step: Step, event: RunEvent, look: PlanLook): Step | null {
  const { doing } = step;
  if ('turn' in doing) {
    const turn = stepTurn(doing.turn, event, draft.run.at);
    if (turn.kind !== 'over') return { ...step, doing: { ...doing, turn } };
    return doing.kind === 'work'
      ? workOver(draft, step, turn, look)
      : checkOver(draft, step, doing.again, turn, look);
  }
  if (!('key' in doing) || !('key' in event) || event.key !== doing.key) return step;
  if (event.type === 'done') {
    if (doing.kind === 'writing') return written(draft, step, doing.write, look);
    draft.noteStep('checkpoint', step, '', event.n === undefined ? {} : { checkpoint: event.n });
    return writing(draft, step, { kind: 'begin' });
  }
  if (event.type !== 'refused') return step;
  // The task is done; only the line with its result is missing.
  if (doing.kind === 'writing' && doing.write.kind === 'result') {
    return unlessReopened(draft, step, look);
  }
  const what = doing.kind === 'saving' ? 'No checkpoint' : 'The board was not written';
  return suspended(step, 'refused', `${what}: ${event.message}`);
}

function written(draft: RunDraft, step: Step, write: TaskWrite, look: PlanLook): Step | null {
  switch (write.kind) {
    case 'begin':
    case 'reopen':
      return work(draft, step);
    case 'fail':
      draft.noteStep('failed', step, write.reason, draft.attempt(step));
      return suspended(step, 'failed', write.reason);
    case 'cancelled':
    case 'deferred':
      draft.noteStep('person', step, `${write.kind}: ${write.reason}`);
      return null;
    case 'complete':
      if (isReopened(step, look)) return null;
      draft.noteStep('person', step, 'marked done');
      return finish(draft, step);
    case 'result':
      return unlessReopened(draft, step, look);
  }
}

/** A task that was reopened while its result was written is left to the board. */
function unlessReopened(draft: RunDraft, step: Step, look: PlanLook): null {
  return isReopened(step, look) ? null : finished(draft, step);
}

function isReopened(step: Step, look: PlanLook): boolean {
  const task = taskOf(look, step);
  return task !== undefined && task.status !== 'completed';
}

/**
 * Applies the board to a step: a change of its task by the person counts as their decision, even
 * during a write. Returns undefined if the step is unaffected, null if it is over.
 */
function byBoard(
  draft: RunDraft,
  step: Step,
  event: RunEvent,
  look: PlanLook,
): Step | null | undefined {
  const { doing } = step;
  if (look.kind !== 'plan') return undefined;
  const task = taskOf(look, step);
  const theirs = event.type === 'board' && event.byPerson.includes(step.task);
  const asItStands = () => (task?.status === 'completed' ? finish(draft, step) : null);
  switch (doing.kind) {
    case 'saving':
      return task?.status === 'pending' || task?.status === 'in_progress' ? undefined : null;
    case 'writing':
      // A result is written to a task that is already completed.
      return theirs && doing.write.kind !== 'result' ? asItStands() : undefined;
    case 'work':
    case 'check': {
      if (task !== undefined && !theirs) return undefined;
      const cause = causeOf(task, doing.turn);
      return cause && stopped(draft, step, cause, look);
    }
    case 'approval': {
      if (task?.status !== 'in_progress') return asItStands();
      const missed = task.sentBack?.slice(doing.sentBack ?? 0).at(-1);
      return missed === undefined ? undefined : retried(draft, step, look, missed);
    }
    case 'held':
      if (task === undefined) return null;
      return theirs ? asItStands() : undefined;
  }
}

/**
 * Why the person's change of the task stops its turn; undefined if it does not. The latest change
 * counts.
 */
function causeOf(task: PlannedTask | undefined, turn: Turn): StopCause | undefined {
  if (task?.status === 'completed') return { kind: 'done' };
  if (task?.status !== 'in_progress') return { kind: 'gone' };
  const before = turn.kind === 'working' ? turn.stop?.cause.kind : undefined;
  return before === 'done' || before === 'skip' ? { kind: 'gone' } : undefined;
}

/**
 * Applies the person's action to a step; undefined if there is none, or it is about another step.
 */
function byPerson(
  draft: RunDraft,
  step: Step,
  event: RunEvent,
  look: PlanLook,
): Step | null | undefined {
  if (!('task' in event) || (event.task !== step.task && event.task !== null)) return undefined;
  switch (event.type) {
    case 'interrupt':
      return stopped(draft, step, { kind: 'person' }, look);
    case 'skip':
      return stopped(draft, step, { kind: 'skip', how: event.how, reason: event.reason }, look);
    case 'mark_done':
      return stopped(draft, step, { kind: 'done' }, look);
    case 'retry':
      return retried(draft, step, look);
  }
}

/** Stops a step. A running turn is stopped first; a turn that has not begun is dropped. */
function stopped(
  draft: RunDraft,
  step: Step,
  cause: StopCause,
  look: PlanLook,
): Step | null | undefined {
  const { doing } = step;
  if ('turn' in doing) {
    const turn = stopTurn(doing.turn, cause, draft);
    if (turn !== undefined) return { ...step, doing: { ...doing, turn } };
    const worker = doing.kind === 'work' ? talkOf(doing.turn) : step.worker;
    return afterStop(draft, { ...step, worker }, cause, taskOf(look, step));
  }
  // The latest action wins, but the result of a finished task is still written.
  const isResult = doing.kind === 'writing' && doing.write.kind === 'result';
  return cause.kind === 'person' || isResult
    ? undefined
    : afterStop(draft, step, cause, taskOf(look, step));
}

/**
 * Starts a step over with all its attempts, the message of what went wrong, and the agent that the
 * board names now.
 * @param missed what the person missed, if they sent the task back
 */
function retried(draft: RunDraft, step: Step, look: PlanLook, missed?: string): Step | undefined {
  const { doing } = step;
  if (doing.kind !== 'held' && doing.kind !== 'approval') return undefined;
  const task = taskOf(look, step);
  const many = tooManyCriteria(task?.success ?? []);
  if (many !== undefined) return suspended(step, 'refused', many);
  // An existing session keeps its agent.
  const agent = step.worker === null && task !== undefined ? agentOf(task.owner) : step.agent;
  const again = missed ?? 'The person wants it done again.';
  const wrong = doing.kind === 'held' ? doing.message : again;
  draft.noteStep('person', step, missed === undefined ? 'tried again' : `sent back: ${missed}`);
  return writing(draft, { ...step, agent, attempt: 1, wrong }, { kind: 'reopen' });
}
