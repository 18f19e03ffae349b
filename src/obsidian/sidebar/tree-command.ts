import {
  carryKey,
  carryPlace,
  withFilter,
  withFold,
  withoutFilter,
  withSelected,
  type Carry,
  type Editing,
  type SetUi,
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
  readonly setUi: SetUi;
  readonly intents: Intents;
}

/** Carries out the key map of the sidebar; keys that mean nothing here pass through. */
export function treeCommand(event: KeyboardEvent, context: TreeContext): void {
  if (event.isComposing || event.target instanceof HTMLInputElement) return;
  const { carry } = context.ui;
  const chorded = event.ctrlKey || event.metaKey;
  if (carry !== undefined) carryCommand(event.key, carry, context);
  else if (!(chorded ? chord(event, context) : plain(event, context))) return;
  event.preventDefault();
  event.stopPropagation();
}

function carryCommand(key: string, carry: Carry, { items, setUi, intents }: TreeContext): void {
  const done = carryKey(items, carry, key);
  if (done === undefined) return;
  setUi((ui) => ({ ...ui, carry: typeof done === 'string' ? undefined : done }));
  const own = items.find(({ id }) => id === carry.id);
  const place = done === 'drop' ? carryPlace(items, carry) : undefined;
  if (place !== undefined && own?.kind === 'task') intents.move(own.board, own.row.task, place);
}

/** What keys do, by their names. @returns whether the key does something */
type KeyActs = Readonly<Record<string, false | (() => void)>>;

function act(acts: KeyActs, key: string): boolean {
  const done = acts[key] ?? false;
  if (done === false) return false;
  done();
  return true;
}

function chord(event: KeyboardEvent, context: TreeContext): boolean {
  const { intents } = context;
  const row = rowAt(context);
  return act(
    {
      z: () => (event.shiftKey ? intents.redo() : intents.undo()),
      enter: row?.kind === 'task' && (() => intents.open(row.board, row.row.task, true)),
    },
    event.key.toLowerCase(),
  );
}

const STEPS: Readonly<Record<string, TaskMove>> = {
  ArrowUp: 'up',
  ArrowDown: 'down',
  ArrowRight: 'in',
  ArrowLeft: 'out',
};

function plain(event: KeyboardEvent, context: TreeContext): boolean {
  const row = rowAt(context);
  const step = STEPS[event.key];
  if (!event.altKey) return move(event.key, context) || onRow(event, context);
  if (row?.kind !== 'task' || step === undefined) return false;
  context.intents.step(row.board, row.row.task, step);
  return true;
}

function onRow(event: KeyboardEvent, context: TreeContext): boolean {
  const { intents, setUi, ui } = context;
  const { key, shiftKey } = event;
  const row = rowAt(context);
  const element =
    event.target instanceof HTMLElement ? event.target : (event.currentTarget as HTMLElement);
  const folds = row !== undefined && row.expanded !== null;
  const fold = folds && (() => setUi((now) => withFold(now, foldable(row), row.expanded !== true)));
  const isSession = row?.kind === 'session' || row?.kind === 'child';
  const menu = row !== undefined && (() => openMenu(row, element, intents, setUi));
  const acts: KeyActs = {
    ' ': fold,
    Enter: isSession ? () => intents.openConversation(row.session) : fold,
    c: () => intents.seen(),
    '?': () => intents.showKeys(),
    '/': () => setUi(withFilter),
    ContextMenu: menu,
    F10: shiftKey && menu,
    Escape: ui.filter !== undefined && (() => setUi(withoutFilter)),
  };
  return act(row?.kind === 'task' ? { ...acts, ...taskActs(row, element, context) } : acts, key);
}

function taskActs(
  { id, board, row: { task } }: Extract<ItemRow, { kind: 'task' }>,
  element: HTMLElement,
  { intents, setUi }: TreeContext,
): KeyActs {
  const edit = (kind: Editing['kind']) => () => setUi((ui) => ({ ...ui, editing: { kind, id } }));
  return {
    ' ': () => intents.tick(board, task),
    Enter: () => intents.open(board, task, false),
    F2: edit('rename'),
    a: edit('add'),
    A: edit('under'),
    m: () => setUi((ui) => ({ ...ui, carry: { id, at: id, under: false } })),
    d: () => intents.depend(board, task),
    D: () => intents.undepend(board, task),
    Delete: () => intents.remove(board, task),
    s: () => intents.statusMenu(board, task, element),
  };
}

function rowAt({ items, stop }: TreeContext): ItemRow | undefined {
  return items.find((item) => item.id === stop);
}

/** Rows that Page Up and Page Down pass over. */
const PAGE = 10;

/** Where a key goes from one of so many rows. */
const GOES: Readonly<Record<string, (at: number, count: number) => number>> = {
  ArrowDown: (at) => at + 1,
  ArrowUp: (at) => at - 1,
  Home: () => 0,
  End: (_, count) => count - 1,
  PageDown: (at, count) => Math.min(at + PAGE, count - 1),
  PageUp: (at) => Math.max(at - PAGE, 0),
};

/** Goes to a row, or folds one. */
function move(key: string, { items, stop, setUi }: TreeContext): boolean {
  const at = items.findIndex((item) => item.id === stop);
  const row = items[at];
  if (row !== undefined && row.expanded === FOLDS.get(key)) {
    setUi((ui) => withFold(ui, foldable(row), key === 'ArrowRight'));
    return true;
  }
  const to = row === undefined ? items[0] : goal(items, at, row, key);
  if (to === undefined) return false;
  setUi((ui) => withSelected(ui, to));
  return true;
}

/** What a row is that a key folds or unfolds. */
const FOLDS: ReadonlyMap<string, boolean> = new Map([
  ['ArrowRight', false],
  ['ArrowLeft', true],
]);

function goal(rows: readonly ItemRow[], at: number, row: ItemRow, key: string) {
  if (key === 'ArrowLeft') return rows.slice(0, at).findLast((other) => other.level < row.level);
  if (key !== 'ArrowRight') return rows[GOES[key]?.(at, rows.length) ?? -1];
  const next = row.expanded === true ? rows[at + 1] : undefined;
  return next !== undefined && next.level > row.level ? next : undefined;
}

/** The menu of a row, at the pointer or at the row. */
export function openMenu(row: ItemRow, anchor: Anchor, intents: Intents, setUi: SetUi): void {
  if (row.kind === 'task') {
    const edit = (kind: Editing['kind']) => () =>
      setUi((ui) => ({ ...ui, editing: { kind, id: row.id } }));
    const extras = { rename: edit('rename'), addAfter: edit('add'), addUnder: edit('under') };
    intents.taskMenu(row.board, row.row.task, anchor, extras);
  } else if (row.kind === 'group' && row.row.kind === 'phase') {
    const { expanded, title } = row.row;
    const fold = () => setUi((ui) => withFold(ui, foldable(row), !expanded));
    intents.phaseMenu(row.board, title, anchor, { expanded, fold });
  } else if (row.kind !== 'older') intents.sessionMenu(row.session, anchor);
}

/** What a row is to `withFold`. */
export function foldable(row: ItemRow): { id: string; finished: boolean } {
  const finished = row.kind === 'group' && row.row.kind === 'finished';
  return { id: row.id, finished: finished || row.kind === 'older' || row.kind === 'run' };
}
