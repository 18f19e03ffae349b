import type { TaskChange } from '../digest';
import { boardFacts, progress, type TaskFacts } from '../facts';
import { nameOf, shortened, withTitle } from '../operation/find-task';
import type { Board, Task } from '../task';
import { changeLines } from './change-lines';
import { byteLength } from './text-budget';

/** Lines per group: four groups with their heads and the two lines around stay under 40. */
const MOST = 6;

/**
 * UTF-8 bytes of the whole text, however large the board and whatever its titles are made of. No
 * token of a byte-level vocabulary (o200k_base) is shorter than a byte, so it costs a request at most
 * as many tokens; in English it is about a quarter.
 */
const MOST_BYTES = 4_096;

/**
 * What an agent must not forget of its board, for each prompt and for compaction: what runs, what is
 * ready, what failed, what a person changed. At most 40 lines and 4,096 bytes.
 * @param own where the board is another session's: the only task that may be changed
 */
export function boardSummaryText(
  board: Board,
  changes: readonly TaskChange[],
  own?: Task | 'none',
): string {
  const head = `Your task board "${shortened(board.title, 100)}" (board of ${board.agent})`;
  if (board.broken !== null) {
    const why = shortened(board.broken.reason, 500);
    return `${head} can't be read: ${why} The person has to repair it.`;
  }
  const facts = boardFacts(board);
  for (let most = MOST; most > 0; most--) {
    const text = [
      `${head}: ${counted(board)}.`,
      ...group('In progress', board.tasks, ({ status }) => status === 'in_progress', most),
      ...group('Ready to start', board.tasks, (task) => isReady(task, facts), most),
      ...group('Failed', board.tasks, ({ status }) => status === 'failed', most),
      ...waiting(board, facts),
      ...(changes.length === 0 ? [] : ['Changed by the person since you last looked:']),
      ...changeLines(changes, most),
      ending(own),
    ].join('\n');
    if (byteLength(text) <= MOST_BYTES) return text;
  }
  return `${head}: ${counted(board)}. ${ending(own)}`;
}

function counted(board: Board): string {
  const { done, total } = progress(board);
  return total === 0 ? 'no tasks yet' : `${done} of ${total} done`;
}

function waiting(board: Board, facts: ReadonlyMap<string, TaskFacts>): readonly string[] {
  const { length } = board.tasks.filter(
    ({ key, status }) => status === 'pending' && facts.get(key)?.blocked === true,
  );
  return length === 0 ? [] : [`Waiting for others: ${length}.`];
}

function ending(own: Task | 'none' | undefined): string {
  const all = '{"type": "list"} shows all of it.';
  if (own === undefined) return `Keep it up to date with the tool \`tasks\`; ${all}`;
  if (own === 'none') return `You may read it with the tool \`tasks\`; ${all}`;
  const mine = `You were started for ${withTitle(own)}: keep it up to date with the tool \`tasks\``;
  return `${mine}, and change nothing but ${nameOf(own)}; ${all}`;
}

function isReady({ key }: Task, facts: ReadonlyMap<string, TaskFacts>): boolean {
  return facts.get(key)?.ready === true;
}

function group(
  name: string,
  tasks: readonly Task[],
  fits: (task: Task) => boolean,
  most: number,
): readonly string[] {
  const found = tasks.filter(fits);
  if (found.length === 0) return [];
  const more = found.length > most ? [`- and ${found.length - most} more`] : [];
  return [`${name}:`, ...found.slice(0, most).map((task) => `- ${withTitle(task)}`), ...more];
}
