import { progress } from '../../core/board/facts';
import { outline, type OutlineRow } from '../../core/board/outline';
import type { Board } from '../../core/board/task';
import type { Finding } from '../../core/board/doctor/finding';
import type { Changes } from '../model/changes';
import { boardRepairs, type Repair } from '../model/repairs';
import { OLDER, olderRow, type OlderRow } from './older-row';
import type { RowCache } from './row-cache';
import { descendants, type SessionItem } from './session-item';
import type { StateLine } from './state-line';

export interface TreeItem {
  /** unique in the sidebar; stays while the row means the same thing */
  readonly id: string;
  readonly session: string;
  /** aria-level: sessions are 1 */
  readonly level: number;
  readonly setsize: number;
  readonly posinset: number;
  /** accessible name */
  readonly name: string;
  /** null where nothing can be folded */
  readonly expanded: boolean | null;
}

export interface SessionRow extends TreeItem {
  readonly kind: 'session' | 'child';
  readonly title: string;
  readonly state: StateLine;
  readonly done: number;
  readonly total: number;
}

/** Heads one board where a session has several. */
export interface BoardRow extends TreeItem {
  readonly kind: 'board';
  readonly title: string;
  readonly done: number;
  readonly total: number;
}

export interface OutlineTreeRow extends TreeItem {
  readonly kind: 'outline';
  readonly board: Board;
  readonly row: OutlineRow;
  /** how often others changed the task since the person looked; 0: not at all */
  readonly touched: number;
}

/** What stands among the rows without being an item of the tree. */
export interface BannerRow {
  readonly kind: 'banner';
  readonly id: string;
  readonly board: Board;
  /** undefined: the note can't be read */
  readonly repair?: Repair;
}
export interface AddRow {
  readonly kind: 'add';
  readonly id: string;
  readonly board: Board;
}

export type ItemRow = SessionRow | BoardRow | OlderRow | OutlineTreeRow;
export type SidebarRow = ItemRow | BannerRow | AddRow;

export interface RowOptions {
  readonly today: string;
  readonly changes: Changes;
  readonly findings: readonly Finding[];
  /** ids of rows that the person folded, of "finished" rows that the person opened */
  readonly folded: ReadonlySet<string>;
  readonly opened: ReadonlySet<string>;
  /** show finished tasks at the heads of phases, however many there are */
  readonly showFinished: boolean;
}

/** Rows of all tasks at which finished ones begin to fold. */
const MANY_ROWS = 20;
const MANY_SESSIONS = 2;

/** The whole sidebar, from top to bottom. Rows of a board that did not change are the same values. */
export function sidebarRows(
  items: readonly SessionItem[],
  options: RowOptions,
  cache: RowCache,
): readonly SidebarRow[] {
  const tasks = items.flatMap((item) => item.boards).reduce((sum, b) => sum + b.tasks.length, 0);
  const many = items.length > MANY_SESSIONS || tasks > MANY_ROWS;
  const foldFinished = many && !options.showFinished;
  const old = items.filter((item) => item.old);
  const shown = items.filter((item) => !item.old);
  const older = options.opened.has(OLDER);
  const count = shown.length + (old.length > 0 ? 1 : 0) + (older ? old.length : 0);
  const rows = (from: number) => (item: SessionItem, index: number) =>
    sessionRows(item, { index: from + index, count }, { ...options, foldFinished }, cache);
  if (old.length === 0) return shown.flatMap(rows(0));
  const head = olderRow(old.length, { index: shown.length, count }, older);
  return [...shown.flatMap(rows(0)), head, ...(older ? old.flatMap(rows(shown.length + 1)) : [])];
}

/** With what follows from all sessions together. */
export type BoardRowOptions = RowOptions & { readonly foldFinished: boolean };

