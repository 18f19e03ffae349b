import type { Status } from '../../core/board/task';
import type { Intents } from '../board/intents';
import type { BoardCard, BoardLayout, LaneKind } from './columns';
import { carriedCards, type CardCarry } from './carry';
import { steppedSpot } from './drop';

/** What keys act on and with. */
export interface BoardKeys {
  readonly layout: BoardLayout;
  readonly kind: LaneKind;
  readonly columns: readonly Status[];
  /** all columns, strips included: what is carried goes there too */
  readonly all: readonly Status[];
  /** what is folded has no card to go to */
  readonly folded: ReadonlySet<string>;
  /** the card that has the keyboard */
  readonly stop: string | undefined;
  readonly picked: ReadonlySet<string>;
  readonly carry: CardCarry | undefined;
  readonly rightToLeft: boolean;
  readonly intents: Intents;
  readonly go: (card: BoardCard, extend: boolean) => void;
  readonly pick: (ids: readonly string[]) => void;
  readonly edit: (card: BoardCard) => void;
  readonly add: (card: BoardCard | undefined, under: boolean) => void;
  readonly menu: (card: BoardCard, element: HTMLElement) => void;
  readonly lift: (card: BoardCard) => void;
  readonly carryTo: (carry: CardCarry) => void;
  readonly drop: (carry: CardCarry) => void;
  readonly putBack: () => void;
  readonly filter: () => void;
  readonly clear: () => void;
}

/** Carries out the key map on a board; keys that mean nothing here pass through. */
export function boardKey(event: KeyboardEvent, keys: BoardKeys): void {
  if (!actsOn(event, keys)) return;
  event.preventDefault();
  event.stopPropagation();
}

function actsOn(event: KeyboardEvent, keys: BoardKeys): boolean {
  if (event.isComposing) return false;
  const { target } = event;
  if (target instanceof Element && target.closest('input, textarea, button') !== null) return false;
  if (keys.carry !== undefined) return carryKeys(event, keys, keys.carry);
  const act = event.ctrlKey || event.metaKey ? chord(event, keys) : plain(event, keys);
  if (act === undefined) return false;
  act();
  return true;
}

type KeyAct = (() => void) | undefined;

function cardAt({ layout, stop }: BoardKeys): BoardCard | undefined {
  return stop === undefined ? undefined : layout.byId.get(stop);
}

function chord({ key, shiftKey }: KeyboardEvent, keys: BoardKeys): KeyAct {
  const { intents, layout } = keys;
  const card = cardAt(keys);
  switch (key.toLowerCase()) {
    case 'z':
      return () => (shiftKey ? intents.redo() : intents.undo());
    case 'enter':
      return card && (() => intents.open(card.board, card.task, true));
    case 'a': {
      // What moves together is of one board.
      const path = card?.board.path;
      const own = [...layout.byId.values()].filter(({ board }) => board.path === path);
      return () => keys.pick(own.map(({ id }) => id));
    }
    default:
      return undefined;
  }
}

function plain(event: KeyboardEvent, keys: BoardKeys): KeyAct {
  const { key, shiftKey, altKey } = event;
  const card = cardAt(keys);
  const to = altKey ? undefined : goal(keys, key);
  if (to !== undefined) return () => keys.go(to, shiftKey);
  const { intents, picked } = keys;
  const any: Readonly<Record<string, KeyAct>> = {
    '/': keys.filter,
    '?': () => intents.showKeys('board'),
    c: () => intents.seen(),
    a: () => keys.add(card, false),
    Escape: keys.clear,
  };
  if (card === undefined || altKey) return any[key];
  const { board, task, id } = card;
  const element = event.target as HTMLElement;
  const acts: Readonly<Record<string, KeyAct>> = {
    ...any,
    ' ': () => intents.tick(board, task),
    Enter: () => intents.open(board, task, false),
    F2: () => keys.edit(card),
    A: () => keys.add(card, true),
    m: () => keys.lift(card),
    s: () => intents.statusMenu(board, task, element),
    d: () => intents.depend(board, task),
    D: () => intents.undepend(board, task),
    x: () => keys.pick(picked.has(id) ? [...picked].filter((one) => one !== id) : [...picked, id]),
    Delete: () => intents.remove(board, task),
    ContextMenu: () => keys.menu(card, element),
    F10: shiftKey ? () => keys.menu(card, element) : undefined,
  };
  return acts[key];
}

/** Cards that Page Up and Page Down pass over. */
const PAGE = 10;

/** The card that a key goes to. */
function goal(keys: BoardKeys, key: string): BoardCard | undefined {
  const { layout, columns, stop, folded } = keys;
  const lanes = layout.lanes.filter(({ id }) => !folded.has(id));
  const shown = (lane: (typeof lanes)[number], status: Status) =>
    (lane.items.get(status) ?? []).flatMap((item) => (item.kind === 'card' ? [item.card] : []));
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

function carryKeys(event: KeyboardEvent, keys: BoardKeys, carry: CardCarry): boolean {
  const { layout, kind, all, rightToLeft } = keys;
  const cards = carriedCards(layout, carry);
  const [back, on] = rightToLeft ? (['after', 'before'] as const) : (['before', 'after'] as const);
  const step = ({ ArrowUp: 'up', ArrowDown: 'down', ArrowLeft: back, ArrowRight: on } as const)[
    event.key
  ];
  if (step !== undefined) {
    const spot = steppedSpot(layout, kind, cards, carry.spot, step, all);
    if (spot !== undefined) keys.carryTo({ ...carry, spot });
  } else if (event.key === 'Enter') keys.drop(carry);
  else if (event.key === 'Escape' || event.key === 'm') keys.putBack();
  else return event.key !== 'Tab';
  return true;
}

/** The keys of a board, as the dialog lists them. */
export const BOARD_KEYS: readonly (readonly [string, string])[] = [
  ['↑ ↓ ← →', 'Move between cards and columns'],
  ['Home End Page Up Page Down', 'First, last, ten cards on'],
  ['Space', 'Tick or untick'],
  ['Enter', 'Open in its note; with Ctrl in a new tab'],
  ['F2', 'Rename; Enter keeps, Esc drops'],
  ['S', 'Change status'],
  ['A / Shift A', 'Add a task after this one, or under it'],
  ['M', 'Pick up; arrows move it, Enter drops, Esc puts back'],
  ['X, Shift ↑ ↓, Ctrl A', 'Select; extend; select all shown of this plan'],
  ['D / Shift D', 'Add or remove a dependency'],
  ['Delete', 'Remove'],
  ['C', 'Mark changes as seen'],
  ['Ctrl Z / Ctrl Shift Z', 'Undo or redo your last change'],
  ['/', 'Filter'],
  ['Shift F10', 'Menu'],
  ['Esc', 'Leave a field, the move or the selection'],
];
