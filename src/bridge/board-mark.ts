import { boundBoard, type BoundBoard } from '../protocol/bound-board';

/**
 * The key under which OpenCode keeps, with a session, the board that it was started for: on disk,
 * as long as the session, and out of reach of any argument of a call.
 */
export const BOARD_MARK = 'agent-task-boards-board';

/** The board that a session was started for, or that its mark is of a form that nobody knows. */
export type StartedFor = BoundBoard | 'unreadable';

/** Undefined where the session works on boards of its own. */
export function boardIn(
  metadata: Readonly<Record<string, unknown>> | undefined,
): StartedFor | undefined {
  const mark = metadata?.[BOARD_MARK];
  if (mark === undefined) return undefined;
  const read = boundBoard.safeParse(mark);
  return read.success ? read.data : 'unreadable';
}
