import { dragKey, isTask, startDrag, type TaskDrag } from './task-drag';
import { dropTasks } from './tree-drag';
import {
  withFilter,
  withFold,
  withoutFilter,
  withSelected,
  type Editing,
  type SetUi,
  type UiState,
} from './ui-state';
import {
  actionTargets,
  selectPlan,
  extendSelection,
  NONE_SELECTED,
  withRangeStart,
  toggleSelected,
  type Selection,
} from '../model/selection';
import type { Board, Task } from '../../core/board/task';
import type { TaskMove } from '../board/task-moves';
import { reviewActs, type Intents } from '../board/intents';
import { isWritable } from '../board-view/shown-boards';
import type { ItemRow } from './rows';
import { isWithin, mirroredKey, targetElement } from '../ui/focus';
import type { Anchor } from '../ui/menu';
import { actionForKey, type KeyBinding, type ViewActions } from '../ui/view-actions';
import { t } from '../language/text';

interface TreeContext {
  readonly items: readonly ItemRow[];
  /** the row that Tab reaches */
  readonly stop: string | undefined;
  readonly ui: UiState;
  readonly setUi: SetUi;
  readonly intents: Intents;
  readonly boards: readonly Board[];
  /** the view has the field of the filter, and says where carried tasks would go */
  readonly whole: boolean;
}

/** Handles the keys of the sidebar; ignores other keys. */
export function treeCommand(event: KeyboardEvent, context: TreeContext): void {
  const { target, currentTarget, ctrlKey, metaKey, altKey, shiftKey } = event;
  if (event.isComposing) return;
  // Fields and banners have keys of their own.
  if (isWithin(target, 'input, .atb-banner')) return;
  const { drag } = context.ui;
  const key = mirroredKey(event);
  if (drag !== undefined) {
    if (!dragCommand(event, key, drag, context)) return;
  } else if (ctrlKey || metaKey || altKey || !moveOrFold(key, shiftKey, context)) {
    const element = targetElement(target) ?? (currentTarget as HTMLElement);
    const pressed = { key, ctrlKey, metaKey, altKey, shiftKey };
    const act = actionForKey(pressed, TREE_KEYS, treeActions(context, element));
    if (act === undefined) return;
    void act();
  }
  event.preventDefault();
  event.stopPropagation();
}

/** @returns false for keys that keep their meaning: Tab, and those with Ctrl, Alt or Cmd */
function dragCommand(
  { ctrlKey, metaKey, altKey }: KeyboardEvent,
  key: string,
  drag: TaskDrag,
  { items, setUi, intents }: TreeContext,
): boolean {
  if (key === 'Tab' || ctrlKey || metaKey || altKey) return false;
  const done = dragKey(items, drag, key);
  if (done === undefined || drag.pointer) return true;
  setUi((ui) => ({ ...ui, drag: typeof done === 'string' ? undefined : done }));
  if (done === 'drop') dropTasks(items, drag, intents);
  return true;
}

/** The keys of the sidebar. */
export const TREE_KEYS: readonly KeyBinding[] = [
  { shown: '↑ ↓ Home End Page Up Page Down', words: t('sidebar.move') },
  { shown: '← →', words: t('sidebar.foldUnfold') },
  { shown: 'Space', words: t('boardView.tickOrUntick'), keys: { ' ': ['tick-task', 'fold-row'] } },
  {
    shown: 'Enter',
    words: t('boardView.openInItsNote'),
    keys: {
      Enter: ['open-task', 'open-conversation', 'fold-row'],
      'Mod+Enter': 'open-task-in-tab',
    },
  },
  { shown: 'F2', words: t('sidebar.rename'), keys: { F2: 'rename-task' } },
  { shown: 'S', words: t('boardView.changeStatus'), keys: { s: 'set-status' } },
  { shown: 'H', words: t('boardView.haveItDoneByAnAgent'), keys: { h: 'have-it-done' } },
  {
    shown: 'R, Y, B',
    words: t('boardView.reviewKeys'),
    keys: { r: 'review-task', y: 'accept-task', b: 'send-back-task' },
  },
  {
    shown: 'A / Shift A',
    words: t('boardView.addAfterOrUnder'),
    keys: { a: 'add-task-here', A: 'add-subtask' },
  },
  {
    shown: 'Alt ↑ ↓',
    words: t('sidebar.moveUpOrDown'),
    keys: { 'Alt+ArrowUp': 'move-task-up', 'Alt+ArrowDown': 'move-task-down' },
  },
  {
    shown: 'Alt → ←',
    words: t('sidebar.indentOrOut'),
    keys: { 'Alt+ArrowRight': 'indent-task', 'Alt+ArrowLeft': 'outdent-task' },
  },
  {
    shown: 'M',
    words: t('boardView.pickUpKeys'),
    keys: { m: 'pick-up-task' },
  },
  {
    shown: 'X, Shift ↑ ↓, Ctrl A',
    words: t('boardView.selectKeys'),
    keys: { x: 'select-task', 'Mod+a': 'select-all-tasks' },
  },
  {
    shown: 'D / Shift D',
    words: t('boardView.addOrRemoveADependency'),
    keys: { d: 'add-dependency', D: 'remove-dependency' },
  },
  { shown: 'Delete', words: t('sidebar.remove'), keys: { Delete: 'remove-task' } },
  { shown: 'C', words: t('common.markChangesAsSeen'), keys: { c: 'mark-seen' } },
  {
    shown: 'Ctrl Z / Ctrl Shift Z',
    words: t('boardView.undoOrRedoYourLastChange'),
    keys: { 'Mod+z': 'undo', 'Mod+Shift+z': 'redo' },
  },
  { shown: '/', words: t('sidebar.filter'), keys: { '/': 'filter-board' } },
  {
    shown: 'Shift F10',
    words: t('sidebar.menu'),
    keys: { 'Shift+F10': 'show-menu', ContextMenu: 'show-menu' },
  },
  {
    shown: 'Esc',
    words: t('boardView.escapeKeys'),
    keys: { Escape: ['clear-selection', 'clear-filter'] },
  },
  { shown: '?', words: t('boardView.showTheseKeys'), keys: { '?': 'show-keys' } },
];

