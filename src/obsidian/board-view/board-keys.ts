import { reviewActs, type Intents } from '../board/intents';
import { reachableCards } from './card-hooks';
import type { BoardCard, BoardLayout, Column, LaneKind } from './columns';
import { draggedCards, type CardDrag } from './card-drag';
import { nextDropTarget, acceptingColumns } from './drop';
import {
  actionTargets,
  selectPlan,
  NONE_SELECTED,
  toggleSelected,
  type Selection,
} from '../model/selection';
import { isWithin } from '../ui/focus';
import { actionForKey, type KeyBinding, type ViewActions } from '../ui/view-actions';
import { isWritable } from './shown-boards';
import { t } from '../language/text';

/** What the keys of a board need. */
export interface BoardKeys {
  readonly layout: BoardLayout;
  readonly kind: LaneKind;
  readonly columns: readonly Column[];
  /** ids of folded lanes, whose cards can't be reached */
  readonly folded: ReadonlySet<string>;
  /** id of the card that Tab reaches */
  readonly stop: string | undefined;
  readonly picked: Selection;
  readonly carry: CardDrag | undefined;
  readonly rightToLeft: boolean;
  readonly intents: Intents;
  readonly focusCard: (card: BoardCard, extend: boolean) => void;
  readonly pick: (selection: Selection) => void;
  readonly edit: (card: BoardCard) => void;
  readonly add: (card: BoardCard | undefined, under: boolean) => void;
  readonly menu: (card: BoardCard) => void;
  readonly status: (card: BoardCard) => void;
  readonly moveTo: (card: BoardCard) => void;
  readonly pickUp: (card: BoardCard) => void;
  readonly carryTo: (carry: CardDrag) => void;
  readonly drop: (carry: CardDrag) => void;
  readonly putBack: () => void;
  readonly filter: () => void;
  /** whether a shown plan accepts new tasks */
  readonly writable: boolean;
  /** actions on the board as a whole */
  readonly view: ViewActions;
}

/** Handles the keys of a board; ignores other keys. */
export function handleBoardKey(event: KeyboardEvent, keys: BoardKeys): void {
  if (!handleKey(event, keys)) return;
  event.preventDefault();
  event.stopPropagation();
}

function handleKey(event: KeyboardEvent, keys: BoardKeys): boolean {
  if (event.isComposing) return false;
  const { target, key, ctrlKey, metaKey, altKey, shiftKey } = event;
  if (isWithin(target, 'input, textarea, button')) return false;
  if (keys.carry !== undefined) return handleDragKey(event, keys, keys.carry);
  const to = ctrlKey || metaKey || altKey ? undefined : focusTarget(keys, key);
  if (to !== undefined) keys.focusCard(to, shiftKey);
  const act = to === undefined ? actionForKey(event, BOARD_KEYS, boardActs(keys)) : undefined;
  void act?.();
  return to !== undefined || act !== undefined;
}

/** Actions on the current card, and on the board. */
export function boardActs(keys: BoardKeys): ViewActions {
  const { intents, layout, stop, picked } = keys;
  const card = stop === undefined ? undefined : layout.byId.get(stop);
  return {
    ...keys.view,
    undo: () => intents.undo(),
    redo: () => intents.redo(),
    'mark-seen': () => intents.markSeen(),
    'show-keys': () => intents.showKeys(t('boardView.keysOfTheBoard'), BOARD_KEYS),
    'filter-board': keys.filter,
    ...(keys.writable && { 'add-task-here': () => keys.add(card, false) }),
    ...(card && {
      'select-all-tasks': () =>
        keys.pick(selectPlan(reachableCards(keys, keys.columns).flat(), card.id)),
    }),
    ...(picked.ids.size > 0 && { 'clear-selection': () => keys.pick(NONE_SELECTED) }),
    ...(card && cardActs(card, keys)),
  };
}

function cardActs(card: BoardCard, keys: BoardKeys): ViewActions {
  const { intents, picked, layout } = keys;
  const { board, task, id } = card;
  const tasks = actionTargets(picked, id, (one) => layout.byId.get(one)?.task);
  const reads: ViewActions = {
    'open-task': () => intents.open(board, task, false),
    'open-task-in-tab': () => intents.open(board, task, true),
    'select-task': () => keys.pick(toggleSelected(picked, id)),
    'show-menu': () => keys.menu(card),
  };
  if (!isWritable(board)) return reads;
  const haveDone = intents.delegateAction(board, tasks);
  return {
    ...reads,
    ...(haveDone && { 'have-it-done': haveDone }),
    ...reviewActs(intents, board, task),
    'tick-task': () => intents.tickAll(board, tasks),
    'rename-task': () => keys.edit(card),
    'add-subtask': () => keys.add(card, true),
    'pick-up-task': () => keys.pickUp(card),
    'move-to-column': () => keys.moveTo(card),
    'set-status': () => keys.status(card),
    'add-dependency': () => intents.depend(board, task),
    'remove-dependency': () => intents.undepend(board, task),
    'remove-task': () => intents.remove(board, tasks),
  };
}

