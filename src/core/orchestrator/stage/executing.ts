import { choose, type PlanLook, type PlannedTask } from '../plan-look';
import type { Happening, RunEvent } from '../event';
import { endsTurns, type LimitName } from '../limits';
import type { Executing, Run, Step, StopCause, Turn } from '../state';
import {
  afterStop,
  agentOf,
  attemptOf,
  checkOver,
  dropped,
  finish,
  finished,
  noteStep,
  suspended,
  takeUp,
  taskOf,
  withKey,
  work,
  workOver,
  writing,
  type Moved,
} from './step-moves';
import { sendTurn, stepTurn, stopTurn } from './turn-step';
import { tooManyCriteria } from '../verdict';

interface Done {
  readonly run: Run;
  readonly stage: Executing;
}

/** What an event makes of the steps that are taken up. None is taken up here. */
export function stepExecuting(run: Run, stage: Executing, happening: Happening): Done {
  let now = run;
  const steps: Step[] = [];
  for (const step of stage.steps) {
    const moved = moveStep(now, step, happening);
    now = moved.run;
    if (moved.step !== undefined) steps.push(moved.step);
  }
  return { run: now, stage: { kind: 'executing', steps, ...stepNaming(stage, happening) } };
}

function stepNaming(
  { naming, unnamed }: Executing,
  { event }: Happening,
): Pick<Executing, 'naming' | 'unnamed'> {
  if (event.type === 'board' || event.type === 'resume') return { naming, unnamed: null };
  if (event.type !== 'done' && event.type !== 'refused') return { naming, unnamed };
  if (event.key !== naming?.key) return { naming, unnamed };
  return { naming: null, unnamed: event.type === 'refused' ? event.message : null };
}

/** Turns that run beyond a limit on what they use are stopped. */
export function stopAtLimit(run: Run, stage: Executing, limit: LimitName | undefined): Done {
  if (!endsTurns(limit)) return { run, stage };
  let now = run;
  const steps = stage.steps.map((step): Step => {
    const { doing } = step;
    if (doing.kind !== 'work' && doing.kind !== 'check') return step;
    if (doing.turn.kind === 'working' && doing.turn.stop !== null) return step;
    const stop = stopTurn(doing.turn, { kind: 'limit' }, now);
    if (stop === undefined) return step;
    now = stop.run;
    return { ...step, doing: { ...doing, turn: stop.turn } };
  });
  return { run: now, stage: { ...stage, steps } };
}

/** Sends what is due, as far as the limit of turns allows, and takes up what can be started. */
export function advance(
  run: Run,
  stage: Executing,
  look: PlanLook,
  limitOf: (run: Run) => LimitName | 'offline' | undefined,
): Done {
  let now = run;
  const steps = stage.steps.map((step): Step => {
    const { doing } = step;
    if (doing.kind !== 'work' && doing.kind !== 'check') return step;
    const { turn } = doing;
    if (turn.kind !== 'due' || turn.from > now.at || limitOf(now) !== undefined) return step;
    const sent = sendTurn(turn, now);
    now = sent.run;
    return { ...step, doing: { ...doing, turn: sent.turn } };
  });
  return limitOf(now) === undefined
    ? startMore(now, { ...stage, steps }, look)
    : { run: now, stage: { ...stage, steps } };
}

/** Steps that wait for the person leave their place to others. */
function startMore(run: Run, stage: Executing, look: PlanLook): Done {
  const active = stage.steps.filter(
    ({ doing }) => doing.kind !== 'held' && doing.kind !== 'approval',
  );
  const taken = new Set(stage.steps.map(({ task }) => task));
  let free = run.wish.limits.parallel - active.length;
  let now = run;
  let { naming } = stage;
  const steps = [...stage.steps];
  for (const task of free > 0 ? choose(look, taken) : []) {
    if (free <= 0) break;
    free -= 1;
    if (hasId(task)) {
      const { run: next, step } = takeUp(now, task);
      now = next;
      steps.push(step);
      if (step.doing.kind === 'held') free += 1;
    } else if (naming === null && stage.unnamed === null) {
      const { run: next, key } = withKey(now);
      now = next;
      naming = { key, line: task.line, title: task.title };
    }
  }
  return { run: now, stage: { ...stage, steps, naming } };
}

