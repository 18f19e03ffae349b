import type { Board, Task } from './task';

/** How a task's mark is drawn (UX "Foundations"). `waiting` is a pending task that is blocked. */
export type MarkState =
  'ready' | 'waiting' | 'in_progress' | 'completed' | 'failed' | 'deferred' | 'cancelled';

interface Row {
  /** unique in the outline; stays the same while the row says the same thing */
  readonly key: string;
  /** aria-level within the board, 1 at its top; a tree with a session row on top adds 1 */
  readonly level: number;
  readonly setsize: number;
  readonly posinset: number;
  /** accessible name */
  readonly name: string;
}

export interface PhaseRow extends Row {
  readonly kind: 'phase';
  readonly title: string;
  readonly done: number;
  readonly total: number;
  readonly expanded: boolean;
}

/** Stands for the finished tasks at the head of a phase. */
export interface FinishedRow extends Row {
  readonly kind: 'finished';
  readonly text: string;
  readonly count: number;
  readonly expanded: boolean;
}

export interface TaskRow extends Row {
  readonly kind: 'task';
  readonly task: Task;
  readonly mark: MarkState;
  /** the state's word: Ready, Waiting, In progress, Done, Failed, Deferred, Cancelled */
  readonly word: string;
  /** aria-checked of the mark */
  readonly checked: 'true' | 'false' | 'mixed';
  /** the line under the title */
  readonly reason: { readonly kind: 'waits' | 'failed'; readonly text: string } | null;
  /** at most two, at the row's end; `icon` is a Lucide name or null */
  readonly facts: readonly Fact[];
  readonly changed: boolean;
  /** null where it has no sub-tasks */
  readonly expanded: boolean | null;
}

export interface Fact {
  readonly kind: 'subtasks' | 'owner' | 'due' | 'risk';
  readonly icon: string | null;
  readonly text: string;
  /** as part of an accessible name */
  readonly name: string;
}

export type OutlineRow = PhaseRow | FinishedRow | TaskRow;

export interface OutlineOptions {
  /** fold finished tasks at the head of a phase (more than two sessions, or 20 rows) */
  readonly foldFinished: boolean;
  /** keys of phase and task rows that the person folded */
  readonly folded: ReadonlySet<string>;
  /** keys of finished rows that the person opened */
  readonly opened?: ReadonlySet<string>;
  /** keys of tasks that another party changed since the person looked */
  readonly changed: ReadonlySet<string>;
  /** `YYYY-MM-DD`; due dates of another year then show it */
  readonly today?: string;
}

/** The rows of a board as a sidebar draws them, from top to bottom; what is folded away has no row. */
export function outline(board: Board, options: OutlineOptions): readonly OutlineRow[] {
  throw new Error(board.path + String(options.foldFinished));
}
