import type { RunEvent } from '../event';
import type { PlanLook, PlannedTask } from '../plan-look';
import type { Run } from '../state';
import type { Step } from '../task-step';
import { stopped } from './by-person';
import { dropped, finish, type Moved } from './step-moves';

/**
 * What the board makes of a step: what the person did to its task there counts as their word.
 * Undefined where the step goes on. A step that writes does not look: it changes the board itself.
 */
export function byBoard(run: Run, step: Step, event: RunEvent, look: PlanLook): Moved | undefined {
  const { doing } = step;
  if (look.kind !== 'plan' || doing.kind === 'writing') return undefined;
  const task = look.tasks.find(({ id }) => id === step.task);
  switch (doing.kind) {
    case 'saving':
      return task === undefined || isOver(task) ? dropped(run) : undefined;
    case 'work':
    case 'check': {
      if (stopAsked(step)) return undefined;
      const theirs = event.type === 'board' && event.byPerson.includes(step.task);
      const gone = task === undefined || (theirs && isOver(task));
      return gone ? stopped(run, step, { kind: 'gone' }, look) : undefined;
    }
    case 'approval':
      if (task?.status === 'completed') return finish(run, step);
      return task?.status === 'in_progress' ? undefined : dropped(run);
    case 'held': {
      const theirs = event.type === 'board' && event.byPerson.includes(step.task);
      if (task === undefined) return dropped(run);
      if (!theirs) return undefined;
      return task.status === 'completed' ? finish(run, step) : dropped(run);
    }
  }
}

function isOver({ status }: PlannedTask): boolean {
  return status !== 'pending' && status !== 'in_progress';
}

function stopAsked({ doing }: Step): boolean {
  const turn = doing.kind === 'work' || doing.kind === 'check' ? doing.turn : undefined;
  return turn?.kind === 'working' && turn.stop !== null;
}
