import { boardFacts, progress, isUnderReview, type TaskFacts } from '../facts';
import {
  STATUSES,
  type Board,
  type Problem,
  type ReviewMode,
  type Status,
  type Task,
} from '../task';

/** A task for programs. Tasks without an id are named by their titles in `parent` and `blocks`. */
export type TaskJson = Pick<
  Task,
  'id' | 'n' | 'title' | 'status' | 'parent' | 'dependsOn' | 'priority' | 'owner'
> &
  Pick<TaskFacts, 'blockedBy' | 'blocks' | 'ready'> & {
    /** completed by its agent and not yet accepted by the person; absent otherwise */
    readonly review?: true;
  };

export interface BoardJson extends Pick<Board, 'path' | 'agent' | 'title' | 'rev'> {
  readonly tasks: readonly TaskJson[];
  /** which completions of agents wait for the person's review; absent for none */
  readonly review?: ReviewMode;
  /** only if the note can't be parsed */
  readonly broken?: Problem;
}

/** Number of tasks per status, and `completion`: 0 to 1, without cancelled tasks. */
export interface BoardSummary extends Readonly<Record<Status, number>> {
  readonly total: number;
  readonly ready: number;
  readonly blocked: number;
  readonly completion: number;
}

export function boardJson(board: Board): BoardJson {
  const { path, agent, title, rev, review, broken } = board;
  const mode = review === undefined ? {} : { review };
  const json = { path, agent, title, rev, ...mode, tasks: tasksJson(board) };
  return broken === null ? json : { ...json, broken };
}

export function tasksJson(board: Board): readonly TaskJson[] {
  const facts = boardFacts(board);
  const names = new Map(board.tasks.map((task) => [task.key, task.id ?? task.title]));
  const named = (key: string): string => names.get(key) ?? key;
  return board.tasks.map((task) => {
    const { id, n, title, status, parent, dependsOn, priority, owner } = task;
    const { blockedBy = [], blocks = [], ready = false } = facts.get(task.key) ?? {};
    return {
      ...{ id, n, title, status, parent: parent === null ? null : named(parent) },
      ...{ dependsOn, blockedBy, blocks: blocks.map(named), ready, priority, owner },
      ...(isUnderReview(task) && { review: true as const }),
    };
  });
}

export function boardSummary(board: Pick<Board, 'tasks' | 'archived' | 'unchecked'>): BoardSummary {
  const facts = boardFacts(board);
  const { done, total } = progress(board);
  const count = (fits: (task: Task) => boolean): number => board.tasks.filter(fits).length;
  const byStatus = STATUSES.map((status) => [status, count((task) => task.status === status)]);
  return {
    ...(Object.fromEntries(byStatus) as Record<Status, number>),
    total: board.tasks.length,
    ready: count(({ key }) => facts.get(key)?.ready === true),
    blocked: count(({ key, status }) => status === 'pending' && facts.get(key)?.blocked === true),
    completion: total === 0 ? 0 : done / total,
  };
}
