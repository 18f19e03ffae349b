import { boardFacts } from '../../src/core/board/facts';
import type { Board } from '../../src/core/board/task';
import type { BoardLine } from './result';

/** The boards for the result. @param titles session id → title, in the order of the script */
export function boardLines(
  boards: readonly Board[],
  titles: ReadonlyMap<string, string>,
): readonly BoardLine[] {
  const order = [...titles.keys()];
  const place = (board: Board): number => {
    const at = order.indexOf(board.session);
    return at < 0 ? order.length : at;
  };
  return [...boards]
    .sort((a, b) => place(a) - place(b) || (a.path < b.path ? -1 : 1))
    .map((board) => boardLine(board, titles.get(board.session) ?? null));
}

function boardLine(board: Board, sessionTitle: string | null): BoardLine {
  const facts = boardFacts(board);
  const { path, session, agent, title } = board;
  const tasks = board.tasks.map((task) => ({
    id: task.id,
    title: task.title,
    status: task.status,
    blockedBy: facts.get(task.key)?.blockedBy ?? [],
    depth: task.depth,
  }));
  return { path, session, sessionTitle, agent, title, tasks };
}
