import { subtreeOf } from '../../core/board/find-task';
import { t } from '../language/text';
import type { Op, TaskRef } from '../../core/board/op';
import { taskTree, type TaskNode } from '../model/outline';
import type { Board, Task, TaskTarget } from '../../core/board/task';

/** Where a task can be added: after another, under another, or at the end of a phase. */
export type TaskDestination =
  { readonly after: TaskTarget } | { readonly parent: TaskTarget } | { readonly phase: string };

/** Where tasks can be moved: wherever one can be added, or before another. */
export type MovePlace = TaskDestination | { readonly before: TaskTarget };

/**
 * `up`, `down`: among siblings and over headings; `in`: under the one above; `out`: after the
 * parent.
 */
export type TaskMove = 'up' | 'down' | 'in' | 'out';

interface MoveOperations {
  readonly operations: readonly Op[];
  readonly told: string;
}

/** The fields by which an operation identifies a task. */
export function targetOf({ id, line, title }: TaskTarget): TaskTarget {
  return { id, line, title };
}

/** Tasks in the order of their note, without those under another of them, which move along. */
export function topmostTasks(board: Board, tasks: readonly Task[]): readonly Task[] {
  const under = new Set(tasks.flatMap((task) => subtreeOf(board, task).slice(1)));
  const wanted = new Set(tasks.map(({ key }) => key));
  return board.tasks.filter((task) => wanted.has(task.key) && !under.has(task));
}

/** Operations that move tasks to a place and keep their order. */
export function placeOperations(
  board: Board,
  tasks: readonly Task[],
  place: MovePlace,
): readonly Op[] {
  return topmostTasks(board, tasks).map((task, at, all): Op => {
    const last = all[at - 1];
    // The first move gives an id to a task beside or under which it goes.
    const follows = last !== undefined && ('after' in place || lacksId(place));
    return {
      ...{ type: 'move', id: targetOf(task) },
      ...(follows ? { after: refTo(last, true) } : place),
    };
  });
}

function lacksId(place: MovePlace): boolean {
  return Object.values(place).some((one: TaskTarget | string) => {
    return typeof one === 'object' && one.id === null;
  });
}

/** @param later whether an earlier operation of the same change may have given it an id */
export function refTo(task: Task, later: boolean): TaskRef {
  return (later ? laterRef(task) : undefined) ?? targetOf(task);
}

/** How to refer to a task after it may have got an id; undefined if only its line identified it. */
export function laterRef(task: Task): TaskRef | undefined {
  if (task.id !== null) return targetOf(task);
  return /^#?\d+$/.test(task.title) ? undefined : task.title;
}

/**
 * Operations that move tasks one step, neighbours together; undefined if there is no such place.
 */
export function stepOperations(
  board: Board,
  tasks: readonly Task[],
  step: TaskMove,
): MoveOperations | undefined {
  const groups = taskTree(board).map(({ nodes }) => nodes);
  const keys = new Set(tasks.map(({ key }) => key));
  const moves = selectedBlocks(groups, keys, undefined).flatMap((block) => {
    const move = blockStep(groups, block, step);
    return move === undefined
      ? []
      : [{ operations: placeOperations(board, block.tasks, move.place), told: move.told }];
  });
  const [only, ...more] = moves;
  if (only === undefined) return undefined;
  const count = moves.reduce((sum, { operations }) => sum + operations.length, 0);
  const noticeFor = more.length === 0 ? only.told : (BLOCK_NOTICES[step] ?? only.told);
  return { operations: moves.flatMap(({ operations }) => operations), told: noticeFor(count) };
}

/** Makes the notice for a number of moved tasks. */
type MoveNotice = (count: number) => string;

/** Notices for several blocks that move to different places. */
const BLOCK_NOTICES: Readonly<Partial<Record<TaskMove, MoveNotice>>> = {
  in: (count) => t('board.movedUnderOthers', { count }),
  out: (count) => t('board.movedOut', { count }),
};

/** Selected siblings next to each other. */
interface SiblingBlock {
  readonly tasks: readonly Task[];
  readonly siblings: readonly TaskNode[];
  /** index of the first among the siblings */
  readonly at: number;
  readonly parent: Task | undefined;
}

function selectedBlocks(
  groups: readonly (readonly TaskNode[])[],
  keys: ReadonlySet<string>,
  parent: Task | undefined,
): readonly SiblingBlock[] {
  return groups.flatMap((siblings) => {
    const blocks: SiblingBlock[] = [];
    siblings.forEach((node, at) => {
      if (!keys.has(node.task.key)) {
        blocks.push(...selectedBlocks([node.children], keys, node.task));
        return;
      }
      const last = blocks.at(-1);
      const joins = last?.siblings === siblings && last.at + last.tasks.length === at;
      if (joins) blocks[blocks.length - 1] = { ...last, tasks: [...last.tasks, node.task] };
      else blocks.push({ tasks: [node.task], siblings, at, parent });
    });
    return blocks;
  });
}

function blockStep(
  groups: readonly (readonly TaskNode[])[],
  { tasks, siblings, at, parent }: SiblingBlock,
  step: TaskMove,
): { readonly place: MovePlace; readonly told: MoveNotice } | undefined {
  const above = siblings[at - 1]?.task;
  const below = siblings[at + tasks.length]?.task;
  switch (step) {
    case 'up':
      if (above !== undefined) {
        return {
          place: { before: targetOf(above) },
          told: (count) => t('board.movedUp', { count }),
        };
      }
      return parent === undefined ? moveOverHeading(groups, siblings, -1) : undefined;
    case 'down':
      if (below !== undefined) {
        return {
          place: { after: targetOf(below) },
          told: (count) => t('board.movedDown', { count }),
        };
      }
      return parent === undefined ? moveOverHeading(groups, siblings, 1) : undefined;
    case 'in':
      return (
        above && {
          place: { parent: targetOf(above) },
          told: (count) => t('board.movedUnder', { count, title: above.title }),
        }
      );
    case 'out':
      return (
        parent && {
          place: { after: targetOf(parent) },
          told: (count) => t('board.movedOutOf', { count, title: parent.title }),
        }
      );
  }
}

/** Moves to the end of the phase above, or to the start of the one below. */
function moveOverHeading(
  groups: readonly (readonly TaskNode[])[],
  siblings: readonly TaskNode[],
  by: 1 | -1,
) {
  const there = groups[groups.indexOf(siblings) + by];
  const next = there?.at(by === 1 ? 0 : -1)?.task;
  if (next === undefined) return undefined;
  const target = targetOf(next);
  const { phase } = next;
  const told: MoveNotice = (count) =>
    phase === null
      ? t('board.movedToNoHeading', { count })
      : t('board.movedToHeading', { count, phase });
  return { place: by === 1 ? { before: target } : { after: target }, told };
}
