import { isFinished } from '../../core/board/facts';
import type { Board } from '../../core/board/task';
import type { OverviewState } from '../model/overview';
import { boardSession } from '../session/session-list';
import { t } from '../language/text';

/** The boards of a session; if `session` is empty, all boards except hidden ones. */
export function boardsOfSession(boards: readonly Board[], session: string): readonly Board[] {
  if (session !== '') return boards.filter((board) => boardSession(board) === session);
  return boards.filter(({ shelved }) => shelved !== true);
}

export function isWritable(board: Board): boolean {
  return board.broken === null && board.continued === undefined;
}

/** Whether a board can be continued, also by another session: writable, and not finished. */
export function canContinueBoard(board: Board): boolean {
  return isWritable(board) && !board.tasks.every(isFinished);
}

/** "Offline search for the vault", "All plans" */
export function boardTitle(
  state: Pick<OverviewState, 'boards' | 'sessions'>,
  session: string,
): string {
  if (session === '') return t('boardView.allPlans');
  const known = state.sessions.find(({ id }) => id === session)?.title ?? '';
  if (known !== '') return known;
  return boardsOfSession(state.boards, session).find(({ title }) => title !== '')?.title ?? session;
}

/** Sessions that have a board, with their titles, in the order of their boards. */
export function boardSessions(
  state: Pick<OverviewState, 'boards' | 'sessions'>,
): readonly { readonly id: string; readonly title: string }[] {
  const ids = new Set(boardsOfSession(state.boards, '').map(boardSession));
  return [...ids].map((id) => ({ id, title: boardTitle(state, id) }));
}
