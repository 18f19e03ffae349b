import { readCompletionLines } from '../../core/board/note/task-block';
import type { ChangeRecord } from '../../core/board/history/change-record';
import { workSpans } from '../../core/board/history/work-spans';
import type { Board, Task } from '../../core/board/task';
import type { AuditRow, CallRow } from '../../core/permission/audit/audit-rows';
import { hasChangedNote } from '../../core/permission/audit/undo-change';

/** Evidence for the review of a task that an agent completed. */
export interface Evidence {
  /** success criteria, and results, newest last */
  readonly success: readonly string[];
  readonly results: readonly string[];
  /** what was missing in earlier reviews, newest last */
  readonly sentBack: readonly string[];
  /** when the task was started, ms since the epoch; undefined if the history does not say */
  readonly since: number | undefined;
  /** calls that wrote a note, latest first */
  readonly changes: readonly CallRow[];
  /** the other calls, except those of `tasks`, which the history of the board has */
  readonly calls: readonly CallRow[];
}

/**
 * Collects the calls for a task since it was started: those that name it, by any session, and those
 * of its session and agent that name no task.
 * @param records history of its board, oldest first
 * @param rows of the audit, latest first
 */
export function collectEvidence(
  board: Board,
  task: Task,
  records: readonly ChangeRecord[],
  rows: readonly AuditRow[],
): Evidence {
  const since = workSpans(records, board).findLast((span) => span.task === task.id)?.from;
  const agents = [board.agent, task.owner];
  const own = rows.filter((row): row is CallRow => {
    if (row.kind !== 'call' || row.intent.by === 'person') return false;
    const { task: at, sessionId, agent, operation } = row.intent;
    if (operation === 'tasks') return false;
    if (at !== undefined && at === task.id) return since === undefined || row.at >= since;
    const here = sessionId === board.session && agents.includes(agent);
    return at === undefined && here && since !== undefined && row.at >= since;
  });
  return {
    ...readCompletionLines(task),
    since,
    changes: own.filter(hasChangedNote),
    calls: own.filter((row) => !hasChangedNote(row)),
  };
}

/**
 * The month (`YYYY-MM`) of the audit to read for what was done since; undefined: none is missing.
 */
export function monthToRead(
  since: number | undefined,
  { older }: { readonly older: string | undefined },
): string | undefined {
  if (since === undefined || older === undefined) return undefined;
  const date = new Date(since);
  const month = `${date.getFullYear()}-${String(date.getMonth() + 1).padStart(2, '0')}`;
  return older >= month ? older : undefined;
}
