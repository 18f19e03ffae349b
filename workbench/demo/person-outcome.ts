import type { Task } from '../../src/core/board/task';
import type { PersonAction } from './script';
import { statusOf } from './status-word';

type Outcome = (now: readonly Task[]) => boolean;

/** The status after a click on a task's mark: a second click reverts the first one. */
export function ticked({ status }: Task): Task['status'] {
  return status === 'completed' || status === 'cancelled' ? 'pending' : 'completed';
}

/** A title as an input of the sidebar submits it. */
export function typed(title: string): string {
  return title.trim();
}

/**
 * Returns a check for the note after the action, which tells a gesture that worked from one that
 * was lost.
 * @param before the session's tasks before the action
 */
export function outcome(
  action: Exclude<PersonAction, { do: 'edit' }>,
  task: Task | undefined,
  before: readonly Task[],
): Outcome {
  const same = (one: Task): boolean =>
    task !== undefined && (task.id === null ? one.line === task.line : one.id === task.id);
  switch (action.do) {
    case 'tick':
      return (now) => now.some((one) => same(one) && task && one.status === ticked(task));
    case 'status':
      return (now) => now.some((one) => same(one) && one.status === statusOf(action.value));
    case 'rename':
      return (now) => now.some((one) => same(one) && one.title === typed(action.value));
    case 'add': {
      const title = typed(action.value ?? action.task);
      const count = (tasks: readonly Task[]): number =>
        tasks.filter((one) => one.title === title).length;
      return (now) => count(now) > count(before);
    }
  }
}