function sessionRows(
  item: SessionItem,
  place: { readonly index: number; readonly count: number },
  options: BoardRowOptions,
  cache: RowCache,
): readonly SidebarRow[] {
  const id = `session\n${item.id}`;
  const hasRows = item.boards.length + item.children.length > 0;
  const expanded = hasRows ? !options.folded.has(id) : null;
  const head: SessionRow = {
    ...headOf(item, id, place),
    kind: 'session',
    level: 1,
    expanded,
  };
  if (expanded !== true) return [head];
  const several = item.boards.length > 1;
  const below = descendants(item);
  const count = below.length + (several ? item.boards.length : 0);
  const children = below.map((child, index): SessionRow => ({
    ...headOf(child, `child\n${child.id}`, { index, count }),
    kind: 'child',
    level: 2,
    expanded: null,
  }));
  const boards = item.boards.flatMap((board, index) => {
    if (!several) return boardRows(board, 2, options, cache);
    const top = boardHead(board, { index: below.length + index, count }, options);
    return top.expanded === true ? [top, ...boardRows(board, 3, options, cache)] : [top];
  });
  const nested = below.flatMap((child) =>
    child.boards.flatMap((board) => boardRows(board, 3, options, cache)),
  );
  return [head, ...children, ...nested, ...boards];
}

function headOf(
  item: SessionItem,
  id: string,
  place: { readonly index: number; readonly count: number },
) {
  const words = item.total > 0 ? `, ${item.done} of ${item.total}` : '';
  return {
    id,
    session: item.id,
    setsize: place.count,
    posinset: place.index + 1,
    title: item.title,
    state: item.state,
    done: item.done,
    total: item.total,
    name: `${item.title}, ${stateWords(item.state)}${words}`,
  };
}

function stateWords({ text, detail }: StateLine): string {
  return detail === undefined ? text : `${text}, ${detail}`;
}

function boardHead(
  board: Board,
  place: { readonly index: number; readonly count: number },
  options: BoardRowOptions,
): BoardRow {
  const id = `board\n${board.path}`;
  const { done, total } = progress(board);
  return {
    kind: 'board',
    id,
    session: board.session,
    level: 2,
    setsize: place.count,
    posinset: place.index + 1,
    title: board.agent,
    done,
    total,
    name: `${board.agent}, ${done} of ${total}`,
    expanded: !options.folded.has(id),
  };
}

function boardRows(
  board: Board,
  level: number,
  options: BoardRowOptions,
  cache: RowCache,
): readonly SidebarRow[] {
  const repairs = boardRepairs(board.path, options.findings).map((repair, index): BannerRow => ({
    kind: 'banner',
    id: `banner ${index}\n${board.path}`,
    board,
    repair,
  }));
  if (board.broken !== null) {
    return [{ kind: 'banner', id: `banner\n${board.path}`, board }, ...repairs];
  }
  const rows = cache.rows(board, level, options, () => [
    ...outlineRows(board, level, options),
    { kind: 'add', id: `add\n${board.path}`, board },
  ]);
  return repairs.length === 0 ? rows : [...repairs, ...rows];
}

function outlineRows(board: Board, level: number, options: BoardRowOptions): readonly SidebarRow[] {
  const prefix = `${board.path}\n`;
  const touched = options.changes.get(board.path);
  const rows = outline(board, {
    foldFinished: options.foldFinished,
    folded: ownKeys(options.folded, prefix),
    opened: ownKeys(options.opened, prefix),
    changed: new Set(touched?.keys()),
    today: options.today,
  });
  return rows.map((row): OutlineTreeRow => ({
    kind: 'outline',
    id: prefix + row.key,
    session: board.session,
    level: row.level + level - 1,
    setsize: row.setsize,
    posinset: row.posinset,
    name: row.name,
    expanded: row.expanded,
    board,
    row,
    touched: row.kind === 'task' ? (touched?.get(row.task.key) ?? 0) : 0,
  }));
}

function ownKeys(ids: ReadonlySet<string>, prefix: string): ReadonlySet<string> {
  return new Set(
    [...ids].filter((id) => id.startsWith(prefix)).map((id) => id.slice(prefix.length)),
  );
}
