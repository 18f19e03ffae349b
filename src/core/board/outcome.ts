import { refuseChange } from './change-faults';
import type { AnalysisJson } from './answer/analysis';
import { isUnderReview } from './facts';
import type { Status, Task } from './task';
import type { Note } from './note/note';
import type { BlockText } from './archive/archive-tasks';
import type { HistoryEntry } from './history/histories';
import type { Fault } from '../fault';

/**
 * The subject of an operation after it: the task; for `init` the board, for `list` the number of
 * tasks, for `analyze` the analysis.
 */
export type OperationResult =
  | {
      readonly id: string | null;
      readonly n: number | null;
      readonly title: string;
      readonly status: Status;
      /** as in `TaskJson` */
      readonly review?: true;
    }
  | { readonly title: string; readonly made: boolean }
  | { readonly tasks: number }
  | { readonly tasks: number; readonly analysis: AnalysisJson }
  | TaskDetails
  /** ids of the archived tasks */
  | { readonly archived: readonly string[] }
  /** descriptions of the change that was undone */
  | { readonly undone: readonly string[] }
  | { readonly history: readonly HistoryEntry[] }
  | {
      readonly ready: readonly Pick<Task, 'id' | 'n' | 'title' | 'priority' | 'owner'>[];
    };

/** All values of a task and facts about it; other tasks by id, or by title if they have none. */
export interface TaskDetails extends Omit<
  Task,
  'key' | 'mark' | 'depth' | 'line' | 'malformed' | 'review'
> {
  /** as in `TaskJson` */
  readonly review?: true;
  readonly blockedBy: readonly string[];
  readonly blocks: readonly string[];
  readonly ready: boolean;
}

export interface OperationSuccess {
  readonly ok: true;
  /** one line for the model, without the operation's type */
  readonly said: string;
  readonly result: OperationResult;
  /** lines for the model below `said` */
  readonly details?: readonly string[];
}

/**
 * Result of one operation on one board, with the note after it (undefined: there is none). A failed
 * operation leaves the note unchanged.
 */
export type OperationOutcome =
  (OperationSuccess & { readonly note: Note | undefined; readonly effects?: Effects }) | Fault;

/** Effects of an operation besides the note. */
export interface Effects {
  /** blocks that are added to the archive */
  readonly archived?: readonly BlockText[];
  /** blocks that are removed from the archive */
  readonly restored?: readonly BlockText[];
  /** id of the change that is undone */
  readonly undoes?: string;
}

export function toOperationResult(task: Task): OperationResult {
  const { id, n, title, status } = task;
  return { id, n, title, status, ...(isUnderReview(task) && { review: true as const }) };
}

/** Refuses a change of a board whose plan continues in another session. */
export function closedFault(session: string): Fault {
  return refuseChange('read_only', 'history', { session });
}
