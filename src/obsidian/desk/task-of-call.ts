import type { Board } from '../../core/board/task';
import { taskInProgress } from '../../core/board/task-in-progress';
import type { ToolCall } from '../../core/tool/tool';

/** Id of the task that the caller is at: the one it was started for, else the one its board has in progress. */
export function taskOfCall(call: ToolCall, boards: readonly Board[]): string | undefined {
  if (call.board?.task !== undefined) return call.board.task;
  const { session, agent } = call.board ?? { session: call.sessionId, agent: call.agent };
  const own = boards.filter((board) => board.session === session && board.agent === agent);
  return taskInProgress(own)?.id ?? undefined;
}
