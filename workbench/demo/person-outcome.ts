import type { Task } from '../../src/core/board/task';
import type { PersonAction } from './script';
import { parseStatus } from './status-label';

type OutcomeCheck = (now: readonly Task[]) => boolean;

/** The status after a click on a task's mark: a second click reverts the first one. */
export function statusAfterTick({ status }: Task): Task['status'] {
  return status === 'completed' || status === 'cancelled' ? 'pending' : 'completed';
}

/** A title as an input of the sidebar submits it. */
export function submittedTitle(title: string): string {
  return title.trim();
}

/**
 * Returns a check for the note after the action, which tells a gesture that worked from one that
 * was lost.
 * @param before the session's tasks before the action
 */
export function outcomeCheck(
  action: Exclude<PersonAction, { do: 'edit' }>,
  task: Task | undefined,
  before: readonly Task[],
): OutcomeCheck {
  const same = (one: Task): boolean =>
    task !== undefined && (task.id === null ? one.line === task.line : one.id === task.id);
  switch (action.do) {
    case 'tick':
      return (now) => now.some((one) => same(one) && task && one.status === statusAfterTick(task));
    case 'status':
      return (now) => now.some((one) => same(one) && one.status === parseStatus(action.value));
    case 'rename':
      return (now) => now.some((one) => same(one) && one.title === submittedTitle(action.value));
    case 'add': {
      const title = submittedTitle(action.value ?? action.task);
      const count = (tasks: readonly Task[]): number =>
        tasks.filter((one) => one.title === title).length;
      return (now) => count(now) > count(before);
    }
  }
}
