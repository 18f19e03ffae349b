import { boardFacts, isFinished } from './facts';
import type { Board, Task } from './task';

/** A task that waits for the person: theirs to do, or done but for their word. */
export interface MyTask {
  readonly task: Task;
  readonly why: 'own' | 'approve';
}

/**
 * What on a board waits for the person, in the order of the note: tasks of owner `me` that are ready
 * or in progress, and those to be approved that an agent left in progress, with nothing open below.
 * @param worked whether an agent is at a task that is in progress, so that it is not yet to be approved
 */
export function myTasks(
  board: Pick<Board, 'tasks' | 'archived' | 'unchecked'>,
  worked: (task: Task) => boolean,
): readonly MyTask[] {
  const facts = boardFacts(board);
  return board.tasks.flatMap((task): readonly MyTask[] => {
    const { ready, blocked, children, finishedChildren } = facts.get(task.key) ?? NONE;
    const running = task.status === 'in_progress' && !blocked;
    if (task.owner === 'me') return ready || running ? [{ task, why: 'own' }] : [];
    const held = running && task.approve === 'me' && finishedChildren === children;
    return held && !worked(task) ? [{ task, why: 'approve' }] : [];
  });
}

const NONE = { ready: false, blocked: true, children: 0, finishedChildren: 0 };

/** Titles of own tasks, and of those that waited for approval, which were open and are done now. */
export function doneByPerson(
  before: Board | undefined,
  after: Board | undefined,
): readonly string[] {
  if (before === undefined || after === undefined) return [];
  const open = new Set(before.tasks.filter((task) => !isFinished(task)).map(({ key }) => key));
  return after.tasks
    .filter(({ owner, approve }) => owner === 'me' || approve === 'me')
    .filter(({ key, status }) => status === 'completed' && open.has(key))
    .map(({ title }) => title);
}

/** The first task in progress that has none in progress below it, board by board. */
export function taskInProgress(boards: readonly Board[]): Task | undefined {
  for (const { tasks } of boards) {
    const running = tasks.filter((task) => task.status === 'in_progress');
    const parents = new Set(running.map((task) => task.parent));
    const leaf = running.find((task) => !parents.has(task.key));
    if (leaf !== undefined) return leaf;
  }
  return undefined;
}
