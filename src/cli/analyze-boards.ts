import { analysisJson } from '../core/board/answer/analysis-json';
import { analysisLines } from '../core/board/answer/analysis-lines';
import { findTask } from '../core/board/operation/find-task';
import type { Board, Task } from '../core/board/task';
import { chooseBoard, chosenBoards } from './choose-board';
import type { Command } from './command';
import { CHOICE } from './common-options';
import { printed, usage, type Exit } from './exit';
import type { Given } from './given';

/** `agent-boards analyze`: the plans of a session, or of all, as graphs. */
export const analyzeBoards: Command = {
  name: 'analyze',
  takes: '[ID]',
  says: 'the plan as a graph: critical path, what can run at the same time, risk; what ID would free',
  options: CHOICE,
  words: { least: 0, most: 1 },
  async run(given, vault) {
    const [reference] = given.words;
    if (reference === undefined) return analysed(await chosenBoards(vault, given), given);
    const chosen = await chooseBoard(vault, given);
    if (!chosen.ok) return usage(chosen.message);
    const found = findTask(chosen.board, reference);
    if (found.ok) return analysed([chosen.board], given, found.task);
    return { code: 1, out: '', err: `agent-boards: ${found.message}\n` };
  },
};

function analysed(boards: readonly Board[], { json }: Given, task?: Task): Exit {
  const code = boards.some(({ broken }) => broken !== null) ? 3 : 0;
  if (json) {
    return printed(code, JSON.stringify({ boards: boards.map((one) => forPrograms(one, task)) }));
  }
  const text = boards.map((board) => shown(board, task)).join('\n\n');
  return printed(code, boards.length === 0 ? 'No boards.' : text);
}

function forPrograms(board: Board, task: Task | undefined): object {
  const { path, agent, title, rev, broken } = board;
  if (broken !== null) return { path, agent, title, rev, broken };
  return { path, agent, title, rev, analysis: analysisJson(board, task) };
}

function shown(board: Board, task: Task | undefined): string {
  const { path, title, broken } = board;
  if (broken !== null) return `${path}: needs repair. ${broken.reason}`;
  const analysis = analysisJson(board, task);
  const head = `${title} (${path}, ${analysis.open} open of ${board.tasks.length})`;
  return [head, ...analysisLines(board, analysis)].join('\n');
}
