import type { RunEvent } from '../event';
import type { PlanLook } from '../plan-look';
import type { Run } from '../state';
import type { Step } from '../task-step';
import type { StopCause, Turn } from '../turn';
import { tooManyCriteria } from '../verdict';
import { noteStep } from './note';
import { afterStop, agentOf, held, taskOf, writing, type Moved } from './step-moves';
import { stopTurn } from './turn-step';

/** What the person's word makes of a step; undefined where it is none, or not about this one. */
export function byPerson(run: Run, step: Step, event: RunEvent, look: PlanLook): Moved | undefined {
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
export function stopped(run: Run, step: Step, cause: StopCause, look: PlanLook): Moved | undefined {
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
  if (many !== undefined) return held(run, step, 'refused', many);
  // A session that is there goes on with the agent that it has.
  const agent = step.worker === null && task !== undefined ? agentOf(task.owner) : step.agent;
  const wrong = doing.kind === 'held' ? doing.message : 'The person wants it done again.';
  const noted = noteStep(run, 'person', step, 'tried again');
  return writing(noted, { ...step, agent, attempt: 1, wrong }, { kind: 'reopen' });
}
