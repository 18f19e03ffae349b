import { writeAnswer } from '../core/board/answer/write-answer';
import { PERSON } from '../core/board/history/actor';
import type { Done } from '../core/board/operation/outcome';
import type { Fault } from '../core/board/operation/read-operation';
import type { Board } from '../core/board/task';
import type { TodoManager } from '../core/board/todo-manager';
import { chooseBoard } from './choose-board';
import type { OpenVault } from './command';
import { usage, type Exit } from './exit';
import type { Given } from './given';
import type { SentOperation } from './operation-kinds';
import { personOperations } from './person-operations';
import { shown } from './send-operations';

/**
 * What the person does to the board of `--session` and `--agent`: all of it in one write, or none.
 * The agent is told of it, and no agent's undo takes it back.
 */
export async function actAsPerson(
  vault: OpenVault,
  given: Given,
  sent: readonly SentOperation[],
): Promise<Exit> {
  if (given.text('rev') !== undefined) return usage('--rev is for agents; leave it out.');
  const agent = given.text('board') ?? given.agent;
  const chosen = await chooseBoard(vault, { session: given.session, agent });
  if (!chosen.ok) return usage(chosen.message);
  const done = await carryOut(vault.manager, chosen.board, sent);
  const board = done.ok ? done.board : chosen.board;
  const outcome: Done | Fault = done.ok
    ? { ok: true, said: 'done, as the person.', result: { tasks: board.tasks.length } }
    : { ok: false, code: done.code, message: done.message };
  const outcomes = sent.map(() => outcome);
  const told = { sessionId: board.session, agent: board.agent, operations: sent, outcomes, board };
  return shown(writeAnswer({ ...told, changes: [], others: [], notices: [] }), given.json);
}

async function carryOut(
  manager: TodoManager,
  board: Board,
  sent: readonly SentOperation[],
): Promise<{ readonly ok: true; readonly board: Board } | Pick<Fault, 'ok' | 'code' | 'message'>> {
  if (sent[0]?.type === 'undo') return manager.undoLast(board.path, PERSON);
  const read = personOperations(board, sent);
  return read.ok ? manager.person(board.path, read.operations) : read;
}