function hasId(task: PlannedTask): task is PlannedTask & { id: string } {
  return task.id !== null;
}

/**
 * What an event makes of one step: the person's word first, then the board's, then what was asked
 * for. What the board says may be seen at any event, which itself is not lost by that.
 */
function moveStep(run: Run, step: Step, { event, plan }: Happening): Moved {
  const told = byPerson(run, step, event, plan);
  if (told !== undefined) return told;
  const seen = byBoard(run, step, event, plan) ?? { run, step };
  return seen.step === undefined ? seen : byAnswer(seen.run, seen.step, event, plan);
}

function byAnswer(run: Run, step: Step, event: RunEvent, look: PlanLook): Moved {
  const { doing } = step;
  switch (doing.kind) {
    case 'saving':
      return answerTo(doing.key, event, {
        done: (n) => {
          const about = n === undefined ? {} : { checkpoint: n };
          return writing(noteStep(run, 'checkpoint', step, '', about), step, { kind: 'begin' });
        },
        refused: (message) => suspended(run, step, 'refused', `No checkpoint: ${message}`),
        else: () => ({ run, step }),
      });
    case 'writing':
      return answerTo(doing.key, event, {
        done: () => written(run, step, doing.write, look),
        // The task is done: only the line that says what came of it is missing.
        refused: (message) =>
          doing.write.kind === 'result'
            ? unlessReopened(run, step, look)
            : suspended(run, step, 'refused', `The board was not written: ${message}`),
        else: () => ({ run, step }),
      });
    case 'work': {
      const next = stepTurn(doing.turn, event, run.at);
      if (next.kind === 'over') return workOver(run, step, next.result, next.rest, look);
      return { run, step: { ...step, doing: { kind: 'work', turn: next.turn } } };
    }
    case 'check': {
      const next = stepTurn(doing.turn, event, run.at);
      if (next.kind === 'over') {
        return checkOver(run, step, doing.again, next.result, next.rest, look);
      }
      return { run, step: { ...step, doing: { ...doing, turn: next.turn } } };
    }
    case 'approval':
    case 'held':
      return { run, step };
  }
}

function answerTo(
  key: string,
  event: RunEvent,
  to: {
    done: (n: number | undefined) => Moved;
    refused: (message: string) => Moved;
    else: () => Moved;
  },
): Moved {
  if (event.type === 'done' && event.key === key) return to.done(event.n);
  if (event.type === 'refused' && event.key === key) return to.refused(event.message);
  return to.else();
}

function written(
  run: Run,
  step: Step,
  write: Extract<Step['doing'], { kind: 'writing' }>['write'],
  look: PlanLook,
): Moved {
  switch (write.kind) {
    case 'begin':
    case 'reopen':
      return work(run, step);
    case 'fail': {
      const noted = noteStep(run, 'failed', step, write.reason, attemptOf(run, step));
      return suspended(noted, step, 'failed', write.reason);
    }
    case 'cancelled':
    case 'deferred':
      return dropped(noteStep(run, 'person', step, `${write.kind}: ${write.reason}`));
    case 'complete': {
      const task = taskOf(look, step);
      return task === undefined || task.status === 'completed'
        ? finish(noteStep(run, 'person', step, 'marked done'), step)
        : dropped(run);
    }
    case 'result':
      return unlessReopened(run, step, look);
  }
}

/** What is not done any more when its result stands was opened again meanwhile: it is the board's. */
function unlessReopened(run: Run, step: Step, look: PlanLook): Moved {
  const task = taskOf(look, step);
  return task === undefined || task.status === 'completed' ? finished(run, step) : dropped(run);
}

/**
 * What the board makes of a step: what the person did to its task there counts as their word, also
 * over a write that is under way. Undefined where the step goes on.
 */
