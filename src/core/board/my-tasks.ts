import { boardFacts, isFinished, isInProgress, isUnderReview } from './facts';
import type { Board, Task } from './task';

/** A task that waits for the person: to do, to approve or to review. */
export interface MyTask {
  readonly task: Task;
  readonly why: 'own' | 'approve' | 'review';
}

/**
 * The tasks that wait for the person, in the order of the note: tasks with owner `me` that are
 * ready or in progress, tasks under review, and tasks with `approve` that an agent left in
 * progress, without open subtasks.
 * @param isWorkedOn whether an agent still works on a task in progress, so that it can't be approved
 * yet
 */
export function myTasks(
  board: Pick<Board, 'tasks' | 'archived' | 'unchecked'>,
  isWorkedOn: (task: Task) => boolean,
): readonly MyTask[] {
  const facts = boardFacts(board);
  return board.tasks.flatMap((task): readonly MyTask[] => {
    if (isUnderReview(task)) return [{ task, why: 'review' }];
    const { ready, blocked, children, finishedChildren } = facts.get(task.key) ?? NONE;
    const running = task.status === 'in_progress' && !blocked;
    if (task.owner === 'me') return ready || running ? [{ task, why: 'own' }] : [];
    const awaitsApproval = running && task.approve === 'me' && finishedChildren === children;
    return awaitsApproval && !isWorkedOn(task) ? [{ task, why: 'approve' }] : [];
  });
}

const NONE = { ready: false, blocked: true, children: 0, finishedChildren: 0 };

/** A decision or completion by the person that an agent may have waited for. */
export interface PersonDecision {
  readonly title: string;
  readonly kind: 'did' | 'accepted' | 'sent back';
}

/**
 * Finds tasks of the person's own or with `approve` that were completed between two states of a
 * board, and reviews that ended.
 */
export function personDecisions(
  before: Board | undefined,
  after: Board | undefined,
): readonly PersonDecision[] {
  if (before === undefined || after === undefined) return [];
  const open = new Map(
    before.tasks.filter((task) => !isFinished(task)).map((task) => [task.key, task]),
  );
  return after.tasks.flatMap((task): readonly PersonDecision[] => {
    const was = open.get(task.key);
    if (was === undefined) return [];
    const { title, status } = task;
    if (isUnderReview(was)) {
      if (status === 'completed') return [{ title, kind: 'accepted' }];
      return isInProgress(task) ? [{ title, kind: 'sent back' }] : [];
    }
    const theirs = task.owner === 'me' || task.approve === 'me';
    return theirs && status === 'completed' ? [{ title, kind: 'did' }] : [];
  });
}

/** The first task in progress without subtasks in progress, board by board. */
export function taskInProgress(boards: readonly Pick<Board, 'tasks'>[]): Task | undefined {
  for (const { tasks } of boards) {
    const running = tasks.filter(isInProgress);
    const parents = new Set(running.map((task) => task.parent));
    const leaf = running.find((task) => !parents.has(task.key));
    if (leaf !== undefined) return leaf;
  }
  return undefined;
}