/** Actions on the current row and on the tree. @param element the row's element */
export function treeActions(context: TreeContext, element: HTMLElement): ViewActions {
  const { intents, setUi, ui, boards, whole } = context;
  const row = rowAt(context);
  const plans = row === undefined ? [] : plansOf(row, boards).filter(isWritable);
  const folds = row !== undefined && row.expanded !== null;
  const fold = () => row && setUi((now) => withFold(now, foldTarget(row), row.expanded !== true));
  return {
    undo: () => intents.undo(),
    redo: () => intents.redo(),
    'mark-seen': () => intents.markSeen(),
    'show-keys': () => intents.showKeys(t('app.keysOfTheTaskSidebar'), TREE_KEYS),
    ...(whole && { 'filter-board': () => setUi(withFilter) }),
    ...(ui.filter !== undefined && { 'clear-filter': () => setUi(withoutFilter) }),
    ...(folds && { 'fold-row': fold }),
    ...(ui.selection.ids.size > 0 && {
      'clear-selection': changeSelection(setUi, () => NONE_SELECTED),
    }),
    ...(row !== undefined && { 'show-menu': () => openMenu(row, element, context) }),
    ...((row?.kind === 'session' || row?.kind === 'child') && {
      'open-conversation': () => intents.openConversation(row.session),
    }),
    ...(plans.length > 0 && { 'choose-reviews': () => intents.chooseReviews(plans) }),
    ...(row?.kind === 'task' && taskActions(row, element, context)),
  };
}

function plansOf(row: ItemRow, boards: readonly Board[]): readonly Board[] {
  return 'board' in row ? [row.board] : boards.filter(({ session }) => session === row.session);
}

function changeSelection(setUi: SetUi, change: (now: Selection) => Selection) {
  return () => setUi((ui) => ({ ...ui, selection: change(ui.selection) }));
}

/** Ids of all task rows that are shown, from the top. */
export function taskOrder(items: readonly ItemRow[]): readonly string[] {
  return items.filter(isTask).map(({ id }) => id);
}

/** The tasks that an action at a row applies to. */
export function affectedTasks(
  {
    items,
    ui,
  }: { readonly items: readonly ItemRow[]; readonly ui: { readonly selection: Selection } },
  id: string,
): readonly Task[] {
  const rows = new Map(items.filter(isTask).map((row) => [row.id, row.row.task]));
  return actionTargets(ui.selection, id, (one) => rows.get(one));
}

