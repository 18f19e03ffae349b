import type { Board } from '../../core/board/task';
import type { Session } from '../../core/session/session';
import type { OverviewState } from '../model/overview';

/** What is known of a session that has a conversation. */
export interface ConversationOf {
  /** undefined where no OpenCode knows it now */
  readonly session: Session | undefined;
  readonly boards: readonly Board[];
  readonly title: string;
  readonly agent: string;
}

export function conversationTitle(
  state: Pick<OverviewState, 'sessions' | 'boards'>,
  sessionId: string,
): ConversationOf {
  const session = state.sessions.find(({ id }) => id === sessionId);
  const boards = state.boards.filter((board) => board.session === sessionId);
  const [board] = boards;
  return {
    session,
    boards,
    title: session?.title || board?.title || 'Conversation',
    agent: session?.agent ?? board?.agent ?? 'the agent',
  };
}
