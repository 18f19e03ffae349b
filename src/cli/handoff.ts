import { AuditReader } from '../core/permission/audit/audit-reader';
import { handoffText } from '../core/tool/handoff';
import { openAuditAccess } from './audit/verify';
import { chooseBoard } from './choose-board';
import { resultExit, BOARD_OPTIONS, type Command } from './command';

/**
 * `agent-boards handoff`: prints what a new agent needs to know of a board, as the MCP prompt does.
 */
export const handOff: Command = {
  name: 'handoff',
  takes: '[SESSION]',
  says: 'what a new agent needs of a board: open tasks, decisions, results, the notes that were used',
  options: BOARD_OPTIONS,
  async run(given, vault) {
    const [word] = given.words;
    const { agent } = given;
    const board = await chooseBoard(vault, { session: word ?? given.session, agent });
    const rows = await new AuditReader(openAuditAccess(vault.folder).store).recentRows();
    const text = handoffText(board, rows);
    const { path, session, broken } = board;
    const result = { path, session, agent: board.agent, text };
    return resultExit(given, broken === null ? 0 : 3, result, text);
  },
};
