import type { PersonOperation } from '../../core/board/person/person-operation';
import type { Board, Task } from '../../core/board/task';
import { taskTree, type TaskNode } from '../../core/board/task-tree';
import { targetOf } from './board-writes';

/** Up and down among the siblings and over headings; in under the one above, out behind its parent. */
export type Step = 'up' | 'down' | 'in' | 'out';

export interface StepWay {
  readonly operations: readonly PersonOperation[];
  readonly told: string;
}

/** How a task goes one step; undefined where there is no such place. */
export function stepTask(board: Board, { key }: Task, step: Step): StepWay | undefined {
  const groups = taskTree(board.tasks).map(({ nodes }) => nodes);
  const found = findIn(groups, key, undefined);
  if (found === undefined) return undefined;
  const { task, siblings, at, parent } = found;
  const [above, below] = [siblings[at - 1]?.task, siblings[at + 1]?.task];
  switch (step) {
    // There is no place before a task: the one above goes behind instead.
    case 'up':
      if (above !== undefined) return way('Moved up.', behind(above, task));
      return parent === undefined ? overHeading(groups, found, -1) : undefined;
    case 'down':
      if (below !== undefined) return way('Moved down.', behind(task, below));
      return parent === undefined ? overHeading(groups, found, 1) : undefined;
    case 'in':
      if (above === undefined) return undefined;
      return way(`Moved under ${above.title}.`, {
        type: 'move',
        target: targetOf(task),
        parent: targetOf(above),
      });
    case 'out':
      return parent && way(`Moved out of ${parent.title}.`, behind(task, parent));
  }
}

interface Found {
  readonly task: Task;
  readonly siblings: readonly TaskNode[];
  readonly at: number;
  readonly parent: Task | undefined;
}

function findIn(
  groups: readonly (readonly TaskNode[])[],
  key: string,
  parent: Task | undefined,
): Found | undefined {
  for (const siblings of groups) {
    const at = siblings.findIndex((node) => node.task.key === key);
    const task = siblings[at]?.task;
    if (task !== undefined) return { task, siblings, at, parent };
    for (const node of siblings) {
      const found = findIn([node.children], key, node.task);
      if (found !== undefined) return found;
    }
  }
  return undefined;
}

/** To the end of the phase above, or to the head of the one below. */
function overHeading(
  groups: readonly (readonly TaskNode[])[],
  { task, siblings }: Found,
  by: 1 | -1,
): StepWay | undefined {
  const there = groups[groups.indexOf(siblings) + by];
  const next = there?.at(by === 1 ? 0 : -1)?.task;
  if (next === undefined) return undefined;
  const told = `Moved to ${next.phase ?? 'the tasks under no heading'}.`;
  // Named by its place, a task without an id is found only until the first of two moves.
  const swap = by === 1 && task.id !== null && next.id !== null;
  return way(told, behind(task, next), ...(swap ? [behind(next, task)] : []));
}

function behind(task: Task, after: Task): PersonOperation {
  return { type: 'move', target: targetOf(task), after: targetOf(after) };
}

function way(told: string, ...operations: readonly PersonOperation[]): StepWay {
  return { operations, told };
}
