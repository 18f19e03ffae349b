import type { RefObject } from 'preact';
import { useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import type { Changes } from '../model/overview';
import { drawnRows, ASSUMED_HEIGHT, useScrollStep } from '../ui/drawn-rows';
import { IconButton } from '../ui/icon';
import type { Anchor } from '../ui/menu';
import { CardSlot, CardView, type CardEvents } from './card-view';
import {
  cellId,
  COLUMNS,
  type BoardLane,
  type BoardLayout,
  type CellItem,
  type Column,
} from './columns';
import type { BoardPrefs } from './board-prefs';
import type { DropPreview } from './card-drag';
import { t } from '../language/text';
import { plainLine } from '../ui/text';

export interface LanesProps {
  readonly scroller: RefObject<HTMLDivElement | null>;
  readonly layout: BoardLayout;
  /** the columns that are shown, in order */
  readonly columns: readonly Column[];
  readonly heads: boolean;
  readonly folded: ReadonlySet<string>;
  readonly changes: Changes;
  readonly several: boolean;
  readonly today: string;
  readonly stop: string | undefined;
  readonly picked: ReadonlySet<string>;
  readonly editing: string | undefined;
  readonly carried: DropPreview | undefined;
  /** whether cards follow the pointer; then the place below it need not be kept */
  readonly dragging: boolean;
  readonly events: CardEvents;
  readonly onFold: (lane: BoardLane) => void;
  readonly onLaneMenu: (lane: BoardLane, anchor: Anchor) => void;
  readonly onOlder: (cell: string) => void;
}

/** Estimated heights in px of a lane's parts, until measured; a card includes its gap. */
const [LANE_HEAD, CARD, GROUP, GAP] = [36, 72, 28, 8];

interface DrawnCell {
  readonly runs: ReturnType<typeof drawnRows>['runs'];
  readonly rest: number;
}

/** All lanes, with the cards of each column that are near the visible part. */
export function Lanes(props: LanesProps) {
  const { layout, columns, scroller } = props;
  const measured = useRef(new Map<string, number>());
  // Measured before the new state is drawn: a component function runs before its elements change.
  const anchors = props.dragging ? [] : scrollAnchors(scroller.current);
  useScrollAnchoring(scroller, anchors);
  const { carried, dragging } = props;
  const slot = dragging
    ? undefined
    : carried && [carried.lane, carried.status, carried.before].join();
  useLayoutEffect(() => {
    if (slot === undefined) return;
    const element = scroller.current?.querySelector('.atb-card-slot');
    element?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [slot]);
  const cells = useDrawnCells(props, anchors, measured.current);
  // If one column is shown, only lanes with cards in it: there is no room for others.
  const lanes =
    columns.length > 1
      ? layout.lanes
      : layout.lanes.filter(({ cards }) => columns.some((status) => cards.has(status)));
  return (
    <>
      {lanes.map((lane) => (
        <LaneView key={lane.id} {...{ lane, props, cells }} />
      ))}
    </>
  );
}

/** One lane; redrawn only if something in it changed. */
function LaneView(given: {
  readonly lane: BoardLane;
  readonly props: LanesProps;
  readonly cells: ReadonlyMap<string, DrawnCell>;
}) {
  const { lane, props, cells } = given;
  const { columns, heads, folded, changes, several, today, stop, picked, editing, carried } = props;
  const open = !folded.has(lane.id);
  const drawn = columns.map((status) => cells.get(cellId(lane.id, status)));
  const runs = JSON.stringify(drawn);
  const own = [stop, editing].map((id) => {
    const card = props.layout.byId.get(id ?? '');
    return card && [...lane.cards.values()].some((all) => all.includes(card)) ? id : undefined;
  });
  return useMemo(
    () => (
      <div class="atb-lane" role="row" data-lane={lane.id}>
        {heads && <LaneHead {...props} lane={lane} />}
        {open && (
          <div class="atb-lane-cells" role="none">
            {columns.map((status, at) => (
              <Cell key={status} {...{ lane, status, props }} drawn={drawn[at]} />
            ))}
          </div>
        )}
      </div>
    ),
    [
      ...[lane, runs, columns.join(), heads, open, changes, several, today, picked, carried],
      ...own,
      props.events,
    ],
  );
}

function LaneHead({ lane, folded, onFold, onLaneMenu }: LanesProps & { readonly lane: BoardLane }) {
  const open = !folded.has(lane.id);
  return (
    <div
      class="atb-lane-head"
      role="rowheader"
      data-anchor=""
      onContextMenu={(event) => {
        event.preventDefault();
        onLaneMenu(lane, event);
      }}
    >
      <button type="button" class="atb-lane-fold" aria-expanded={open} onClick={() => onFold(lane)}>
        <span class="atb-twisty" aria-hidden="true" />
        <span class="atb-lane-title">{lane.title}</span>{' '}
        <span class="atb-lane-count">
          {t('app.doneOf', { done: lane.done, total: lane.total })}
        </span>
      </button>
      <IconButton
        icon="ellipsis"
        label={t('boardView.moreOf', { name: lane.title })}
        onClick={(event) => onLaneMenu(lane, event.currentTarget as HTMLElement)}
      />
    </div>
  );
}

/** One column of one lane. */
function Cell(given: {
  readonly lane: BoardLane;
  readonly status: Column;
  readonly drawn: DrawnCell | undefined;
  readonly props: LanesProps;
}) {
  const { lane, status, drawn, props } = given;
  const items = lane.items.get(status) ?? NO_ITEMS;
  const { carried } = props;
  const slot = carried?.lane === lane.id && carried.status === status ? carried : undefined;
  const drawnSlot = slot && <CardSlot key="slot" card={slot.card} more={slot.ids.size - 1} />;
  return (
    <div class="atb-cell" role="none" data-column={status} data-over={slot !== undefined}>
      {drawn?.runs.flatMap((run) => [
        run.gap > 0 && <Gap key={`gap ${items[run.from]?.id ?? ''}`} height={run.gap} />,
        ...items
          .slice(run.from, run.to)
          .flatMap((item) => [
            slot?.before === item.id && drawnSlot,
            <ItemView key={item.id} {...{ item, props }} />,
          ]),
      ])}
      {slot?.before === undefined && drawnSlot}
      {drawn !== undefined && drawn.rest > 0 && <Gap key="rest" height={drawn.rest} />}
    </div>
  );
}

const NO_ITEMS: readonly CellItem[] = [];

/** Empty space for cards that are not drawn. */
function Gap({ height }: { readonly height: number }) {
  return <div role="none" style={{ height: `${height}px` }} />;
}

function ItemView({ item, props }: { readonly item: CellItem; readonly props: LanesProps }) {
  const { id } = item;
  switch (item.kind) {
    case 'group':
      return (
        <div class="atb-card-group" data-at={id}>
          {plainLine(item.title)}
        </div>
      );
    case 'older':
      return (
        <div role="gridcell" data-at={id}>
          <button
            type="button"
            class="atb-button-quiet atb-older-cards"
            onClick={() => props.onOlder(id.slice(id.indexOf('\n') + 1))}
          >
            {t('boardView.older', { count: item.count })}
          </button>
        </div>
      );
    case 'card': {
      const { board, task } = item;
      return (
        <CardView
          card={item}
          touched={props.changes.get(board.path)?.get(task.key) ?? 0}
          several={props.several}
          today={props.today}
          stop={props.stop === id}
          picked={props.picked.has(id)}
          carried={props.carried?.ids.has(id) === true}
          editing={props.editing === id}
          events={props.events}
        />
      );
    }
  }
}

/** Which items of each cell to draw: those near the visible part, and those that must stay. */
function useDrawnCells(
  { layout, columns, folded, heads, scroller, stop, editing, carried }: LanesProps,
  anchors: readonly ScrollAnchor[],
  measured: Map<string, number>,
): ReadonlyMap<string, DrawnCell> {
  const moved = useScrollStep(() => scroller.current);
  useLayoutEffect(() => measure(scroller.current, measured));
  // Elements whose position is kept are always drawn.
  const kept = [
    ...[stop, editing, carried?.before, ...(carried?.ids ?? [])],
    ...anchors.slice(0, 3).map(({ id }) => id),
  ];
  const key = kept.join();
  return useMemo(
    () => {
      const wanted = new Set(kept.map((id) => layout.byId.get(id ?? '')));
      return drawnCells({ layout, columns, folded, heads, wanted }, scroller.current, measured);
    },
    // `moved` stands for the scroll position, `key` for `kept`.
    [layout, columns, folded, heads, scroller, moved, key],
  );
}

function drawnCells(
  {
    layout,
    columns,
    folded,
    heads,
    wanted,
  }: Pick<LanesProps, 'layout' | 'columns' | 'folded' | 'heads'> & {
    readonly wanted: ReadonlySet<CellItem | undefined>;
  },
  scroller: HTMLElement | null,
  measured: ReadonlyMap<string, number>,
): ReadonlyMap<string, DrawnCell> {
  const cells = new Map<string, DrawnCell>();
  const from = scroller?.scrollTop ?? 0;
  const height = scroller?.clientHeight ?? ASSUMED_HEIGHT;
  let y = 0;
  for (const lane of layout.lanes) {
    y += heads ? LANE_HEAD : 0;
    if (folded.has(lane.id)) continue;
    let tallest = 0;
    for (const status of columns) {
      const items = lane.items.get(status);
      if (items === undefined) continue;
      const kept = new Set<number>();
      let sum = 0;
      const heights = items.map((item, index) => {
        if (wanted.has(item)) kept.add(index);
        const own = measured.get(item.id) ?? estimatedHeight(item);
        sum += own;
        return own;
      });
      const view = { top: from - y, bottom: from - y + height };
      cells.set(cellId(lane.id, status), drawnRows(heights, view, kept));
      tallest = Math.max(tallest, sum);
    }
    y += tallest + 2 * GAP;
  }
  return cells;
}

function estimatedHeight({ kind }: CellItem): number {
  return kind === 'group' ? GROUP : CARD;
}

function measure(scroller: HTMLElement | null, heights: Map<string, number>): void {
  for (const element of scroller?.querySelectorAll<HTMLElement>('[data-at]') ?? []) {
    const id = element.dataset['at'];
    const { offsetHeight } = element;
    if (id !== undefined && offsetHeight > 0) heights.set(id, offsetHeight + GAP);
  }
}

/** A position that may be kept: of the element below the pointer, the focused or the first one. */
interface ScrollAnchor {
  readonly id: string | undefined;
  readonly element: Element;
  readonly cell: Element | null;
  readonly top: number;
}

const ANCHOR_SELECTOR = '[data-at], [data-anchor]';

function scrollAnchors(scroller: HTMLElement | null): readonly ScrollAnchor[] {
  if (scroller === null) return [];
  const box = scroller.getBoundingClientRect();
  const all = [...scroller.querySelectorAll(ANCHOR_SELECTOR)].map((element) => {
    const { top, bottom } = element.getBoundingClientRect();
    return { element, top, bottom };
  });
  const rank = (element: Element) =>
    element.matches(':hover') ? 0 : element.matches(':focus, :focus-within') ? 1 : 2;
  return (
    all
      .filter(({ top, bottom }) => bottom > box.top + LANE_HEAD && top < box.bottom)
      .map(({ element, top }) => ({ element, top, rank: rank(element) }))
      // At the top, new cards may push the others down, unless the person is on a card.
      .filter((one) => one.rank < 2 || scroller.scrollTop > 0)
      .sort((a, b) => a.rank - b.rank || a.top - b.top)
      .map(({ element, top }) => ({
        id: (element as HTMLElement).dataset['at'],
        cell: element.parentElement,
        element,
        top,
      }))
  );
}

/** Keeps what the person looks at in its place in the window when cards are redrawn. */
function useScrollAnchoring(
  scroller: RefObject<HTMLDivElement | null>,
  before: readonly ScrollAnchor[],
): void {
  useLayoutEffect(() => {
    const view = scroller.current;
    // A card that moved to another cell has a new element or a new parent, so it does not count.
    const there = before.find(({ element, cell }) => cell && element.parentElement === cell);
    if (view === null || there === undefined) return;
    const by = there.element.getBoundingClientRect().top - there.top;
    if (Math.abs(by) >= 1) view.scrollTop += by;
  });
}

/** The element of a card; undefined if it is not drawn. */
export function cardElement(root: HTMLElement, id: string | undefined): HTMLElement | undefined {
  const cards = root.querySelectorAll<HTMLElement>('[data-card]');
  return [...cards].find((card) => card.dataset['at'] === id);
}

/** The columns of a board in order; Review only if it has something to review. */
export function allColumns({ reviews }: Pick<BoardLayout, 'reviews'>): readonly Column[] {
  return reviews ? COLUMNS : COLUMNS.filter((column) => column !== 'review');
}

/**
 * The columns that are open, and those that are strips (Deferred and Cancelled unless opened); on a
 * phone one column and no strips.
 */
export function shownColumns(
  layout: Pick<BoardLayout, 'reviews'>,
  { opened, column }: Pick<BoardPrefs, 'opened' | 'column'>,
  phone: boolean,
): {
  readonly columns: readonly Column[];
  readonly strips: readonly Column[];
} {
  const all = allColumns(layout);
  if (phone) return { columns: [all.includes(column) ? column : 'pending'], strips: [] };
  const isStrip = (status: Column) =>
    (status === 'deferred' || status === 'cancelled') && !opened.includes(status);
  return {
    columns: all.filter((status) => !isStrip(status)),
    strips: all.filter(isStrip),
  };
}
