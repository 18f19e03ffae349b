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
 * @param atWork a turn runs: what is in progress is then worked on, and not yet to be approved
 */
export function myTasks(
  board: Pick<Board, 'tasks' | 'archived'>,
  atWork: boolean,
): readonly MyTask[] {
  const facts = boardFacts(board);
  return board.tasks.flatMap((task): readonly MyTask[] => {
    const { ready, blocked, children, finishedChildren } = facts.get(task.key) ?? NONE;
    const running = task.status === 'in_progress' && !blocked;
    if (task.owner === 'me') return ready || running ? [{ task, why: 'own' }] : [];
    const held = running && !atWork && task.approve === 'me' && finishedChildren === children;
    return held ? [{ task, why: 'approve' }] : [];
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
