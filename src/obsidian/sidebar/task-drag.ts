import type { Board, Task } from '../../core/board/task';
import { isWritable } from '../board-view/shown-boards';
import { targetOf, type MovePlace } from '../board/task-moves';
import { actionTargets, type Selection } from '../model/selection';
import { isItem, type ItemRow, type SidebarRow, type TaskTreeRow } from './rows';
import { t } from '../language/text';
import { plainLine } from '../ui/text';

/** Where picked up tasks would be dropped. */
export type DropTarget =
  | { readonly kind: 'after' | 'before' | 'under'; readonly row: TaskTreeRow }
  | { readonly kind: 'phase'; readonly board: Board; readonly title: string }
  /** after the last task of a board */
  | { readonly kind: 'end'; readonly board: Board };

/** Tasks that were picked up, and where they would be dropped. */
export interface TaskDrag {
  /** ids of their rows, the pressed one first; rows under them move along */
  readonly ids: readonly string[];
  /** undefined: they stay in their place */
  readonly dropTarget: DropTarget | undefined;
  /** whether they follow the pointer */
  readonly pointer: boolean;
}

/**
 * Picks up a row, with the other selected rows if it is selected; undefined if it can't be moved.
 */
export function startDrag(
  rows: readonly SidebarRow[],
  picked: Selection,
  id: string,
  pointer: boolean,
): TaskDrag | undefined {
  const row = rowOf(rows, id);
  if (row === undefined || !isWritable(row.board)) return undefined;
  const others = actionTargets(picked, id, (one) => rowOf(rows, one)?.id).filter(
    (one) => one !== id,
  );
  return { ids: [id, ...others], dropTarget: undefined, pointer };
}

/** The carried tasks that are still shown. */
export function draggedTasks(
  rows: readonly SidebarRow[],
  { ids }: TaskDrag,
): { readonly board: Board; readonly tasks: readonly Task[] } | undefined {
  const all = ids.flatMap((id) => rowOf(rows, id) ?? []);
  const board = all[0]?.board;
  return board && { board, tasks: all.map(({ row }) => row.task) };
}

/** The rows without the carried ones and those under them, which move along and are no targets. */
export function rowsWithoutDragged(
  rows: readonly SidebarRow[],
  { ids }: TaskDrag,
): readonly SidebarRow[] {
  let deep = Infinity;
  return rows.filter((row) => {
    if (!isItem(row) || row.level <= deep) deep = Infinity;
    if (row.kind === 'task' && deep === Infinity && ids.includes(row.id)) deep = row.level;
    return deep === Infinity;
  });
}

/** The effect of a key on a carry; undefined: none. */
export function dragKey(
  rows: readonly SidebarRow[],
  drag: TaskDrag,
  key: string,
): TaskDrag | 'drop' | 'back' | undefined {
  const { dropTarget } = drag;
  switch (key) {
    case 'ArrowDown':
      return moveTarget(rows, drag, 1);
    case 'ArrowUp':
      return moveTarget(rows, drag, -1);
    case 'ArrowRight':
      return dropTarget?.kind === 'after'
        ? { ...drag, dropTarget: { ...dropTarget, kind: 'under' } }
        : drag;
    case 'ArrowLeft':
      return dropTarget?.kind === 'under'
        ? { ...drag, dropTarget: { ...dropTarget, kind: 'after' } }
        : drag;
    case 'Enter':
      return dropTarget === undefined ? 'back' : 'drop';
    case 'Escape':
    case 'm':
      return 'back';
    default:
      return undefined;
  }
}

/** Moves the spot after the next task, even of another board; at the top before the first. */
function moveTarget(rows: readonly SidebarRow[], drag: TaskDrag, by: 1 | -1): TaskDrag | undefined {
  const { dropTarget, ids } = drag;
  const rest = new Set(rowsWithoutDragged(rows, drag));
  const at = dropTarget !== undefined && 'row' in dropTarget ? dropTarget.row.id : ids[0];
  let place = rows.findIndex(({ id }) => id === at);
  const next = () => rows[(place += by)];
  for (let row = next(); row !== undefined; row = next()) {
    if (row.id === ids[0]) return { ...drag, dropTarget: undefined };
    if (row.kind !== 'task' || !rest.has(row) || !isWritable(row.board)) continue;
    return { ...drag, dropTarget: { kind: 'after', row } };
  }
  const first = by < 0 && dropTarget?.kind === 'after' ? dropTarget.row : undefined;
  return first && { ...drag, dropTarget: { kind: 'before', row: first } };
}

