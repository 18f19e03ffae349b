import { analysisJson } from '../core/board/answer/analysis-json';
import { analysisLines } from '../core/board/answer/analysis-lines';
import type { TodoManager } from '../core/board/todo-manager';
import type { Board } from '../core/board/task';
import { printed, type Exit } from './exit';
import { chosenBoards } from './list-boards';
import type { Options } from './options';

/** `agent-boards analyze`: the plans of a session, or of all, as graphs. */
export async function analyzeBoards(manager: TodoManager, options: Options): Promise<Exit> {
  const boards = await chosenBoards(manager, options);
  const code = boards.some(({ broken }) => broken !== null) ? 3 : 0;
  if (options.json) return printed(code, JSON.stringify({ boards: boards.map(forPrograms) }));
  return printed(code, boards.length === 0 ? 'No boards.' : boards.map(shown).join('\n\n'));
}

function forPrograms(board: Board): object {
  const { path, agent, title, rev, broken } = board;
  if (broken !== null) return { path, agent, title, rev, broken };
  return { path, agent, title, rev, analysis: analysisJson(board) };
}

function shown(board: Board): string {
  const { path, title, broken } = board;
  if (broken !== null) return `${path}: needs repair. ${broken.reason}`;
  const analysis = analysisJson(board);
  const head = `${title} (${path}, ${analysis.open} open of ${board.tasks.length})`;
  return [head, ...analysisLines(board, analysis)].join('\n');
}
