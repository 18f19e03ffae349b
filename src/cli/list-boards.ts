import { boardJson } from '../core/board/answer/task-json';
import { boardLines } from '../core/board/answer/board-lines';
import { progress } from '../core/board/facts';
import type { TodoManager } from '../core/board/todo-manager';
import type { Board } from '../core/board/task';
import { printed, type Exit } from './exit';
import type { Options } from './options';

const UNBOUNDED = { lines: Infinity, bytes: Infinity };

/** `agent-boards list`: the boards of a session, or of all. */
export async function listBoards(manager: TodoManager, options: Options): Promise<Exit> {
  const boards = await chosenBoards(manager, options);
  const code = boards.some(({ broken }) => broken !== null) ? 3 : 0;
  if (options.json) return printed(code, JSON.stringify({ boards: boards.map(boardJson) }));
  return printed(code, boards.length === 0 ? 'No boards.' : boards.map(shown).join('\n\n'));
}

/** The boards of the session and the agent that are named, of all where none is. */
export async function chosenBoards(
  manager: TodoManager,
  { session, agent }: Options,
): Promise<readonly Board[]> {
  await manager.scan();
  return manager
    .boards()
    .filter(
      (board) =>
        (session === undefined || board.session === session) &&
        (agent === undefined || board.agent === agent),
    );
}

function shown(board: Board): string {
  const { path, title, broken } = board;
  if (broken !== null) return `${path}: needs repair. ${broken.reason}`;
  const { done, total } = progress(board);
  return [`${title} (${path}, ${done} of ${total} done)`, ...boardLines(board, UNBOUNDED)].join(
    '\n',
  );
}