/**
 * The spot for a pointer between two rows.
 * @param rest the rows without the carried ones
 * @param gap index in `rest` of the row below the pointer
 * @param depth depth that the pointer asks for; 0: as deep as the tasks of a phase
 * @param boardOf returns the only board of a session whose rows are folded away
 */
export function dropTargetAt(
  rest: readonly SidebarRow[],
  gap: number,
  depth: number,
  boardOf: (session: string) => Board | undefined,
): DropTarget | undefined {
  const above = rest[gap - 1];
  const next = rest[gap];
  const below = next?.kind === 'task' ? next : undefined;
  switch (above?.kind) {
    case undefined:
    case 'older':
    case 'run':
    case 'child':
      return undefined;
    case 'add':
      return ifWritable({ kind: 'end', board: above.board });
    case 'task':
      return ifWritable(targetBesideTask(rest, gap, above, below, depth));
    case 'group':
      if (below?.board === above.board) return ifWritable({ kind: 'before', row: below });
      return ifWritable(phaseTarget(rest, gap) ?? { kind: 'end', board: above.board });
    case 'session': {
      const board = above.expanded === true ? undefined : boardOf(above.session);
      if (board !== undefined) return ifWritable({ kind: 'end', board });
      return next?.kind === 'group' || next?.kind === 'board'
        ? dropTargetAt(rest, gap + 1, depth, boardOf)
        : ifWritable(below && { kind: 'before', row: below });
    }
    case 'board':
    case 'banner':
      return next?.kind === 'group'
        ? dropTargetAt(rest, gap + 1, depth, boardOf)
        : ifWritable(below && { kind: 'before', row: below });
  }
}

function targetBesideTask(
  rest: readonly SidebarRow[],
  gap: number,
  above: TaskTreeRow,
  below: TaskTreeRow | undefined,
  wanted: number,
): DropTarget | undefined {
  const own = above.row.task.depth;
  const least = below?.board === above.board ? below.row.task.depth : 0;
  const depth = Math.min(Math.max(wanted, least), own + 1);
  if (depth > own) {
    const isChild = below !== undefined && least > own;
    return isChild ? { kind: 'before', row: below } : { kind: 'under', row: above };
  }
  const row = rest
    .slice(0, gap)
    .findLast((one) => one.kind === 'task' && one.row.task.depth === depth);
  return row?.kind === 'task' ? { kind: 'after', row } : undefined;
}

/** The end of the phase above a gap; undefined if there is none. */
function phaseTarget(rest: readonly SidebarRow[], gap: number): DropTarget | undefined {
  const head = rest
    .slice(0, gap)
    .findLast(
      (row) => (row.kind === 'group' && row.row.kind === 'phase') || row.kind === 'session',
    );
  if (head?.kind !== 'group' || head.row.kind !== 'phase') return undefined;
  return { kind: 'phase', board: head.board, title: head.row.title };
}

export function targetBoard(dropTarget: DropTarget): Board {
  return 'row' in dropTarget ? dropTarget.row.board : dropTarget.board;
}

function ifWritable(dropTarget: DropTarget | undefined): DropTarget | undefined {
  return dropTarget !== undefined && isWritable(targetBoard(dropTarget)) ? dropTarget : undefined;
}

/** Where carried tasks go when dropped; undefined if they are already there. */
export function dropDestination(
  rows: readonly SidebarRow[],
  drag: TaskDrag,
): { readonly to: Board; readonly place: MovePlace | undefined } | undefined {
  const { dropTarget } = drag;
  const from = draggedTasks(rows, drag);
  if (dropTarget === undefined || from === undefined) return undefined;
  const to = targetBoard(dropTarget);
  const away = to.path !== from.board.path;
  if (dropTarget.kind === 'phase') return { to, place: { phase: dropTarget.title } };
  if (dropTarget.kind === 'end') {
    const carried = new Set(from.tasks.map(({ key }) => key));
    const last = to.tasks.findLast(({ parent, key }) => parent === null && !carried.has(key));
    if (away || last === undefined) return away ? { to, place: undefined } : undefined;
    return { to, place: { after: targetOf(last) } };
  }
  const beside = dropTarget.row.row.task;
  if (!away && isInPlace(to, from.tasks, dropTarget.kind, beside)) return undefined;
  const target = targetOf(beside);
  if (dropTarget.kind === 'under') return { to, place: { parent: target } };
  return { to, place: dropTarget.kind === 'after' ? { after: target } : { before: target } };
}

