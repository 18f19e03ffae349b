import { boardFacts, progress, type TaskFacts } from '../facts';
import { STATUSES, type Board, type Priority, type Problem, type Status, type Task } from '../task';

/** A task as programs get it. A task without an id is named by its title in `parent` and `blocks`. */
export interface TaskJson {
  readonly id: string | null;
  readonly n: number | null;
  readonly title: string;
  readonly status: Status;
  readonly parent: string | null;
  readonly dependsOn: readonly string[];
  /** prerequisites that are not finished yet */
  readonly blockedBy: readonly string[];
  readonly blocks: readonly string[];
  readonly ready: boolean;
  readonly priority: Priority;
  readonly owner: string | null;
}

export interface BoardJson {
  readonly path: string;
  readonly agent: string;
  readonly title: string;
  readonly rev: number;
  readonly tasks: readonly TaskJson[];
  /** only where the note can't be parsed */
  readonly broken?: Problem;
}

/** How many tasks have each status, and how far the board is: 0 to 1, cancelled ones left out. */
export interface BoardSummary extends Readonly<Record<Status, number>> {
  readonly total: number;
  readonly ready: number;
  readonly blocked: number;
  readonly completion: number;
}

export function boardJson(board: Board): BoardJson {
  const { path, agent, title, rev, broken } = board;
  const json = { path, agent, title, rev, tasks: tasksJson(board) };
  return broken === null ? json : { ...json, broken };
}

export function tasksJson(board: Board): readonly TaskJson[] {
  const facts = boardFacts(board);
  const names = new Map(board.tasks.map((task) => [task.key, task.id ?? task.title]));
  const named = (key: string): string => names.get(key) ?? key;
  return board.tasks.map((task) => taskJson(task, facts.get(task.key), named));
}

function taskJson(
  task: Task,
  facts: TaskFacts | undefined,
  named: (key: string) => string,
): TaskJson {
  const { id, n, title, status, parent, dependsOn, priority, owner } = task;
  return {
    id,
    n,
    title,
    status,
    parent: parent === null ? null : named(parent),
    dependsOn,
    blockedBy: facts?.blockedBy ?? [],
    blocks: (facts?.blocks ?? []).map(named),
    ready: facts?.ready ?? false,
    priority,
    owner,
  };
}

export function boardSummary(board: Board): BoardSummary {
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
