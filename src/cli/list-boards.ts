import { boardJson } from '../core/board/answer/task-json';
import { boardLines } from '../core/board/answer/board-lines';
import { progress } from '../core/board/facts';
import type { Board } from '../core/board/task';
import { chosenBoards } from './choose-board';
import type { Command } from './command';
import { CHOICE } from './common-options';
import { printed } from './exit';

const UNBOUNDED = { lines: Infinity, bytes: Infinity };

/** `agent-boards list`: the boards of a session, or of all. */
export const listBoards: Command = {
  name: 'list',
  takes: '',
  says: 'the boards of a session and agent, or of all',
  options: CHOICE,
  words: { least: 0, most: 0 },
  async run(given, vault) {
    const boards = await chosenBoards(vault, given);
    const code = boards.some(({ broken }) => broken !== null) ? 3 : 0;
    if (given.json) return printed(code, JSON.stringify({ boards: boards.map(boardJson) }));
    return printed(code, boards.length === 0 ? 'No boards.' : boards.map(shown).join('\n\n'));
  },
};

function shown(board: Board): string {
  const { path, title, broken } = board;
  if (broken !== null) return `${path}: needs repair. ${broken.reason}`;
  const { done, total } = progress(board);
  return [`${title} (${path}, ${done} of ${total} done)`, ...boardLines(board, UNBOUNDED)].join(
    '\n',
  );
}
