import type { OperationReport, TasksResult } from '../../board/answer/tasks-answer';
import type { BoardJson } from '../../board/answer/task-json';
import { callContext, type ToolCall, type ToolOutcome } from '../tool';
import type { Boards } from './alias';

/** How a task is named: its number. An id or an exact title is taken as well. */
export type TaskId = number | string;

export type Called =
  | { readonly ok: true; readonly result: TasksResult }
  | { readonly ok: false; readonly outcome: ToolOutcome & { readonly ok: false } };

/** One call of `tasks`, all or nothing, for a tool that answers for one task. */
export async function callTasks(
  boards: Boards,
  call: ToolCall,
  operations: readonly object[],
  named: readonly TaskId[],
): Promise<Called> {
  const { refused, result } = await boards.call(callContext(call), { operations, atomic: true });
  if (refused !== undefined) return failed(refused.code, refused.message);
  const report = result.results.find(isCause);
  if (report?.error === undefined) return { ok: true, result };
  const missing = named.find((id) => !isThere(result.board, id));
  if (missing === undefined) return failed(report.error.code, report.error.message);
  return failed('unknown_task', notFound(missing, missing === named[0]));
}

/** Of an operation that failed by itself; the others were left out for its sake. */
function isCause({ error }: OperationReport): boolean {
  return error !== undefined && error.code !== 'not_applied';
}

export function isThere(board: BoardJson | null, id: TaskId): boolean {
  return taskOf(board, id) !== undefined;
}

export function taskOf(
  board: BoardJson | null,
  id: TaskId,
): BoardJson['tasks'][number] | undefined {
  const number = Number(String(id).replace(/^#/, ''));
  return board?.tasks.find((task) => task.n === number || task.id === id || task.title === id);
}

/** The counterpart of an edge is what the caller did not ask about, so that needs more words. */
function notFound(id: TaskId, isOwn: boolean): string {
  if (isOwn) return `Task ${id} not found`;
  return `Task ${id} not found: an edge needs both its tasks, so nothing was changed. Create it first, or leave it out.`;
}

function failed(code: string, message: string): Called {
  return { ok: false, outcome: { ok: false, error: { code, message } } };
}

/** Indented, as the tools answered that these stand for. */
export function answered(title: string, value: unknown): ToolOutcome {
  return { ok: true, title, output: JSON.stringify(value, null, 2), metadata: {} };
}