function byBoard(run: Run, step: Step, event: RunEvent, look: PlanLook): Moved | undefined {
  const { doing } = step;
  if (look.kind !== 'plan') return undefined;
  const task = taskOf(look, step);
  const theirs = event.type === 'board' && event.byPerson.includes(step.task);
  switch (doing.kind) {
    case 'saving':
      return task === undefined || isOver(task) ? dropped(run) : undefined;
    case 'writing':
      // What came of a task is written to one that is done.
      return theirs && doing.write.kind !== 'result' ? asItStands(run, step, task) : undefined;
    case 'work':
    case 'check': {
      if (task !== undefined && !theirs) return undefined;
      const cause = causeOf(task, doing.turn);
      return cause === undefined ? undefined : stopped(run, step, cause, look);
    }
    case 'approval':
      if (task?.status === 'completed') return finish(run, step);
      return task?.status === 'in_progress' ? undefined : dropped(run);
    case 'held':
      if (task === undefined) return dropped(run);
      return theirs ? asItStands(run, step, task) : undefined;
  }
}

function asItStands(run: Run, step: Step, task: PlannedTask | undefined): Moved {
  return task?.status === 'completed' ? finish(run, step) : dropped(run);
}

function isOver({ status }: PlannedTask): boolean {
  return status !== 'pending' && status !== 'in_progress';
}

/** Why a turn is stopped by what the person did to its task; their last word counts. */
function causeOf(task: PlannedTask | undefined, turn: Turn): StopCause | undefined {
  if (task?.status === 'completed') return { kind: 'done' };
  if (task?.status !== 'in_progress') return { kind: 'gone' };
  const before = turn.kind === 'working' ? turn.stop?.cause.kind : undefined;
  return before === 'done' || before === 'skip' ? { kind: 'gone' } : undefined;
}

/** What the person's word makes of a step; undefined where it is none, or not about this one. */
function byPerson(run: Run, step: Step, event: RunEvent, look: PlanLook): Moved | undefined {
  if (!('task' in event) || (event.task !== step.task && event.task !== null)) return undefined;
  switch (event.type) {
    case 'interrupt':
      return stopped(run, step, { kind: 'person' }, look);
    case 'skip':
      return stopped(run, step, { kind: 'skip', how: event.how, reason: event.reason }, look);
    case 'mark_done':
      return stopped(run, step, { kind: 'done' }, look);
    case 'retry':
      return retried(run, step, look);
  }
}

/** A turn that runs is stopped first; what is about to be done is left. */
function stopped(run: Run, step: Step, cause: StopCause, look: PlanLook): Moved | undefined {
  const { doing } = step;
  const task = taskOf(look, step);
  switch (doing.kind) {
    case 'saving':
      return cause.kind === 'person' ? undefined : afterStop(run, step, cause, task);
    case 'writing':
      // The last word counts, but what came of a finished task is written.
      return cause.kind === 'person' || doing.write.kind === 'result'
        ? undefined
        : afterStop(run, step, cause, task);
    case 'work':
    case 'check': {
      const stop = stopTurn(doing.turn, cause, run);
      if (stop !== undefined) {
        return { run: stop.run, step: { ...step, doing: { ...doing, turn: stop.turn } } };
      }
      const worker = doing.kind === 'work' ? talkOf(doing.turn) : step.worker;
      return afterStop(run, { ...step, worker }, cause, task);
    }
    case 'approval':
    case 'held':
      return cause.kind === 'person' ? undefined : afterStop(run, step, cause, task);
  }
}

function talkOf(turn: Turn): Step['worker'] {
  return turn.kind === 'due' ? { session: turn.session, last: turn.last } : null;
}

/** As many attempts as at first, with what went wrong, by the agent that the board names now. */
function retried(run: Run, step: Step, look: PlanLook): Moved | undefined {
  const { doing } = step;
  if (doing.kind !== 'held' && doing.kind !== 'approval') return undefined;
  const task = taskOf(look, step);
  const many = tooManyCriteria(task?.success ?? []);
  if (many !== undefined) return suspended(run, step, 'refused', many);
  // A session that is there goes on with the agent that it has.
  const agent = step.worker === null && task !== undefined ? agentOf(task.owner) : step.agent;
  const wrong = doing.kind === 'held' ? doing.message : 'The person wants it done again.';
  const noted = noteStep(run, 'person', step, 'tried again');
  return writing(noted, { ...step, agent, attempt: 1, wrong }, { kind: 'reopen' });
}
