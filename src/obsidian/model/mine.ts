import { myTasks, type MyTask } from '../../core/board/my-tasks';
import type { Board } from '../../core/board/task';
import type { OverviewState } from './overview';

/** A task that waits for the person, on its board. */
export interface Mine extends MyTask {
  readonly board: Board;
  /** of the session, or of the board where OpenCode does not know it */
  readonly title: string;
}

/** All tasks that wait for the person, in the order of the boards. */
export function mineOf({
  boards,
  sessions,
}: Pick<OverviewState, 'boards' | 'sessions'>): readonly Mine[] {
  const known = new Map(sessions.map((session) => [session.id, session]));
  return boards.flatMap((board) => {
    const session = known.get(board.session);
    const atWork = session?.state.kind === 'busy' || session?.state.kind === 'retry';
    const title = session?.title || board.title || board.session;
    return myTasks(board, atWork).map((one) => ({ ...one, board, title }));
  });
}
