import type { Board } from '../../core/board/task';
import { taskInProgress } from '../sidebar/state-line';
import { needSession, type Need } from './need';
import { plainLine } from './plain-line';

/** Title of the task that the agent is at: on its own board, else on one of its session's. */
export function needTask(need: Need, boards: readonly Board[]): string | undefined {
  const session = needSession(need);
  const own = boards.filter((board) => board.session === session);
  const agent = need.kind === 'ask' ? need.request.agent : need.session.agent;
  const title = taskInProgress(own.filter((board) => board.agent === agent)) ?? taskInProgress(own);
  return title === undefined ? undefined : plainLine(title);
}