/** Number of cards that Page Up and Page Down move. */
const PAGE = 10;

/** The card that a key moves to. */
function focusTarget(keys: BoardKeys, key: string): BoardCard | undefined {
  const { layout, columns, stop, folded } = keys;
  const lanes = layout.lanes.filter(({ id }) => !folded.has(id));
  const shown = (lane: (typeof lanes)[number], status: Column) =>
    (lane.items.get(status) ?? []).flatMap((item) => (item.kind === 'card' ? [item] : []));
  const lane = lanes.find((one) =>
    columns.some((status) => shown(one, status).some(({ id }) => id === stop)),
  );
  if (lane === undefined) {
    if (!MOVES.has(key)) return undefined;
    return lanes.flatMap((one) => columns.flatMap((status) => shown(one, status)))[0];
  }
  const status = columns.find((one) => shown(lane, one).some(({ id }) => id === stop));
  if (status === undefined) return undefined;
  if (key === 'ArrowLeft' || key === 'ArrowRight') {
    const by = (key === 'ArrowRight') === keys.rightToLeft ? -1 : 1;
    const row = shown(lane, status).findIndex(({ id }) => id === stop);
    for (let at = columns.indexOf(status) + by; columns[at] !== undefined; at += by) {
      const cards = shown(lane, columns[at] ?? status);
      if (cards.length > 0) return cards[Math.min(row, cards.length - 1)];
    }
    return undefined;
  }
  const column = lanes.flatMap((one) => shown(one, status));
  const at = column.findIndex(({ id }) => id === stop);
  return column[MOVES.get(key)?.(at, column.length) ?? -1];
}

const MOVES = new Map<string, (at: number, count: number) => number>([
  ['ArrowDown', (at) => at + 1],
  ['ArrowUp', (at) => at - 1],
  ['Home', () => 0],
  ['End', (_, count) => count - 1],
  ['PageDown', (at, count) => Math.min(at + PAGE, count - 1)],
  ['PageUp', (at) => Math.max(at - PAGE, 0)],
]);

function handleDragKey(event: KeyboardEvent, keys: BoardKeys, carry: CardDrag): boolean {
  const { layout, kind, rightToLeft } = keys;
  // Shortcuts of the app work meanwhile.
  if (event.ctrlKey || event.metaKey || event.altKey) return false;
  const cards = draggedCards(layout, carry);
  // Includes strips, where carried cards can be dropped too.
  const all = acceptingColumns(layout, cards);
  const [back, on] = rightToLeft ? (['after', 'before'] as const) : (['before', 'after'] as const);
  const step = ({ ArrowUp: 'up', ArrowDown: 'down', ArrowLeft: back, ArrowRight: on } as const)[
    event.key
  ];
  if (step !== undefined) {
    const spot = nextDropTarget(layout, kind, cards, carry.spot, step, all);
    if (spot !== undefined) keys.carryTo({ ...carry, spot });
  } else if (event.key === 'Enter') keys.drop(carry);
  else if (event.key === 'Escape' || event.key === 'm') keys.putBack();
  else return event.key !== 'Tab';
  return true;
}

/** The keys of a board. */
export const BOARD_KEYS: readonly KeyBinding[] = [
  { shown: '↑ ↓ ← →', words: t('boardView.moveBetweenCardsAndColumns') },
  { shown: 'Home End Page Up Page Down', words: t('boardView.firstLastTen') },
  { shown: 'Space', words: t('boardView.tickOrUntick'), keys: { ' ': 'tick-task' } },
  {
    shown: 'Enter',
    words: t('boardView.openInItsNote'),
    keys: { Enter: 'open-task', 'Mod+Enter': 'open-task-in-tab' },
  },
  { shown: 'F2', words: t('boardView.renameKeys'), keys: { F2: 'rename-task' } },
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
  { shown: 'Delete', words: t('boardView.remove'), keys: { Delete: 'remove-task' } },
  { shown: 'C', words: t('common.markChangesAsSeen'), keys: { c: 'mark-seen' } },
  {
    shown: 'Ctrl Z / Ctrl Shift Z',
    words: t('boardView.undoOrRedoYourLastChange'),
    keys: { 'Mod+z': 'undo', 'Mod+Shift+z': 'redo' },
  },
  { shown: '/', words: t('boardView.filter'), keys: { '/': 'filter-board' } },
  {
    shown: 'Shift F10',
    words: t('boardView.menu'),
    keys: { 'Shift+F10': 'show-menu', ContextMenu: 'show-menu' },
  },
  {
    shown: 'Esc',
    words: t('boardView.escapeKeys'),
    keys: { Escape: ['clear-selection', 'clear-filter'] },
  },
  { shown: '?', words: t('boardView.showTheseKeys'), keys: { '?': 'show-keys' } },
];