/** Whether the carried tasks are already at a place, in this order. */
function isInPlace(
  { tasks }: Board,
  carried: readonly Task[],
  kind: 'after' | 'before' | 'under',
  beside: Task,
): boolean {
  const keys = new Set(carried.map(({ key }) => key));
  const [one] = carried;
  if (one === undefined) return true;
  const siblings = tasks.filter(
    ({ parent, phase }) => parent === one.parent && phase === one.phase,
  );
  const first = siblings.findIndex(({ key }) => keys.has(key));
  const together = siblings.slice(first, first + carried.length);
  if (together.length < carried.length || !together.every(({ key }) => keys.has(key))) return false;
  const behind = siblings[first + carried.length];
  if (kind === 'under') return beside.key === one.parent && behind === undefined;
  return (kind === 'after' ? siblings[first - 1] : behind)?.key === beside.key;
}

/** Where to draw the drop line for a spot: below which row, and how deep. */
export function dropLine(
  rows: readonly SidebarRow[],
  dropTarget: DropTarget,
): { readonly below: string; readonly depth: number } | undefined {
  if ('row' in dropTarget) {
    const { depth } = dropTarget.row.row.task;
    const at = rows.findIndex(({ id }) => id === dropTarget.row.id);
    const below =
      dropTarget.kind === 'before' ? rows[at - 1]?.id : lastDescendantId(rows, dropTarget.row);
    return below === undefined
      ? undefined
      : { below, depth: depth + (dropTarget.kind === 'under' ? 1 : 0) };
  }
  const last = rows.findLast(
    (row) =>
      belongsToBoard(row, dropTarget.board) &&
      (dropTarget.kind === 'end' || inPhase(row, dropTarget.title)),
  );
  return last && { below: last.id, depth: 0 };
}

function belongsToBoard(row: SidebarRow, board: Board): boolean {
  if (row.kind === 'session') return row.session === board.session;
  return (row.kind === 'task' || row.kind === 'group') && row.board.path === board.path;
}

function inPhase(row: SidebarRow, title: string): boolean {
  if (row.kind === 'task') return row.row.task.phase === title;
  return row.kind === 'group' && row.row.kind === 'phase' && row.row.title === title;
}

/** Id of the last row under a task: only its subtasks are deeper rows of its board. */
export function lastDescendantId(rows: readonly SidebarRow[], task: TaskTreeRow): string {
  const at = rows.findIndex(({ id }) => id === task.id);
  const next = rows.findIndex(
    (row, index) => index > at && (row.kind !== 'task' || row.level <= task.level),
  );
  return rows[(next < 0 ? rows.length : next) - 1]?.id ?? task.id;
}

/** Announcement for screen readers while tasks are carried. */
export function dragAnnouncement(rows: readonly SidebarRow[], drag: TaskDrag): string {
  const from = draggedTasks(rows, drag);
  if (from === undefined) return '';
  const [first, ...more] = from.tasks;
  const title = plainLine(first?.title ?? '');
  const what = more.length > 0 ? t('sidebar.andMore', { title, count: more.length }) : title;
  const { dropTarget, pointer } = drag;
  if (dropTarget === undefined) {
    return pointer ? t('sidebar.letGoToPutBack', { what }) : t('sidebar.pickedUp', { what });
  }
  const to = targetBoard(dropTarget);
  const words = targetWords(dropTarget);
  return to.path === from.board.path
    ? t('sidebar.spot', { spot: words })
    : t('sidebar.spotInPlan', { spot: words, plan: to.title });
}

function targetWords(dropTarget: DropTarget): string {
  if (dropTarget.kind === 'phase') return t('sidebar.lastInTitle', { title: dropTarget.title });
  if (dropTarget.kind === 'end') return t('sidebar.lastOfThePlan');
  const { title, phase } = dropTarget.row.row.task;
  return phase === null
    ? t(`spot.${dropTarget.kind}`, { title })
    : t(`spotInPhase.${dropTarget.kind}`, { title, phase });
}

function rowOf(rows: readonly SidebarRow[], id: string): TaskTreeRow | undefined {
  const row = rows.find((one) => one.id === id);
  return row?.kind === 'task' ? row : undefined;
}

export function isTask(row: ItemRow | undefined): row is TaskTreeRow {
  return row?.kind === 'task';
}
