import type { AnalysisJson } from './answer/analysis';
import { underReview } from './facts';
import type { Status, Task } from './task';
import type { Note } from './note/note';
import type { BlockText } from './archive/archive-tasks';
import type { HistoryEntry } from './history/histories';
import type { Fault } from '../fault';

/** What an operation was about, afterwards; of `init` the board, of `list` how many tasks there are, of `analyze` the analysis. */
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
  /** ids of what went to the archive */
  | { readonly archived: readonly string[] }
  /** what had been done by the change that was taken back */
  | { readonly undone: readonly string[] }
  | { readonly history: readonly HistoryEntry[] }
  | {
      readonly ready: readonly Pick<Task, 'id' | 'n' | 'title' | 'priority' | 'owner'>[];
    };

/** All that a task says and what follows for it; other tasks by id, or by title where they have none. */
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

export interface Done {
  readonly ok: true;
  /** one line for the model, without the operation's type */
  readonly said: string;
  readonly result: OperationResult;
  /** lines for the model below `said` */
  readonly details?: readonly string[];
}

/** One operation on one board, with its note then: undefined where there is still none. One that failed leaves it as it was. */
export type Applied =
  (Done & { readonly note: Note | undefined; readonly effects?: Effects }) | Fault;

/** What an operation does beside the note. */
export interface Effects {
  /** blocks that go to the archive */
  readonly archived?: readonly BlockText[];
  /** blocks that come out of it */
  readonly restored?: readonly BlockText[];
  /** the change that is taken back */
  readonly undoes?: string;
}

export function resultOf(task: Task): OperationResult {
  const { id, n, title, status } = task;
  return { id, n, title, status, ...(underReview(task) && { review: true as const }) };
}

/** A change of a board whose plan goes on in another session. */
export function closedFault(session: string): Fault {
  const message = `This board is history: its plan goes on in session ${session}. Make the change there; to write here again, take "continued" out of the note's header.`;
  return { ok: false, code: 'read_only', message };
}