function taskActions(
  { id, board, row: { task } }: Extract<ItemRow, { kind: 'task' }>,
  element: HTMLElement,
  context: TreeContext,
): ViewActions {
  const { intents, setUi, items, ui } = context;
  const tasks = affectedTasks(context, id);
  const edit = (kind: Editing['kind']) => () => setUi((ui) => ({ ...ui, editing: { kind, id } }));
  const step = (way: TaskMove) => () => intents.step(board, tasks, way);
  const opens = {
    'open-task': () => intents.open(board, task, false),
    'open-task-in-tab': () => intents.open(board, task, true),
    'select-task': changeSelection(setUi, (now) => toggleSelected(now, id)),
    'select-all-tasks': changeSelection(setUi, () => selectPlan(taskOrder(items), id)),
  };
  const pickUp = () => {
    const drag = startDrag(items, ui.selection, id, false);
    if (drag !== undefined) setUi((now) => ({ ...now, drag }));
  };
  if (!isWritable(board)) return opens;
  const haveDone = intents.delegateAction(board, tasks);
  return {
    ...opens,
    ...(haveDone && { 'have-it-done': haveDone }),
    ...reviewActs(intents, board, task),
    'tick-task': () => intents.tickAll(board, tasks),
    'rename-task': edit('rename'),
    'add-task-here': edit('add'),
    'add-subtask': edit('under'),
    'move-task-up': step('up'),
    'move-task-down': step('down'),
    'indent-task': step('in'),
    'outdent-task': step('out'),
    ...(context.whole && { 'pick-up-task': pickUp }),
    'add-dependency': () => intents.depend(board, task),
    'remove-dependency': () => intents.undepend(board, task),
    'remove-task': () => intents.remove(board, tasks),
    'set-status': () => intents.statusMenu(board, tasks, element),
  };
}

function rowAt({ items, stop }: TreeContext): ItemRow | undefined {
  return items.find((item) => item.id === stop);
}

/** Number of rows that Page Up and Page Down move. */
const PAGE = 10;

/** The index that a key moves to, from index `at` of `count` rows. */
const MOVES: Readonly<Record<string, (at: number, count: number) => number>> = {
  ArrowDown: (at) => at + 1,
  ArrowUp: (at) => at - 1,
  Home: () => 0,
  End: (_, count) => count - 1,
  PageDown: (at, count) => Math.min(at + PAGE, count - 1),
  PageUp: (at) => Math.max(at - PAGE, 0),
};

/** Moves to a row, or folds one; with Shift, selects all tasks up to there. */
function moveOrFold(key: string, extend: boolean, { items, stop, setUi }: TreeContext): boolean {
  const at = items.findIndex((item) => item.id === stop);
  const row = items[at];
  if (row !== undefined && row.expanded === FOLDING_KEYS.get(key)) {
    setUi((ui) => withFold(ui, foldTarget(row), key === 'ArrowRight'));
    return true;
  }
  const to = row === undefined ? items[0] : rowForKey(items, at, row, key);
  if (to === undefined) return false;
  setUi((ui) => ({
    ...withSelected(ui, to),
    selection: !isTask(to)
      ? ui.selection
      : extend
        ? extendSelection(ui.selection, taskOrder(items), isTask(row) ? stop : undefined, to.id)
        : withRangeStart(ui.selection, to.id),
  }));
  return true;
}

/** Value of `expanded` that a row must have for a key to fold or unfold it. */
const FOLDING_KEYS: ReadonlyMap<string, boolean> = new Map([
  ['ArrowRight', false],
  ['ArrowLeft', true],
]);

function rowForKey(rows: readonly ItemRow[], at: number, row: ItemRow, key: string) {
  if (key === 'ArrowLeft') return rows.slice(0, at).findLast((other) => other.level < row.level);
  if (key !== 'ArrowRight') return rows[MOVES[key]?.(at, rows.length) ?? -1];
  const next = row.expanded === true ? rows[at + 1] : undefined;
  return next !== undefined && next.level > row.level ? next : undefined;
}

/** Opens the menu of a row, at the pointer or below the row. */
export function openMenu(
  row: ItemRow,
  anchor: Anchor,
  context: Pick<TreeContext, 'items' | 'ui' | 'setUi' | 'intents'>,
): void {
  const { intents, setUi } = context;
  if (row.kind === 'task') {
    const tasks = affectedTasks(context, row.id);
    const clear = changeSelection(setUi, () => NONE_SELECTED);
    if (tasks.length > 1) return intents.manyMenu(row.board, tasks, anchor, { clear });
    const edit = (kind: Editing['kind']) => () =>
      setUi((ui) => ({ ...ui, editing: { kind, id: row.id } }));
    const extras = { rename: edit('rename'), addAfter: edit('add'), addUnder: edit('under') };
    intents.taskMenu(row.board, row.row.task, anchor, extras);
  } else if (row.kind === 'group' && row.row.kind === 'phase') {
    const { expanded, title } = row.row;
    const fold = () => setUi((ui) => withFold(ui, foldTarget(row), !expanded));
    intents.phaseMenu(row.board, title, anchor, { expanded, fold });
  } else if (row.kind !== 'older') intents.sessionMenu(row.session, anchor);
}

/** Converts a row to the argument of `withFold`. */
export function foldTarget(row: ItemRow): { id: string; finished: boolean } {
  const finished = row.kind === 'group' && row.row.kind === 'finished';
  return { id: row.id, finished: finished || row.kind === 'older' || row.kind === 'run' };
}
