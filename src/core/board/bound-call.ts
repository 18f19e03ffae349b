import type { SessionBoards } from './board-rule';
import { beyondOwn } from './bound-change';
import { validSessionId } from './board-path';
import { findTask, nameOf, quoted, withTitle } from './operation/find-task';
import type { Fault, Operation } from './operation/read-operation';
import type { SessionFolders } from './session-boards';
import { READS } from './tasks-schema';
import type { Board, Task } from './task';

/** What a session was started for: a board of another session, and the one task that it may change. */
export interface BoundTo {
  /** whose board it is */
  readonly agent: string;
  /** by number, id or exact title; undefined where it may only read */
  readonly task: string | undefined;
}

type Read = { readonly ok: true; readonly operation: Operation } | Fault;

/** What changes nothing but the one task that it names. */
const OWN: ReadonlySet<Operation['type']> = new Set(['update', 'complete', 'claim']);

/**
 * An operation of a call that is bound to a board: reading is free, changing is of its own task. It
 * goes to that board unless it says otherwise, whatever the caller named before.
 */
export function withinBound(bound: BoundTo, boards: SessionBoards, read: Read): Read {
  if (!read.ok) return read;
  const { operation } = read;
  const agent = operation.agent ?? bound.agent;
  if (READS.has(operation.type)) return { ok: true, operation: { ...operation, agent } };
  const board = boards.files.get(bound.agent)?.board;
  const task = board && boundTask(bound, board);
  const id = 'id' in operation ? operation.id : undefined;
  const named = board && id !== undefined ? findTask(board, id) : undefined;
  const isOwn = named?.ok === true && named.task.key === task?.key && agent === bound.agent;
  if (!isOwn || !OWN.has(operation.type)) return refused(task);
  const beyond = beyondOwn(operation, task);
  if (beyond !== undefined) return notDone(beyond);
  // By its id: a title may be another task's by the time it is written.
  const own = task.id ?? undefined;
  return { ok: true, operation: { ...operation, agent, ...(own !== undefined && { id: own }) } };
}

/** Why a session can't be started for a board; undefined where it can. Nothing is written. */
export async function boundFault(
  { folders }: { readonly folders: SessionFolders },
  session: string,
  bound: BoundTo,
): Promise<Fault | undefined> {
  if (!validSessionId(session)) return noBoard(session, bound);
  const { files } = await folders.boards(await folders.folder(session));
  const board = files.get(bound.agent)?.board;
  if (board === undefined) return noBoard(session, bound);
  const found = bound.task === undefined ? undefined : findTask(board, bound.task);
  return found?.ok === false ? found : undefined;
}

function noBoard(session: string, { agent }: BoundTo): Fault {
  const message = `There is no board of ${quoted(agent)} in session ${quoted(session)}.`;
  return { ok: false, code: 'no_board', message };
}

/** The task on the board as it is; undefined where it is gone or there was none. */
export function boundTask({ task }: BoundTo, board: Board): Task | undefined {
  const found = task === undefined ? undefined : findTask(board, task);
  return found?.ok === true ? found.task : undefined;
}

function refused(task: Task | undefined): Fault {
  const own =
    task === undefined
      ? 'This session may only read this board'
      : `This session was started for ${withTitle(task)}: it may update, claim and complete ${nameOf(task)}, and read the rest of the board`;
  return notDone(own);
}

function notDone(why: string): Fault {
  const message = `${why}. This was not done; say in your answer what else should change.`;
  return { ok: false, code: 'not_yours', message };
}
