import { plainLine } from '../ui/text';
import { boardFacts, progress } from '../../core/board/facts';
import { outline, type OutlineRow, type TaskRow } from '../model/outline';
import type { Board } from '../../core/board/task';
import { formatProgress, type MarkState } from '../../core/board/task-display';
import type { Finding } from '../../core/board/board-findings';
import type { Changes } from '../model/overview';
import { boardRepairs, type Repair } from '../board/repairs';
import { descendants, type SessionItem } from '../session/session-list';
import type { StateLine } from '../session/state-line';
import { remainingText } from '../model/row-words';
import { COMMA, t } from '../language/text';

interface TreeItem {
  /** unique in the sidebar; stable while the row stands for the same thing */
  readonly id: string;
  readonly session: string;
  /** aria-level; 1 for sessions */
  readonly level: number;
  readonly setsize: number;
  readonly posinset: number;
  /** null: can't be folded */
  readonly expanded: boolean | null;
}

interface NamedItem extends TreeItem {
  /** accessible name; a task's is among its texts */
  readonly name: string;
}

export interface SessionRow extends NamedItem {
  readonly kind: 'session' | 'child';
  readonly title: string;
  /** the program that runs the session, if it must be shown */
  readonly client: string | undefined;
  readonly state: StateLine;
  readonly done: number;
  readonly total: number;
  /** what failed, was skipped or is left, as text; may be empty */
  readonly left: string;
}

/** Heading of one board if a session has several. */
export interface BoardRow extends NamedItem {
  readonly kind: 'board';
  readonly title: string;
  readonly done: number;
  readonly total: number;
}

export interface TaskTreeRow extends TreeItem {
  readonly kind: 'task';
  readonly board: Board;
  readonly row: TaskRow;
  /** number of changes by others since the person looked at the task */
  readonly touched: number;
}

/** A phase, or the group of finished tasks at its start. */
export interface GroupRow extends NamedItem {
  readonly kind: 'group';
  readonly board: Board;
  readonly row: Exclude<OutlineRow, TaskRow>;
}

/** A banner among the rows; not an item of the tree. */
interface BannerRow {
  readonly kind: 'banner';
  readonly id: string;
  readonly board: Board;
  /** undefined: the note can't be read */
  readonly repair?: Repair;
}

interface AddRow {
  readonly kind: 'add';
  readonly id: string;
  readonly board: Board;
}

export type ItemRow = SessionRow | BoardRow | FoldRow | TaskTreeRow | GroupRow;

export type SidebarRow = ItemRow | BannerRow | AddRow;

interface RowOptions {
  readonly today: string;
  readonly changes: Changes;
  readonly findings: readonly Finding[];
  /** ids of rows that the person folded, and of rows folded by default that the person opened */
  readonly folded: ReadonlySet<string>;
  readonly opened: ReadonlySet<string>;
  /** id of the current row, which stays visible although its task is finished */
  readonly pinned: string | undefined;
  /** show finished tasks at the start of phases, however many there are */
  readonly showFinished: boolean;
}

/** Number of task rows from which on finished tasks are folded. */
const MANY_ROWS = 20;

const MANY_SESSIONS = 2;

/** All rows of the sidebar. Rows of unchanged boards are the same objects as before. */
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
  const older = options.opened.has(OLDER_ROW_ID);
  const count = shown.length + (old.length > 0 ? 1 : 0) + (older ? old.length : 0);
  const rows = (from: number) => (item: SessionItem, index: number) =>
    sessionRows(item, { index: from + index, count }, { ...options, foldFinished }, cache);
  if (old.length === 0) return shown.flatMap(rows(0));
  const head = olderRow(old.length, { index: shown.length, count }, older);
  return [...shown.flatMap(rows(0)), head, ...(older ? old.flatMap(rows(shown.length + 1)) : [])];
}

/** Options with what depends on all sessions together. */
type BoardRowOptions = RowOptions & { readonly foldFinished: boolean };

