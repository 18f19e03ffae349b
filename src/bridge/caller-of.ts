import type { BoundBoard } from '../protocol/bound-board';
import { WireError } from '../protocol/wire-error';
import type { SessionBook } from './session-book';

/** What is known of the session of a call, beside its id. */
export interface Caller {
  readonly sessionTitle?: string;
  /** what it works on instead of a board of its own */
  readonly board?: BoundBoard;
}

const UNKNOWN_BOARD =
  'Nothing was done: it can’t be found out which board this session was started for.';

/**
 * Who calls. Nothing must fail because OpenCode doesn't know the session in this folder; but one that
 * may be bound to another board must not go to its own.
 * @throws Error with words for the model
 */
export async function callerOf(book: Pick<SessionBook, 'get'>, sessionId: string): Promise<Caller> {
  const known = await book.get(sessionId).catch((error: unknown) => {
    if (error instanceof WireError && error.code === 'unknown_session') return undefined;
    throw new Error(`${UNKNOWN_BOARD} Repeat the call. OpenCode said: ${String(error)}`);
  });
  if (known === undefined) return {};
  const { title: sessionTitle, board } = known;
  if (board === 'unreadable') {
    throw new Error(`${UNKNOWN_BOARD} Say so in your answer, and go on without it.`);
  }
  return { sessionTitle, ...(board !== undefined && { board }) };
}
