import type { Board, Task } from '../../core/board/task';
import {
  carryKey,
  carryPlace,
  withFilter,
  withFold,
  withoutFilter,
  withSelected,
  type Carry,
  type UiState,
} from './ui-state';
import type { TaskMove } from '../board/board-actions';
import type { Intents } from '../board/intents';
import type { ItemRow } from './rows';
import type { Anchor } from '../ui/menu';

interface TreeContext {
  readonly items: readonly ItemRow[];
  /** the row that has the keyboard */
  readonly stop: string | undefined;
  readonly ui: UiState;
  readonly setUi: (change: (ui: UiState) => UiState) => void;
  readonly intents: Intents;
}

/** Carries out the key map of the sidebar; keys that mean nothing here pass through. */
export function treeCommand(event: KeyboardEvent, context: TreeContext): void {
  if (event.isComposing || event.target instanceof HTMLInputElement) return;
  const { carry } = context.ui;
  if (carry !== undefined) {
    carryCommand(event.key, carry, context);
    event.preventDefault();
    event.stopPropagation();
    return;
  }
  const done = event.ctrlKey || event.metaKey ? chord(event, context) : plain(event, context);
  if (!done) return;
  event.preventDefault();
  event.stopPropagation();
}

function carryCommand(key: string, carry: Carry, { items, setUi, intents }: TreeContext): void {
  const done = carryKey(items, carry, key);
  if (done === undefined) return;
  setUi((ui) => ({ ...ui, carry: typeof done === 'string' ? undefined : done }));
  const own = items.find(({ id }) => id === carry.id);
  const place = done === 'drop' ? carryPlace(items, carry) : undefined;
  if (place === undefined || own?.kind !== 'outline' || own.row.kind !== 'task') return;
  intents.move(own.board, own.row.task, place);
}

function chord(event: KeyboardEvent, context: TreeContext): boolean {
  if (event.key.toLowerCase() === 'z') {
    if (event.shiftKey) context.intents.redo();
    else context.intents.undo();
    return true;
  }
  const on = taskOf(context);
  if (event.key !== 'Enter' || on === undefined) return false;
  context.intents.open(on.board, on.task, true);
  return true;
}

function plain(event: KeyboardEvent, context: TreeContext): boolean {
  if (event.altKey) return step(event.key, context);
  return move(event.key, context) || onTask(event, context) || onView(event, context);
}

const STEPS: Readonly<Record<string, TaskMove>> = {
  ArrowUp: 'up',
  ArrowDown: 'down',
  ArrowRight: 'in',
  ArrowLeft: 'out',
};

function step(key: string, context: TreeContext): boolean {
  const on = taskOf(context);
  const way = STEPS[key];
  if (on === undefined || way === undefined) return false;
  context.intents.step(on.board, on.task, way);
  return true;
}

function move(key: string, { items, stop, setUi }: TreeContext): boolean {
  const done = treeMove(items, stop, key);
  if (done === undefined) return false;
  const row = items.find((item) => item.id === done.id);
  setUi((ui) => {
    if (row === undefined) return ui;
    if (done.type === 'go') return withSelected(ui, row);
    return withFold(ui, foldable(row), done.expanded);
  });
  return true;
}

function onTask(event: KeyboardEvent, context: TreeContext): boolean {
  const on = taskOf(context);
  if (on === undefined) return false;
  const { intents, setUi } = context;
  const { board, task, id } = on;
  switch (event.key) {
    case ' ':
      intents.tick(board, task);
      return true;
    case 'Enter':
      intents.open(board, task, false);
      return true;
    case 'F2':
      setUi((ui) => ({ ...ui, editing: { kind: 'rename', id } }));
      return true;
    case 'a':
    case 'A':
      setUi((ui) => ({ ...ui, editing: { kind: event.key === 'a' ? 'add' : 'under', id } }));
      return true;
    case 'm':
      setUi((ui) => ({ ...ui, carry: { id, at: id, under: false } }));
      return true;
    case 'd':
      intents.depend(board, task);
      return true;
    case 'D':
      intents.undepend(board, task);
      return true;
    case 'Delete':
      intents.remove(board, task);
      return true;
    case 's':
      intents.statusMenu(board, task, elementOf(event));
      return true;
    default:
      return false;
  }
}

