import type { RunEvent } from '../event';
import type { PlanLook, PlannedTask } from '../plan-look';
import type { Run } from '../state';
import type { Step } from '../task-step';
import type { StopCause, Turn } from '../turn';
import { stopped } from './by-person';
import { dropped, finish, taskOf, type Moved } from './step-moves';

/**
 * What the board makes of a step: what the person did to its task there counts as their word, also
 * over a write that is under way. Undefined where the step goes on.
 */
export function byBoard(run: Run, step: Step, event: RunEvent, look: PlanLook): Moved | undefined {
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
