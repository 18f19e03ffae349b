import type { TaskFacts } from '../facts';
import type { Board } from '../task';
import { nameOf } from './find-task';

/** What can be started where a task can't: at most five names, in a sentence; nothing where there is none. */
export function readyInstead(
  { tasks }: Pick<Board, 'tasks'>,
  facts: ReadonlyMap<string, TaskFacts>,
): string {
  const ready = tasks.filter(({ key }) => facts.get(key)?.ready === true);
  return ready.length === 0 ? '' : ` Ready now: ${ready.slice(0, 5).map(nameOf).join(', ')}.`;
}
