import { cycles } from '../graph/cycles';
import { nodeOrder } from '../graph/node-order';
import { planGraph } from '../graph/plan-graph';
import { nameOf, quoted, withTitle } from '../operation/find-task';
import type { Board, Task } from '../task';
import type { Finding } from './finding';

/** What one board has that a person should look at; `archive` holds its tasks that were put away. */
export function boardFindings(board: Board, archive: Board | undefined): readonly Finding[] {
  const { path, broken, tasks } = board;
  if (broken !== null) {
    const text = `This note is read-only until it is repaired. ${broken.reason}`;
    return [{ kind: 'broken-note', path, line: broken.line, text }];
  }
  const doubles = tasks.filter(isDuplicate);
  const elsewhere = new Set(doubles.map(({ line }) => line));
  return [
    ...doubles.map((task) => duplicate(path, task)),
    // A duplicate's line may say two things as well; renumbering it settles that too.
    ...board.problems
      .filter(({ line }) => !elsewhere.has(line))
      .map(({ line, reason }): Finding => ({ kind: 'unclear-line', path, line, text: reason })),
    ...unknownIds(board, archive),
    ...knots(board),
    ...archivedTwice(board, archive),
  ];
}

/** The first of two tasks with one id has it as its key, the other its place. */
function isDuplicate({ id, key }: Task): boolean {
  return id !== null && key !== id;
}

function duplicate(path: string, { id, n, line, title, malformed }: Task): Finding {
  const name = nameOf({ id, n, title });
  const text = `Two tasks are ${name}. Give the second, ${quoted(title)}, a new number.`;
  const finding: Finding = { kind: 'duplicate-id', path, line, text };
  if (malformed !== null) return finding;
  return { ...finding, fix: { type: 'renumber', target: { id, line, title } } };
}

/** One finding per task. What stands in the archive is known. */
function unknownIds(
  { path, tasks, archived }: Board,
  archive: Board | undefined,
): readonly Finding[] {
  const known = new Set([...tasks, ...(archive?.tasks ?? [])].map(({ id }) => id));
  return tasks.flatMap((task): readonly Finding[] => {
    const missing = task.dependsOn.filter((id) => !known.has(id) && archived?.has(id) !== true);
    if (missing.length === 0) return [];
    const what = missing.length === 1 ? 'which is no task' : 'which are no tasks';
    const text = `${withTitle(task)} waits for ${missing.join(', ')}, ${what} of this board. Take it away behind ⛔, or correct it.`;
    return [{ kind: 'unknown-id', path, line: task.line, text }];
  });
}

function knots({ path, tasks }: Board): readonly Finding[] {
  const graph = planGraph(tasks);
  return cycles(graph, nodeOrder(graph)).map((way): Finding => {
    const round = way.flatMap((at) => tasks[at] ?? []);
    const text = `These tasks wait for each other: ${round.map(nameOf).join(' → ')}. Take away one ⛔.`;
    return { kind: 'cycle', path, line: round[0]?.line ?? 0, text };
  });
}

function archivedTwice({ path, tasks }: Board, archive: Board | undefined): readonly Finding[] {
  if (archive === undefined) return [];
  const away = new Set(archive.tasks.map(({ id }) => id));
  return tasks
    .filter(({ id }) => id !== null && away.has(id))
    .map((task): Finding => {
      const text = `${withTitle(task)} stands on the board and in its archive. The board's counts; the next archive or restore takes the other away.`;
      return { kind: 'archived-twice', path, line: task.line, text };
    });
}
