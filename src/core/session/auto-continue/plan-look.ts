import { boardFacts } from '../../board/facts';
import { myTasks } from '../../board/my-tasks';
import type { Board, Task } from '../../board/task';

/** What going on depends on, of the plan of one session. */
export interface PlanLook {
  /** the first ready task that is not the person's own, in the order of the notes */
  readonly next: Pick<Task, 'n' | 'title'> | undefined;
  /** the first task that waits for the person */
  readonly mine: Pick<Task, 'title'> | undefined;
  /** the same number for the same statuses: which tasks are in which, those still pending left out */
  readonly marks: number;
}

/**
 * @param own boards of the session
 * @param family those of the sessions of its sub-agents: work done there is progress here
 */
export function lookAtPlan(own: readonly Board[], family: readonly Board[]): PlanLook {
  return {
    next: first(own, (board) => {
      const facts = boardFacts(board);
      return board.tasks.find((task) => task.owner !== 'me' && facts.get(task.key)?.ready === true);
    }),
    mine: first(own, (board) => myTasks(board, false)[0]?.task),
    marks: marksOf([...own, ...family]),
  };
}

function first<T>(boards: readonly Board[], find: (board: Board) => T | undefined): T | undefined {
  for (const board of boards) {
    const found = find(board);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** A sum, so that moving tasks about is no change; new tasks alone are none either. */
function marksOf(boards: readonly Board[]): number {
  let sum = 0;
  for (const { path, tasks } of boards) {
    for (const { id, title, status } of tasks) {
      if (status !== 'pending') sum = (sum + fnv(`${path}\n${id ?? title}\n${status}`)) >>> 0;
    }
  }
  return sum;
}

/** FNV-1a, 32 bit. Two that meet by chance only make a turn look idle, which stops. */
function fnv(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  }
  return hash >>> 0;
}
