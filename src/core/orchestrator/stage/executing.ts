import { startableTasks, type PlanSnapshot, type PlannedTask } from '../plan-snapshot';
import type { EventRecord, RunEvent } from '../event';
import type { Executing, Step, StopCause, TaskWrite, Turn } from '../state';
import {
  afterStop,
  agentOf,
  handleCheckEnd,
  storeResult,
  finishStep,
  suspendStep,
  startStep,
  taskOf,
  startWork,
  handleWorkEnd,
  startWrite,
} from './step-moves';
import { criteriaLimitFault } from '../verdict';
import type { RunDraft } from './run-draft';
import { stepTurn, stopTurn, promptTargetOf } from './turn-step';

/** Applies an event to the steps that are taken up. Does not take up new ones. */
export function stepExecuting(draft: RunDraft, stage: Executing, record: EventRecord): Executing {
  const steps = stage.steps.flatMap((step) => moveStep(draft, step, record) ?? []);
  const { event } = record;
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
export function startMore(draft: RunDraft, stage: Executing, snapshot: PlanSnapshot): Executing {
  const isActive = ({ doing: { kind } }: Step): boolean => kind !== 'held' && kind !== 'approval';
  const taken = new Set(stage.steps.map(({ task }) => task));
  const locked = stage.steps.some(
    ({ doing }) => doing.kind === 'held' && doing.why === 'no_access',
  );
  const { parallel } = draft.run.wish.limits;
  let free = locked ? 0 : parallel - stage.steps.filter(isActive).length;
  let { naming } = stage;
  const steps = [...stage.steps];
  for (const task of free > 0 ? startableTasks(snapshot, taken) : []) {
    if (free <= 0) break;
    free -= 1;
    if (task.id !== null) {
      const step = startStep(draft, task.id, task);
      steps.push(step);
      if (!isActive(step)) free += 1;
    } else if (naming === null && stage.unnamed === null) {
      naming = { key: draft.nextKey(), line: task.line, title: task.title };
    }
  }
  return { ...stage, steps, naming };
}

/**
 * Applies an event to one step: first the person's action, then the board's changes, then the
 * answer to a request. Returns null if the step is over. A change of the board may be noticed at
 * any event, and does not suppress that event.
 */
function moveStep(draft: RunDraft, step: Step, { event, plan }: EventRecord): Step | null {
  const told = applyAction(draft, step, event, plan);
  if (told !== undefined) return told;
  const seen = applyBoard(draft, step, event, plan);
  return seen === null ? null : applyAnswer(draft, seen ?? step, event, plan);
}

function applyAnswer(
  draft: RunDraft,
  step: Step,
  event: RunEvent,
  snapshot: PlanSnapshot,
): Step | null {
  const { doing } = step;
  if ('turn' in doing) {
    const turn = stepTurn(doing.turn, event, draft.run.at);
    if (turn.kind !== 'over') return { ...step, doing: { ...doing, turn } };
    return doing.kind === 'work'
      ? handleWorkEnd(draft, step, turn, snapshot)
      : handleCheckEnd(draft, step, doing.again, turn, snapshot);
  }
  if (!('key' in doing) || !('key' in event) || event.key !== doing.key) return step;
  if (event.type === 'done') {
    if (doing.kind === 'writing') return afterWrite(draft, step, doing.write, snapshot);
    draft.addStepEntry(
      'checkpoint',
      step,
      '',
      event.n === undefined ? {} : { checkpoint: event.n },
    );
    return startWrite(draft, step, { kind: 'begin' });
  }
  if (event.type !== 'refused') return step;
  // The task is done; only the line with its result is missing.
  if (doing.kind === 'writing' && doing.write.kind === 'result') {
    return finishUnlessReopened(draft, step, snapshot);
  }
  const what = doing.kind === 'saving' ? 'No checkpoint' : 'The board was not written';
  return suspendStep(step, 'refused', `${what}: ${event.message}`);
}

function afterWrite(
  draft: RunDraft,
  step: Step,
  write: TaskWrite,
  snapshot: PlanSnapshot,
): Step | null {
  switch (write.kind) {
    case 'begin':
    case 'reopen':
      return startWork(draft, step);
    case 'fail':
      draft.addStepEntry('failed', step, write.reason, draft.attemptDetails(step));
      return suspendStep(step, 'failed', write.reason);
    case 'cancelled':
    case 'deferred':
      draft.addStepEntry('person', step, `${write.kind}: ${write.reason}`);
      return null;
    case 'complete':
      if (isReopened(step, snapshot)) return null;
      draft.addStepEntry('person', step, 'marked done');
      return storeResult(draft, step);
    case 'result':
      return finishUnlessReopened(draft, step, snapshot);
  }
}

/** A task that was reopened while its result was written is left to the board. */
function finishUnlessReopened(draft: RunDraft, step: Step, snapshot: PlanSnapshot): null {
  return isReopened(step, snapshot) ? null : finishStep(draft, step);
}

function isReopened(step: Step, snapshot: PlanSnapshot): boolean {
  const task = taskOf(snapshot, step);
  return task !== undefined && task.status !== 'completed';
}

/**
 * Applies the board to a step: a change of its task by the person counts as their decision, even
 * during a write. Returns undefined if the step is unaffected, null if it is over.
 */
function applyBoard(
  draft: RunDraft,
  step: Step,
  event: RunEvent,
  snapshot: PlanSnapshot,
): Step | null | undefined {
  const { doing } = step;
  if (snapshot.kind !== 'plan') return undefined;
  const task = taskOf(snapshot, step);
  const isPersonsChange = event.type === 'board' && event.byPerson.includes(step.task);
  const endByBoard = () => (task?.status === 'completed' ? storeResult(draft, step) : null);
  switch (doing.kind) {
    case 'saving':
      return task?.status === 'pending' || task?.status === 'in_progress' ? undefined : null;
    case 'writing':
      // A result is written to a task that is already completed.
      return isPersonsChange && doing.write.kind !== 'result' ? endByBoard() : undefined;
    case 'work':
    case 'check': {
      if (task !== undefined && !isPersonsChange) return undefined;
      const cause = causeOf(task, doing.turn);
      return cause && stopStep(draft, step, cause, snapshot);
    }
    case 'approval': {
      if (task?.status !== 'in_progress') return endByBoard();
      const missed = task.sentBack?.slice(doing.sentBack ?? 0).at(-1);
      return missed === undefined ? undefined : retryStep(draft, step, snapshot, missed);
    }
    case 'held':
      if (task === undefined) return null;
      return isPersonsChange ? endByBoard() : undefined;
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
function applyAction(
  draft: RunDraft,
  step: Step,
  event: RunEvent,
  snapshot: PlanSnapshot,
): Step | null | undefined {
  if (!('task' in event) || (event.task !== step.task && event.task !== null)) return undefined;
  switch (event.type) {
    case 'interrupt':
      return stopStep(draft, step, { kind: 'person' }, snapshot);
    case 'skip':
      return stopStep(
        draft,
        step,
        { kind: 'skip', how: event.how, reason: event.reason },
        snapshot,
      );
    case 'mark_done':
      return stopStep(draft, step, { kind: 'done' }, snapshot);
    case 'retry':
      return retryStep(draft, step, snapshot);
  }
}

/** Stops a step. A running turn is stopped first; a turn that has not begun is dropped. */
function stopStep(
  draft: RunDraft,
  step: Step,
  cause: StopCause,
  snapshot: PlanSnapshot,
): Step | null | undefined {
  const { doing } = step;
  if ('turn' in doing) {
    const turn = stopTurn(doing.turn, cause, draft);
    if (turn !== undefined) return { ...step, doing: { ...doing, turn } };
    const worker = doing.kind === 'work' ? promptTargetOf(doing.turn) : step.worker;
    return afterStop(draft, { ...step, worker }, cause, taskOf(snapshot, step));
  }
  // The latest action wins, but the result of a finished task is still written.
  const isResult = doing.kind === 'writing' && doing.write.kind === 'result';
  return cause.kind === 'person' || isResult
    ? undefined
    : afterStop(draft, step, cause, taskOf(snapshot, step));
}

/**
 * Starts a step over with all its attempts, the message of what went wrong, and the agent that the
 * board names now.
 * @param missed what the person missed, if they sent the task back
 */
function retryStep(
  draft: RunDraft,
  step: Step,
  snapshot: PlanSnapshot,
  missed?: string,
): Step | undefined {
  const { doing } = step;
  if (doing.kind !== 'held' && doing.kind !== 'approval') return undefined;
  const task = taskOf(snapshot, step);
  const fault = criteriaLimitFault(task?.success ?? []);
  if (fault !== undefined) return suspendStep(step, 'refused', fault);
  // An existing session keeps its agent.
  const agent = step.worker === null && task !== undefined ? agentOf(task.owner) : step.agent;
  const again = missed ?? 'The person wants it done again.';
  const wrong = doing.kind === 'held' ? doing.message : again;
  draft.addStepEntry('person', step, missed === undefined ? 'tried again' : `sent back: ${missed}`);
  return startWrite(draft, { ...step, agent, attempt: 1, wrong }, { kind: 'reopen' });
}