function onView(event: KeyboardEvent, context: TreeContext): boolean {
  const { intents, setUi, items, stop } = context;
  const row = items.find((item) => item.id === stop);
  switch (event.key) {
    case ' ':
    case 'Enter':
      if (event.key === 'Enter' && (row?.kind === 'session' || row?.kind === 'child')) {
        intents.openConversation(row.session);
        return true;
      }
      if (row?.expanded === null || row === undefined) return false;
      setUi((ui) => withFold(ui, foldable(row), row.expanded !== true));
      return true;
    case 'c':
      intents.seen();
      return true;
    case '?':
      intents.showKeys();
      return true;
    case '/':
      setUi(withFilter);
      return true;
    case 'ContextMenu':
    case 'F10':
      if (row === undefined || (event.key === 'F10' && !event.shiftKey)) return false;
      openMenu(row, elementOf(event), intents, setUi);
      return true;
    case 'Escape':
      if (context.ui.filter === undefined) return false;
      setUi(withoutFilter);
      return true;
    default:
      return false;
  }
}

function taskOf({
  items,
  stop,
}: TreeContext): { board: Board; task: Task; id: string } | undefined {
  const row = items.find((item) => item.id === stop);
  if (row?.kind !== 'outline' || row.row.kind !== 'task') return undefined;
  return { board: row.board, task: row.row.task, id: row.id };
}

function elementOf(event: KeyboardEvent): HTMLElement {
  const target = event.target;
  return target instanceof HTMLElement ? target : (event.currentTarget as HTMLElement);
}

/** What a key does in the tree: go to a row, or fold one. */
type TreeMove =
  | { readonly type: 'go'; readonly id: string }
  | { readonly type: 'fold'; readonly id: string; readonly expanded: boolean };

/** Rows that Page Up and Page Down pass over. */
const PAGE = 10;

/** What a moving key does from the row that is active; undefined where it does nothing here. */
function treeMove(
  rows: readonly ItemRow[],
  active: string | undefined,
  key: string,
): TreeMove | undefined {
  const at = rows.findIndex((row) => row.id === active);
  const row = rows[at];
  if (row === undefined) return goTo(rows[0]);
  switch (key) {
    case 'ArrowDown':
      return goTo(rows[at + 1]);
    case 'ArrowUp':
      return goTo(rows[at - 1]);
    case 'Home':
      return goTo(rows[0]);
    case 'End':
      return goTo(rows.at(-1));
    case 'PageDown':
      return goTo(rows[Math.min(at + PAGE, rows.length - 1)]);
    case 'PageUp':
      return goTo(rows[Math.max(at - PAGE, 0)]);
    case 'ArrowRight':
      return opening(rows, at, row);
    case 'ArrowLeft':
      return closing(rows, at, row);
    default:
      return undefined;
  }
}

function goTo(row: ItemRow | undefined): TreeMove | undefined {
  return row === undefined ? undefined : { type: 'go', id: row.id };
}

function opening(rows: readonly ItemRow[], at: number, row: ItemRow): TreeMove | undefined {
  if (row.expanded === false) return { type: 'fold', id: row.id, expanded: true };
  const next = rows[at + 1];
  return row.expanded === true && next !== undefined && next.level > row.level
    ? goTo(next)
    : undefined;
}

function closing(rows: readonly ItemRow[], at: number, row: ItemRow): TreeMove | undefined {
  if (row.expanded === true) return { type: 'fold', id: row.id, expanded: false };
  return goTo(rows.slice(0, at).findLast((other) => other.level < row.level));
}

/** The menu of a row, at the pointer or at the row. */
export function openMenu(
  row: ItemRow,
  anchor: Anchor,
  intents: Intents,
  setUi: (change: (ui: UiState) => UiState) => void,
): void {
  if (row.kind === 'outline' && row.row.kind === 'task') {
    intents.taskMenu(row.board, row.row.task, anchor, {
      rename: () => setUi((ui) => ({ ...ui, editing: { kind: 'rename', id: row.id } })),
      addAfter: () => setUi((ui) => ({ ...ui, editing: { kind: 'add', id: row.id } })),
      addUnder: () => setUi((ui) => ({ ...ui, editing: { kind: 'under', id: row.id } })),
    });
  } else if (row.kind === 'outline' && row.row.kind === 'phase') {
    const { expanded, title } = row.row;
    intents.phaseMenu(row.board, title, anchor, {
      expanded,
      fold: () => setUi((ui) => withFold(ui, foldable(row), !expanded)),
    });
  } else if (row.kind !== 'older') intents.sessionMenu(row.session, anchor);
}

/** What a row is to `withFold`. */
export function foldable(row: ItemRow): { id: string; finished: boolean } {
  const finished = row.kind === 'outline' && row.row.kind === 'finished';
  return { id: row.id, finished: finished || row.kind === 'older' || row.kind === 'run' };
}
