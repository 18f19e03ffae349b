import type { TaskChange } from '../digest';
import { boardFacts, progress, type TaskFacts } from '../facts';
import { shortened, withTitle } from '../operation/find-task';
import type { Board, Task } from '../task';
import { changeLines } from './change-lines';

/** Lines per group: four groups with their heads and the two lines around stay under 40. */
const MOST = 6;

/**
 * What an agent must not forget of its board, for each prompt and for compaction: what runs, what is
 * ready, what failed, what a person changed. At most 40 lines.
 */
export function boardSummaryText(board: Board, changes: readonly TaskChange[]): string {
  const head = `Your task board "${shortened(board.title, 100)}" (board of ${board.agent})`;
  if (board.broken !== null) {
    return `${head} can't be read: ${board.broken.reason} The person has to repair it.`;
  }
  const { done, total } = progress(board);
  const facts = boardFacts(board);
  const waiting = board.tasks.filter(
    ({ key, status }) => status === 'pending' && facts.get(key)?.blocked === true,
  );
  return [
    `${head}: ${total === 0 ? 'no tasks yet' : `${done} of ${total} done`}.`,
    ...group('In progress', board.tasks, ({ status }) => status === 'in_progress'),
    ...group('Ready to start', board.tasks, (task) => isReady(task, facts)),
    ...group('Failed', board.tasks, ({ status }) => status === 'failed'),
    ...(waiting.length === 0 ? [] : [`Waiting for others: ${waiting.length}.`]),
    ...(changes.length === 0 ? [] : ['Changed by the person since you last looked:']),
    ...changeLines(changes, MOST),
    'Keep it up to date with the tool `tasks`; {"type": "list"} shows all of it.',
  ].join('\n');
}

function isReady({ key }: Task, facts: ReadonlyMap<string, TaskFacts>): boolean {
  return facts.get(key)?.ready === true;
}

function group(
  name: string,
  tasks: readonly Task[],
  fits: (task: Task) => boolean,
): readonly string[] {
  const found = tasks.filter(fits);
  if (found.length === 0) return [];
  const more = found.length > MOST ? [`- and ${found.length - MOST} more`] : [];
  return [`${name}:`, ...found.slice(0, MOST).map((task) => `- ${withTitle(task)}`), ...more];
}
