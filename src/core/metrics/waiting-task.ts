import { boardFacts } from '../board/facts';
import type { Board, Task } from '../board/task';
import type { Wait } from './file-sums';

interface TaskOfWait {
  readonly board: Board;
  readonly task: Task;
}

/**
 * The task that a wait is about, on the board of its session and agent if it is there, else on any;
 * undefined if it no longer exists.
 */
export function waitingTask({ k }: Wait, boards: readonly Board[]): TaskOfWait | undefined {
  const [, session, agent, , , id] = k;
  const found = boards.flatMap((board) => {
    const task = board.tasks.find((one) => one.id !== null && one.id === id);
    return task === undefined ? [] : [{ board, task }];
  });
  return found.find(({ board }) => board.session === session && board.agent === agent) ?? found[0];
}

/** Whether a task still waits for others by the history, but no longer by its board. */
export function isWaitOver({ kind, ms }: Wait, found: TaskOfWait | undefined): boolean {
  if (kind !== 'blocked' || ms !== null) return false;
  return found === undefined || boardFacts(found.board).get(found.task.key)?.blocked !== true;
}