function sessionRows(
  item: SessionItem,
  place: RowPosition,
  options: BoardRowOptions,
  cache: RowCache,
): readonly SidebarRow[] {
  const hasRows = item.boards.length + item.children.length > 0;
  const top = sessionRowTexts(item, 'session');
  const expanded = hasRows ? !options.folded.has(top.id) : null;
  const head: SessionRow = { ...top, ...ariaPosition(1, place), expanded };
  if (expanded !== true) return [head];
  const several = item.boards.length > 1;
  const all = descendants(item);
  const folded = all.filter(canFoldAway);
  const below = all.filter((child) => !canFoldAway(child));
  const heads = below.length + (folded.length > 0 ? 1 : 0);
  const count = heads + (several ? item.boards.length : 0);
  const children = childRows(below, 2, count);
  const run = foldedRows(item.id, folded, { index: below.length, count }, options);
  const boards = item.boards.flatMap((board, index) => {
    if (!several) return boardRows(board, 2, options, cache);
    const heading = boardHead(board, { index: heads + index, count }, options);
    if (heading.expanded !== true) return [heading];
    return [heading, ...boardRows(board, 3, options, cache)];
  });
  const nested = below.flatMap((child) =>
    child.boards.flatMap((board) => boardRows(board, 3, options, cache)),
  );
  return [head, ...children, ...nested, ...run, ...boards];
}

