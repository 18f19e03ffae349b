import type { RefObject } from 'preact';
import { useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import { useCurrentTask } from '../model/current-task';
import { COLUMNS, type CellItem, type Column } from './columns';
import { followDrags, type DragPoint } from '../ui/drag';
import type { BoardContext } from './board-state';
import { pickUpCards, draggedCards, type CardDrag } from './card-drag';
import { dropPosition, acceptsCards, type CardDropTarget } from './drop';
import { cardElement } from './lanes';
import { t } from '../language/text';

/** Width in px up to which each column takes the whole width. */
const NARROW = 720;

/** Sets an attribute on a board that is narrow. */
export function useNarrowBoard(root: RefObject<HTMLElement | null>): void {
  useLayoutEffect(() => {
    const board = root.current;
    if (board === null) return undefined;
    const observer = new ResizeObserver(() =>
      board.toggleAttribute('data-narrow', board.clientWidth <= NARROW),
    );
    observer.observe(board);
    return () => observer.disconnect();
  }, [root]);
}

/**
 * Keeps the focus on its card when the card moves; if the card is removed, moves it to the one that
 * took its place.
 * @returns id of the card that Tab reaches
 */
export function useCardFocus(
  root: RefObject<HTMLElement | null>,
  { layout, folded, ui, setUi, props }: BoardContext,
  columns: readonly Column[],
): string | undefined {
  const last = useRef<CellPlace>(undefined);
  const stop = useMemo(
    () => tabStopOf({ layout, folded }, columns, ui.stop, last),
    [layout, folded, columns.join(), ui.stop],
  );
  // A component function runs before its elements change.
  const { current } = root;
  const active = current?.ownerDocument.activeElement;
  const hadFocus =
    current?.contains(active ?? null) === true && active?.closest('[data-card]') !== null;
  const sent = useRef(ui.gridFocusRequests);
  useLayoutEffect(() => {
    const element = root.current;
    if (element === null) return;
    const asked = sent.current !== ui.gridFocusRequests;
    sent.current = ui.gridFocusRequests;
    const { activeElement, body } = element.ownerDocument;
    const lost = hadFocus && (activeElement === body || activeElement === null);
    if (ui.editing !== undefined || (!asked && !lost)) return;
    const card = cardElement(element, stop);
    if (asked || props.current === undefined) card?.focus();
    else props.current.restoreFocus(() => card?.focus());
  });
  useCurrentTask(props.current, root, {
    idOf: (from) => from.closest<HTMLElement>('[data-card]')?.dataset['at'],
    adopt: (id) => {
      const busy = ui.editing !== undefined || ui.carry !== undefined;
      if (!busy && layout.byId.has(id)) setUi({ stop: id });
    },
    reveal: (id) => {
      const card = root.current && cardElement(root.current, id);
      card?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
    },
  });
  // Ends a carry whose cards are gone.
  useLayoutEffect(() => {
    if (ui.carry !== undefined && draggedCards(layout, ui.carry).length === 0) {
      setUi({ carry: undefined, announcement: t('boardView.putBack') });
    }
  }, [layout, ui.carry]);
  return stop;
}

/** Ids of the cards that are drawn or can be scrolled to: by column, then by lane. */
export function reachableCards(
  { layout, folded }: Pick<BoardContext, 'layout' | 'folded'>,
  columns: readonly Column[],
): readonly (readonly string[])[] {
  const lanes = layout.lanes.filter(({ id }) => !folded.has(id));
  return columns.flatMap((status) =>
    lanes.map(({ items }) =>
      (items.get(status) ?? []).flatMap(({ kind, id }) => (kind === 'card' ? [id] : [])),
    ),
  );
}

/** A card's place among the items of its cell. */
interface CellPlace {
  readonly items: readonly CellItem[];
  readonly at: number;
}

/** @param last the place of the card that Tab reached last */
function tabStopOf(
  { layout, folded }: Pick<BoardContext, 'layout' | 'folded'>,
  columns: readonly Column[],
  wanted: string | undefined,
  last: { current: CellPlace | undefined },
): string | undefined {
  const lanes = layout.lanes.filter(({ id }) => !folded.has(id));
  const cells = columns.flatMap((status) => lanes.map(({ items }) => items.get(status) ?? []));
  const placeOf = (id: string | undefined): CellPlace | undefined => {
    // Items are compared by identity: comparing the ids of all cards takes longer.
    const card = layout.byId.get(id ?? '');
    for (const items of card ? cells : []) {
      const at = items.indexOf(card as CellItem);
      if (at >= 0) return { items, at };
    }
    return undefined;
  };
  const own = placeOf(wanted);
  if (own !== undefined) {
    last.current = own;
    return wanted;
  }
  const { items = [], at = 0 } = last.current ?? {};
  const near = [...items.slice(at + 1), ...items.slice(0, at).reverse()];
  // The leftmost card, so that a narrow board need not scroll sideways to the focus.
  const first = cells.flatMap((all) => all.find(({ kind }) => kind === 'card') ?? []);
  return (near.find(({ id }) => placeOf(id) !== undefined) ?? first[0])?.id;
}

/** Lets cards be dragged with the pointer. */
export function useDrags(
  root: RefObject<HTMLElement | null>,
  scroller: RefObject<HTMLElement | null>,
  context: BoardContext,
): void {
  const now = useRef(context);
  now.current = context;
  useLayoutEffect(() => {
    const element = root.current;
    if (element === null) return undefined;
    const at = (carry: CardDrag, point: DragPoint): CardDrag => {
      const spot = cardDropTargetAt(element, now.current, carry, point);
      return spot === undefined ? { ...carry, outside: true } : { ...carry, spot, outside: false };
    };
    return followDrags<CardDrag>(element, {
      find: (pressed) => {
        const card = pressed.closest<HTMLElement>('[data-card]');
        const item = card && pickUpCards(now.current, card.dataset['at'] ?? '', true);
        return card && item ? { item, element: card } : undefined;
      },
      start: (carry) => now.current.setUi({ carry, announcement: '' }),
      over: (carry, point) => {
        const next = at(carry, point);
        if (!isSame(now.current.ui.carry, next)) now.current.setUi({ carry: next });
      },
      drop: (carry, point) => now.current.drop(at(carry, point)),
      cancel: () => now.current.setUi({ carry: undefined, announcement: t('boardView.putBack') }),
      scrollers: () => (scroller.current === null ? [] : [scroller.current]),
    });
  }, [root, scroller]);
}

function isSame(a: CardDrag | undefined, b: CardDrag): boolean {
  return (
    a?.outside === b.outside &&
    a?.spot.lane === b.spot.lane &&
    a.spot.status === b.spot.status &&
    a.spot.at === b.spot.at
  );
}

/** The drop spot below the pointer; undefined: none. */
function cardDropTargetAt(
  root: HTMLElement,
  { layout, prefs }: Pick<BoardContext, 'layout' | 'prefs'>,
  carry: CardDrag,
  { x, y }: DragPoint,
): CardDropTarget | undefined {
  const hit = root.ownerDocument.elementFromPoint(x, y);
  const column = root.contains(hit) ? hit?.closest<HTMLElement>('[data-column]') : undefined;
  const status = COLUMNS.find((one) => one === column?.dataset['column']);
  if (!column || status === undefined) return undefined;
  const inLane = column.closest<HTMLElement>('[data-lane]')?.dataset['lane'];
  const cards = draggedCards(layout, carry);
  if (!acceptsCards(status, cards)) return undefined;
  if (inLane === undefined) return { lane: carry.spot.lane, status };
  const spot = { lane: inLane, status };
  const others = (dropPosition(layout, prefs.lanes, cards, spot)?.others ?? []).map(({ id }) => id);
  const drawn = [...column.querySelectorAll<HTMLElement>('[data-card]')].flatMap((element) => {
    const at = others.indexOf(element.dataset['at'] ?? '');
    if (at < 0) return [];
    const { top, height } = element.getBoundingClientRect();
    return [{ at, middle: top + height / 2 }];
  });
  const below = drawn.find(({ middle }) => middle > y);
  const last = drawn.at(-1);
  return { ...spot, at: below?.at ?? (last === undefined ? 0 : last.at + 1) };
}
