import type { BoardJson, TaskJson } from '../../board/answer/task-json';
import type { Status } from '../../board/task';

/** A task in the words of the four tools `task_…`. */
export interface TaskView {
  /** the number, or the title of a task that has none */
  readonly id: number | string;
  readonly subject: string;
  readonly description: string;
  readonly status: Status;
  /** prerequisites that are not finished */
  readonly blockedBy: readonly (number | string)[];
  readonly blocks: readonly (number | string)[];
  /** empty where nobody has it */
  readonly owner: string;
}

export function taskView(board: BoardJson, task: TaskJson, description: string): TaskView {
  const numbers = new Map(board.tasks.map(({ id, n }) => [id, n]));
  const short = (id: string): number | string => numbers.get(id) ?? id;
  return {
    id: task.n ?? task.id ?? task.title,
    subject: task.title,
    description,
    status: task.status,
    blockedBy: task.blockedBy.map(short),
    blocks: task.blocks.map(short),
    owner: task.owner ?? '',
  };
}

/** The mark of a task in a list. */
export function markerOf(status: Status): string {
  return MARKERS[status];
}

const MARKERS: Readonly<Record<Status, string>> = {
  pending: '[ ]',
  in_progress: '[>]',
  completed: '[x]',
  cancelled: '[-]',
  failed: '[!]',
  deferred: '[~]',
};
