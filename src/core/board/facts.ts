import type { Board } from './task';

/** What follows from a board; never stored. */
export interface TaskFacts {
  /** a prerequisite is neither completed nor cancelled, or unknown; or an ancestor is blocked, failed or deferred */
  readonly blocked: boolean;
  /** pending, not blocked, all sub-tasks finished */
  readonly ready: boolean;
  /** ids of its own prerequisites that are not finished, unknown ones too */
  readonly blockedBy: readonly string[];
  /** keys of the tasks that have this one in `blockedBy` */
  readonly blocks: readonly string[];
  /** how many open tasks would no longer be blocked if this one alone were completed */
  readonly frees: number;
  /** direct sub-tasks, cancelled ones left out */
  readonly children: number;
  /** those of `children` that are completed */
  readonly finishedChildren: number;
}

/** Facts of each task by key, in linear time. Tasks that wait for each other are all blocked. */
export function boardFacts(board: Board): ReadonlyMap<string, TaskFacts> {
  throw new Error(board.path);
}

/** Completed tasks of all that count: sub-tasks too, cancelled ones not. */
export function progress(board: Pick<Board, 'tasks'>): { done: number; total: number } {
  throw new Error(String(board.tasks.length));
}
