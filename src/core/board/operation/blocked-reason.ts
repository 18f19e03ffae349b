import type { TaskFacts } from '../facts';
import type { Board, Task } from '../task';
import { nameOf, withTitle } from './find-task';

/** Why a task is blocked: what it or one above it waits for, or that one above it failed or was put off. */
export function blockedReason(
  { tasks }: Pick<Board, 'tasks'>,
  task: Task,
  facts: ReadonlyMap<string, TaskFacts>,
): string {
  const byKey = new Map(tasks.map((one) => [one.key, one]));
  for (let at: Task | undefined = task; at !== undefined;) {
    const waits = facts.get(at.key)?.blockedBy ?? [];
    const who = at === task ? 'it' : `${withTitle(at)} above it`;
    if (waits.length > 0)
      return `${who} waits for ${waits
        .slice(0, 6)
        .map((id) => stateOf(byKey.get(id), id))
        .join(', ')}${waits.length > 6 ? ` and ${waits.length - 6} more` : ''}`;
    at = at.parent === null ? undefined : byKey.get(at.parent);
    if (at?.status === 'failed' || at?.status === 'deferred') {
      return `${withTitle(at)} above it is ${at.status}`;
    }
  }
  return 'it is blocked';
}

function stateOf(task: Task | undefined, id: string): string {
  return task === undefined ? `${id}, which is not here` : `${nameOf(task)} (${task.status})`;
}