function boardHead(board: Board, place: RowPosition, options: BoardRowOptions): BoardRow {
  const id = `board\n${board.path}`;
  const counts = progress(board);
  const title = plainLine(board.agent);
  const name = `${title}, ${formatProgress(counts)}`;
  const expanded = !options.folded.has(id);
  return {
    kind: 'board',
    id,
    session: board.session,
    ...ariaPosition(2, place),
    title,
    ...counts,
    name,
    expanded,
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
  const rows = cache.rows(board, level, options);
  return repairs.length === 0 ? rows : [...repairs, ...rows];
}

function outlineRows(board: Board, level: number, options: BoardRowOptions): readonly SidebarRow[] {
  const prefix = `${board.path}\n`;
  const touched = options.changes.get(board.path);
  const rows = outline(board, {
    foldFinished: options.foldFinished,
    folded: stripPrefixes(options.folded, prefix),
    opened: stripPrefixes(options.opened, prefix),
    pinned: stripPrefix(options.pinned, prefix),
    changed: new Set(touched?.keys()),
    today: options.today,
  });
  return rows.map((row): TaskTreeRow | GroupRow => {
    const { setsize, posinset, expanded } = row;
    const id = prefix + row.key;
    const { session } = board;
    const at = row.level + level - 1;
    // Written out, since there are thousands of rows and spreads take several times as long.
    if (row.kind === 'task') {
      const touches = touched?.get(row.task.key) ?? 0;
      return {
        kind: 'task',
        id,
        session,
        level: at,
        setsize,
        posinset,
        expanded,
        board,
        row,
        touched: touches,
      };
    }
    const { name } = row;
    return { kind: 'group', id, session, level: at, setsize, posinset, expanded, board, row, name };
  });
}

function stripPrefix(id: string | undefined, prefix: string): string | undefined {
  return id?.startsWith(prefix) === true ? id.slice(prefix.length) : undefined;
}

function stripPrefixes(ids: ReadonlySet<string>, prefix: string): ReadonlySet<string> {
  return new Set(
    [...ids].filter((id) => id.startsWith(prefix)).map((id) => id.slice(prefix.length)),
  );
}

/** The row for the folded sessions of a run, and if it is open those sessions. */
function foldedRows(
  session: string,
  folded: readonly SessionItem[],
  place: RowPosition,
  { opened }: RowOptions,
): readonly SidebarRow[] {
  if (folded.length === 0) return [];
  const expanded = opened.has(runRowId(session));
  const head = runRow(session, folded, place.index > 0, place, expanded);
  return expanded ? [head, ...childRows(folded, 3, folded.length)] : [head];
}

/** @param count number of rows of their level */
function childRows(
  items: readonly SessionItem[],
  level: number,
  count: number,
): readonly SessionRow[] {
  return items.map((child, index) => ({
    ...sessionRowTexts(child, 'child'),
    ...ariaPosition(level, { index, count }),
    expanded: null,
  }));
}

/** Texts of a session's row. The accessible name has them in the row's order. */
function sessionRowTexts(item: SessionItem, kind: SessionRow['kind']) {
  const { client, state } = item;
  const title = plainLine(item.title);
  const { completed: done, counted: total } = item.progress;
  const left = remainingText(item.progress);
  const figures = total > 0 ? formatProgress({ done, total }) : '';
  const named = client === undefined ? [title] : [title, plainLine(client)];
  const parts =
    kind === 'session'
      ? [...named, figures, stateWords(state), left]
      : [...named, stateWords(state), figures, left];
  return {
    ...{ kind, id: `${kind}\n${item.id}`, session: item.id, title, client },
    ...{ state, done, total, left },
    name: parts.filter((part) => part !== '').join(COMMA),
  };
}

/** Omits the seconds of a countdown: screen readers would read a name that changes each second. */
function stateWords({ text, detail }: StateLine): string {
  return detail === undefined ? text : `${text}, ${detail}`;
}

/** A row for folded sessions: those without recent activity, or those of a run. */
export interface FoldRow extends NamedItem {
  readonly kind: 'older' | 'run';
  readonly title: string;
  /** number of them that are working */
  readonly working: number;
}

/** Id of the row of older sessions; they are shown if `opened` contains it. */
export const OLDER_ROW_ID = 'older';

/** Id of the row for sessions of runs that were planned in a session. */
export function runRowId(session: string): string {
  return `run\n${session}`;
}

interface RowPosition {
  readonly index: number;
  /** number of rows of its level */
  readonly count: number;
}

function ariaPosition(level: number, { index, count }: RowPosition) {
  return { level, setsize: count, posinset: index + 1 };
}

function olderRow(sessions: number, place: RowPosition, expanded: boolean): FoldRow {
  const title = t('sidebar.olderSessions', { count: sessions });
  const fold = { kind: 'older', id: OLDER_ROW_ID, session: '', title, name: title } as const;
  return { ...fold, ...ariaPosition(1, place), expanded, working: 0 };
}

/**
 * @param session the session that contains the run's sessions
 * @param some whether other sessions of the run are visible beside it
 */
function runRow(
  session: string,
  folded: readonly SessionItem[],
  some: boolean,
  place: RowPosition,
  expanded: boolean,
): FoldRow {
  const count = folded.length;
  const title = some
    ? t('sidebar.otherSessionsOfRun', { count })
    : t('sidebar.sessionsOfRun', { count });
  const working = folded.filter(({ isWorking: works }) => works).length;
  const name = working === 0 ? title : t('sidebar.titleAndWorking', { title, working });
  const fold = { kind: 'run', id: runRowId(session), session, title, name } as const;
  return { ...fold, ...ariaPosition(2, place), expanded, working };
}

/**
 * Whether a session of a run may be folded: it waits for nothing, did not fail and has no board.
 */
function canFoldAway({ inRun, state, boards }: SessionItem): boolean {
  return inRun && state.tone === 'plain' && boards.length === 0;
}

/** Caches the rows of each board until something changes that they are made from. */
export class RowCache {
  private readonly cached = new Map<
    string,
    { inputs: readonly unknown[]; rows: readonly SidebarRow[] }
  >();

  rows(board: Board, level: number, options: BoardRowOptions): readonly SidebarRow[] {
    const { today, folded, opened, foldFinished, changes } = options;
    const { path } = board;
    const pinned = stripPrefix(options.pinned, `${path}\n`);
    const inputs = [
      ...[board, level, today, folded, opened, foldFinished, pinned],
      changes.get(path),
    ];
    const before = this.cached.get(path);
    if (before?.inputs.every((input, index) => input === inputs[index]) === true) {
      return before.rows;
    }
    const add: AddRow = { kind: 'add', id: `add\n${path}`, board };
    const rows = [...outlineRows(board, level, options), add];
    this.cached.set(path, { inputs, rows });
    return rows;
  }
}

/**
 * The rows that match all words of the filter, with their ancestors and descendants. A word matches
 * a task by title, heading or owner, by a state (`waiting`) or by number (`#6`), and a session or
 * board by title. Rows look the same as without a filter: what a task waits for and the progress of
 * a phase don't depend on what is shown.
 */
export function filteredRows(rows: readonly SidebarRow[], text: string): readonly SidebarRow[] {
  const words = text.toLocaleLowerCase().replaceAll('in progress', 'in-progress').split(/\s+/);
  const wanted = words.filter((word) => word !== '');
  return wanted.length === 0 ? rows : matchingRows(rows, (path) => matchesWords(path, wanted));
}

/**
 * The rows that match, with their ancestors and descendants.
 * @param matches called with a row, last, after its ancestors
 */
export function matchingRows(
  rows: readonly SidebarRow[],
  matches: (path: readonly ItemRow[]) => boolean,
): readonly SidebarRow[] {
  const kept = new Set<SidebarRow>();
  let above: readonly ItemRow[] = [];
  /** level of the matching row whose descendants follow */
  let within = Infinity;
  for (const row of rows) {
    if (!isItem(row)) {
      if (within === 1) kept.add(row);
      continue;
    }
    above = [...above.slice(0, row.level - 1), row];
    if (row.level <= within) within = Infinity;
    if (matches(above)) {
      for (const one of above) kept.add(one);
      within = Math.min(within, row.level);
    }
    if (within < Infinity) kept.add(row);
  }
  return renumberRows(rows.filter((row) => kept.has(row)));
}

/** Whether the last row of a path matches; the rows before it are its ancestors. */
function matchesWords(path: readonly ItemRow[], words: readonly string[]): boolean {
  const row = path.at(-1);
  if (row === undefined) return false;
  if (row.kind === 'run' || row.kind === 'group') return false;
  if (row.kind !== 'task') {
    const client = 'client' in row ? (row.client ?? '') : '';
    const text = `${row.title}\n${client}`.toLocaleLowerCase();
    return words.every((word) => text.includes(word));
  }
  const { task } = row.row;
  const { mark, facts } = row.row.words();
  const heading = path.flatMap((one) =>
    one.kind === 'group' && one.row.kind === 'phase' ? [one.row.title] : [],
  );
  const text = [task.title, task.owner ?? '', ...heading].join('\n').toLocaleLowerCase();
  const states = new Set<string>([
    STATE_WORDS[mark],
    ...(task.owner === 'me' ? ['mine'] : []),
    ...(row.touched > 0 ? ['changed'] : []),
    ...(facts.some(({ kind }) => kind === 'critical') ? ['critical'] : []),
    ...(task.n === null ? [] : [`#${task.n}`]),
  ]);
  return words.every((word) => states.has(word) || (!/^#\d+$/.test(word) && text.includes(word)));
}

/** Words of the filter for states of tasks. */
const STATE_WORDS: Readonly<Record<MarkState, string>> = {
  ready: 'ready',
  waiting: 'waiting',
  in_progress: 'in-progress',
  review: 'in-review',
  completed: 'done',
  failed: 'failed',
  deferred: 'deferred',
  cancelled: 'cancelled',
};

export function isItem(row: SidebarRow): row is ItemRow {
  return row.kind !== 'add' && row.kind !== 'banner';
}

/** Renumbers each row among the remaining rows of its level. */
export function renumberRows(rows: readonly SidebarRow[]): readonly SidebarRow[] {
  const parents = new Map<SidebarRow, string>();
  const sizes = new Map<string, number>();
  let above: readonly string[] = [];
  for (const row of rows) {
    if (!isItem(row)) continue;
    const parent = above[row.level - 2] ?? '';
    above = [...above.slice(0, row.level - 1), row.id];
    parents.set(row, parent);
    sizes.set(parent, (sizes.get(parent) ?? 0) + 1);
  }
  const counted = new Map<string, number>();
  return rows.map((row) => {
    const parent = parents.get(row);
    if (!isItem(row) || parent === undefined) return row;
    const posinset = (counted.get(parent) ?? 0) + 1;
    counted.set(parent, posinset);
    return { ...row, posinset, setsize: sizes.get(parent) ?? 1 };
  });
}

/** Id of the next row with a ready task, wrapping around at the end; undefined if there is none. */
export function nextReady(rows: readonly ItemRow[], from: string | undefined): string | undefined {
  const at = rows.findIndex((row) => row.id === from) + 1;
  return [...rows.slice(at), ...rows.slice(0, at)].find(isReady)?.id;
}

function isReady(row: ItemRow): boolean {
  return row.kind === 'task' && boardFacts(row.board).get(row.row.task.key)?.ready === true;
}
