import { writeAnswer } from '../core/board/answer/write-answer';
import { PERSON } from '../core/board/history/actor';
import { resultOf, type Done, type OperationResult } from '../core/board/operation/outcome';
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
  const said = done.ok && sent.length === 1 ? await saidOf(vault.manager, done) : 'done';
  const outcomes = sent.map((operation): Done | Fault =>
    done.ok
      ? {
          ok: true,
          said: `${said}, as the person.`,
          result: resultFor(operation, chosen.board, board),
        }
      : { ok: false, code: done.code, message: done.message },
  );
  const told = { sessionId: board.session, agent: board.agent, operations: sent, outcomes, board };
  return shown(writeAnswer({ ...told, changes: [], others: [], notices: [] }), given.json);
}

interface Changed {
  readonly ok: true;
  readonly board: Board;
  readonly change: string;
}

type Carried = Changed | Pick<Fault, 'ok' | 'code' | 'message'>;

/** What the history says of the change; one that changed nothing has no entry. */
async function saidOf(manager: TodoManager, { board, change }: Changed): Promise<string> {
  const entries = await manager.history(board.path);
  return entries.find((entry) => entry.change === change)?.said.join('; ') ?? 'done';
}

/** Of `add` the task that is new, so that a program learns its id. */
function resultFor(operation: SentOperation, before: Board, now: Board): OperationResult {
  const old = new Set(before.tasks.map(({ id }) => id));
  const added = now.tasks.find(({ id, title }) => !old.has(id) && title === operation['title']);
  return operation.type === 'add' && added !== undefined
    ? resultOf(added)
    : { tasks: now.tasks.length };
}

async function carryOut(
  manager: TodoManager,
  board: Board,
  sent: readonly SentOperation[],
): Promise<Carried> {
  if (sent[0]?.type === 'undo') return undone(manager, board, sent[0]['change']);
  const read = personOperations(board, sent);
  return read.ok ? manager.person(board.path, read.operations) : read;
}

/** The change that is named, which has to be one of this board, else the person's last. */
async function undone(manager: TodoManager, { path }: Board, change: unknown): Promise<Carried> {
  if (typeof change !== 'string') return manager.undoLast(path, PERSON);
  const known = await manager.history(path, Infinity);
  if (known.some((entry) => entry.change === change)) return manager.undo(change);
  const message = `${path} has no change "${change}". agent-boards history --json lists them.`;
  return { ok: false, code: 'unknown_change', message };
}
