import type { Board, Task } from '../../core/board/task';
import { isWritable } from '../board-view/shown-boards';
import { targetOf, type MovePlace } from '../board/task-moves';
import { actedOn, type Selection } from '../model/selection';
import { isItem, type ItemRow, type SidebarRow, type TaskTreeRow } from './rows';
import { t } from '../language/text';
import { plainLine } from '../ui/text';

/** Where picked up tasks would be dropped. */
export type CarrySpot =
  | { readonly kind: 'after' | 'before' | 'under'; readonly row: TaskTreeRow }
  | { readonly kind: 'phase'; readonly board: Board; readonly title: string }
  /** after the last task of a board */
  | { readonly kind: 'end'; readonly board: Board };

/** Tasks that were picked up, and where they would be dropped. */
export interface Carry {
  /** ids of their rows, the pressed one first; rows under them move along */
  readonly ids: readonly string[];
  /** undefined: they stay in their place */
  readonly spot: CarrySpot | undefined;
  /** whether they follow the pointer */
  readonly pointer: boolean;
}

/**
 * Picks up a row, with the other selected rows if it is selected; undefined if it can't be moved.
 */
export function lifted(
  rows: readonly SidebarRow[],
  picked: Selection,
  id: string,
  pointer: boolean,
): Carry | undefined {
  const row = rowOf(rows, id);
  if (row === undefined || !isWritable(row.board)) return undefined;
  const others = actedOn(picked, id, (one) => rowOf(rows, one)?.id).filter((one) => one !== id);
  return { ids: [id, ...others], spot: undefined, pointer };
}

/** The carried tasks that are still shown. */
export function carriedTasks(
  rows: readonly SidebarRow[],
  { ids }: Carry,
): { readonly board: Board; readonly tasks: readonly Task[] } | undefined {
  const all = ids.flatMap((id) => rowOf(rows, id) ?? []);
  const board = all[0]?.board;
  return board && { board, tasks: all.map(({ row }) => row.task) };
}

/** The rows without the carried ones and those under them, which move along and are no targets. */
export function restRows(rows: readonly SidebarRow[], { ids }: Carry): readonly SidebarRow[] {
  let deep = Infinity;
  return rows.filter((row) => {
    if (!isItem(row) || row.level <= deep) deep = Infinity;
    if (row.kind === 'task' && deep === Infinity && ids.includes(row.id)) deep = row.level;
    return deep === Infinity;
  });
}

/** The effect of a key on a carry; undefined: none. */
export function carryKey(
  rows: readonly SidebarRow[],
  carry: Carry,
  key: string,
): Carry | 'drop' | 'back' | undefined {
  const { spot } = carry;
  switch (key) {
    case 'ArrowDown':
      return stepped(rows, carry, 1);
    case 'ArrowUp':
      return stepped(rows, carry, -1);
    case 'ArrowRight':
      return spot?.kind === 'after' ? { ...carry, spot: { ...spot, kind: 'under' } } : carry;
    case 'ArrowLeft':
      return spot?.kind === 'under' ? { ...carry, spot: { ...spot, kind: 'after' } } : carry;
    case 'Enter':
      return spot === undefined ? 'back' : 'drop';
    case 'Escape':
    case 'm':
      return 'back';
    default:
      return undefined;
  }
}

/** Moves the spot after the next task, even of another board; at the top before the first. */
function stepped(rows: readonly SidebarRow[], carry: Carry, by: 1 | -1): Carry | undefined {
  const { spot, ids } = carry;
  const rest = new Set(restRows(rows, carry));
  const at = spot !== undefined && 'row' in spot ? spot.row.id : ids[0];
  let place = rows.findIndex(({ id }) => id === at);
  const next = () => rows[(place += by)];
  for (let row = next(); row !== undefined; row = next()) {
    if (row.id === ids[0]) return { ...carry, spot: undefined };
    if (row.kind !== 'task' || !rest.has(row) || !isWritable(row.board)) continue;
    return { ...carry, spot: { kind: 'after', row } };
  }
  const first = by < 0 && spot?.kind === 'after' ? spot.row : undefined;
  return first && { ...carry, spot: { kind: 'before', row: first } };
}

/**
 * The spot for a pointer between two rows.
 * @param rest the rows without the carried ones
 * @param gap index in `rest` of the row below the pointer
 * @param depth depth that the pointer asks for; 0: as deep as the tasks of a phase
 * @param boardOf returns the only board of a session whose rows are folded away
 */
export function spotAt(
  rest: readonly SidebarRow[],
  gap: number,
  depth: number,
  boardOf: (session: string) => Board | undefined,
): CarrySpot | undefined {
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
      return writable({ kind: 'end', board: above.board });
    case 'task':
      return writable(besideTask(rest, gap, above, below, depth));
    case 'group':
      if (below?.board === above.board) return writable({ kind: 'before', row: below });
      return writable(phaseOf(rest, gap) ?? { kind: 'end', board: above.board });
    case 'session': {
      const board = above.expanded === true ? undefined : boardOf(above.session);
      if (board !== undefined) return writable({ kind: 'end', board });
      return next?.kind === 'group' || next?.kind === 'board'
        ? spotAt(rest, gap + 1, depth, boardOf)
        : writable(below && { kind: 'before', row: below });
    }
    case 'board':
    case 'banner':
      return next?.kind === 'group'
        ? spotAt(rest, gap + 1, depth, boardOf)
        : writable(below && { kind: 'before', row: below });
  }
}

