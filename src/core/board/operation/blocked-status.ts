import { boardFacts } from '../facts';
import type { Board, Status, Task } from '../task';
import { blockedReason } from './blocked-reason';
import { readyInstead } from './ready-instead';
import { withTitle } from './find-task';
import { fault } from './outcome';
import type { Fault } from './read-operation';

/**
 * A blocked task is neither started nor completed, unless that is forced with a reason, which the
 * task keeps. A person may do either.
 */
export function whileBlocked(
  board: Board,
  task: Task,
  status: Status | undefined,
  { force, reason }: { readonly force: boolean; readonly reason: string | null | undefined },
): Fault | undefined {
  if ((status !== 'in_progress' && status !== 'completed') || status === task.status) {
    return undefined;
  }
  const facts = boardFacts(board);
  if (facts.get(task.key)?.blocked !== true) return undefined;
  const what = status === 'completed' ? 'completed' : 'started';
  if (!force) {
    const why = blockedReason(board, task, facts);
    const message = `${withTitle(task)} can't be ${what}: ${why}. Do that first, or send "force": true with a reason.${readyInstead(board, facts)}`;
    return fault('blocked', message);
  }
  if (typeof reason === 'string') return undefined;
  const message = `${withTitle(task)} is blocked. To have it ${what} all the same, send "reason" with "force".`;
  return fault('missing_field', message);
}
