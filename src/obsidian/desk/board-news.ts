import type { BoardChange } from '../../core/board/board-change';
import { progress } from '../../core/board/facts';
import type { Status } from '../../core/board/task';
import type { News } from '../part/announcer';

const DONE_TO_IT: Readonly<Record<Status, string>> = {
  pending: 'opened again',
  in_progress: 'started',
  completed: 'done',
  failed: 'failed',
  deferred: 'deferred',
  cancelled: 'cancelled',
};

/** A change that is not the person's own, for the live region; undefined where there is none. */
export function boardNews(change: BoardChange): News | undefined {
  const { board, before, by, changedKeys } = change;
  if (board === undefined || by === 'person' || changedKeys.length === 0) return undefined;
  const who = by === 'agent' ? change.agent : 'Someone';
  const count = changedKeys.length;
  if (before === undefined) {
    return { who, tasks: count, sentence: `New plan by ${who}: ${board.title}.` };
  }
  if (count > 1) return { who, tasks: count, sentence: `${who} changed ${count} tasks.` };
  const task = board.tasks.find((one) => one.key === changedKeys[0]);
  const old = before.tasks.find((one) => one.key === changedKeys[0]);
  if (task === undefined) return undefined;
  const { done, total } = progress(board);
  const what =
    old === undefined ? 'added' : old.status === task.status ? 'changed' : DONE_TO_IT[task.status];
  return { who, tasks: 1, sentence: `${task.title}, ${what} by ${who}. ${done} of ${total}.` };
}