function besideTask(
  rest: readonly SidebarRow[],
  gap: number,
  above: TaskTreeRow,
  below: TaskTreeRow | undefined,
  wanted: number,
): CarrySpot | undefined {
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
function phaseOf(rest: readonly SidebarRow[], gap: number): CarrySpot | undefined {
  const head = rest
    .slice(0, gap)
    .findLast(
      (row) => (row.kind === 'group' && row.row.kind === 'phase') || row.kind === 'session',
    );
  if (head?.kind !== 'group' || head.row.kind !== 'phase') return undefined;
  return { kind: 'phase', board: head.board, title: head.row.title };
}

export function boardOfSpot(spot: CarrySpot): Board {
  return 'row' in spot ? spot.row.board : spot.board;
}

function writable(spot: CarrySpot | undefined): CarrySpot | undefined {
  return spot !== undefined && isWritable(boardOfSpot(spot)) ? spot : undefined;
}

/** Where carried tasks go when dropped; undefined if they are already there. */
export function carryPlace(
  rows: readonly SidebarRow[],
  carry: Carry,
): { readonly to: Board; readonly place: MovePlace | undefined } | undefined {
  const { spot } = carry;
  const from = carriedTasks(rows, carry);
  if (spot === undefined || from === undefined) return undefined;
  const to = boardOfSpot(spot);
  const away = to.path !== from.board.path;
  if (spot.kind === 'phase') return { to, place: { phase: spot.title } };
  if (spot.kind === 'end') {
    const carried = new Set(from.tasks.map(({ key }) => key));
    const last = to.tasks.findLast(({ parent, key }) => parent === null && !carried.has(key));
    if (away || last === undefined) return away ? { to, place: undefined } : undefined;
    return { to, place: { after: targetOf(last) } };
  }
  const beside = spot.row.row.task;
  if (!away && stays(to, from.tasks, spot.kind, beside)) return undefined;
  const target = targetOf(beside);
  if (spot.kind === 'under') return { to, place: { parent: target } };
  return { to, place: spot.kind === 'after' ? { after: target } : { before: target } };
}

/** Whether the carried tasks are already at a place, in this order. */
function stays(
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
  spot: CarrySpot,
): { readonly below: string; readonly depth: number } | undefined {
  if ('row' in spot) {
    const { depth } = spot.row.row.task;
    const at = rows.findIndex(({ id }) => id === spot.row.id);
    const below = spot.kind === 'before' ? rows[at - 1]?.id : lastUnder(rows, spot.row);
    return below === undefined
      ? undefined
      : { below, depth: depth + (spot.kind === 'under' ? 1 : 0) };
  }
  const last = rows.findLast(
    (row) => isOf(row, spot.board) && (spot.kind === 'end' || inPhase(row, spot.title)),
  );
  return last && { below: last.id, depth: 0 };
}

function isOf(row: SidebarRow, board: Board): boolean {
  if (row.kind === 'session') return row.session === board.session;
  return (row.kind === 'task' || row.kind === 'group') && row.board.path === board.path;
}

function inPhase(row: SidebarRow, title: string): boolean {
  if (row.kind === 'task') return row.row.task.phase === title;
  return row.kind === 'group' && row.row.kind === 'phase' && row.row.title === title;
}

/** Id of the last row under a task: only its sub-tasks are deeper rows of its board. */
export function lastUnder(rows: readonly SidebarRow[], task: TaskTreeRow): string {
  const at = rows.findIndex(({ id }) => id === task.id);
  const next = rows.findIndex(
    (row, index) => index > at && (row.kind !== 'task' || row.level <= task.level),
  );
  return rows[(next < 0 ? rows.length : next) - 1]?.id ?? task.id;
}

/** Announcement for screen readers while tasks are carried. */
export function carryWords(rows: readonly SidebarRow[], carry: Carry): string {
  const from = carriedTasks(rows, carry);
  if (from === undefined) return '';
  const [first, ...more] = from.tasks;
  const title = plainLine(first?.title ?? '');
  const what = more.length > 0 ? t('sidebar.andMore', { title, count: more.length }) : title;
  const { spot, pointer } = carry;
  if (spot === undefined) {
    return pointer ? t('sidebar.letGoToPutBack', { what }) : t('sidebar.pickedUp', { what });
  }
  const to = boardOfSpot(spot);
  const words = spotWords(spot);
  return to.path === from.board.path
    ? t('sidebar.spot', { spot: words })
    : t('sidebar.spotInPlan', { spot: words, plan: to.title });
}

function spotWords(spot: CarrySpot): string {
  if (spot.kind === 'phase') return t('sidebar.lastInTitle', { title: spot.title });
  if (spot.kind === 'end') return t('sidebar.lastOfThePlan');
  const { title, phase } = spot.row.row.task;
  return phase === null
    ? t(`spot.${spot.kind}`, { title })
    : t(`spotInPhase.${spot.kind}`, { title, phase });
}

function rowOf(rows: readonly SidebarRow[], id: string): TaskTreeRow | undefined {
  const row = rows.find((one) => one.id === id);
  return row?.kind === 'task' ? row : undefined;
}

export function isTask(row: ItemRow | undefined): row is TaskTreeRow {
  return row?.kind === 'task';
}
