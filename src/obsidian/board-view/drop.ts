import { boardFacts, isUnderReview } from '../../core/board/facts';
import type { Op, TaskRef } from '../../core/board/op';
import type { Board, Priority, Task } from '../../core/board/task';
import { laterRef, refTo, targetOf, topmostTasks } from '../board/task-moves';
import {
  cardId,
  columnWord,
  laneOf,
  laneTitle,
  COLUMNS,
  cardColumn,
  isNewestFirst,
  type BoardCard,
  type BoardLayout,
  type Column,
  type LaneKind,
} from './columns';
import { t } from '../language/text';

/** Where cards would be dropped. */
export interface CardDropTarget {
  readonly lane: string;
  readonly status: Column;
  /** index among the other cards of its group; undefined: in the order of the note */
  readonly at?: number | undefined;
}

/** Where the first of the cards would land. */
interface DropPosition {
  /** index among the other cards of its group */
  readonly at: number;
  /** the other cards of its group; in To do, ready and waiting cards are separate groups */
  readonly others: readonly BoardCard[];
  /** number of cards of the cell before its group */
  readonly before: number;
  /** number of cards of the cell, including those that move */
  readonly count: number;
  /** index that it would have if only its status changed */
  readonly natural: number;
}

/** Computes where cards would land. All must be of one board. */
export function dropPosition(
  layout: BoardLayout,
  kind: LaneKind,
  cards: readonly BoardCard[],
  spot: CardDropTarget,
): DropPosition | undefined {
  const [first] = cards;
  if (first === undefined) return undefined;
  const moving = new Set(cards.map(({ id }) => id));
  const lane = layout.lanes.find(({ id }) => id === spot.lane);
  const rest = (lane?.cards.get(spot.status) ?? []).filter(({ id }) => !moving.has(id));
  const waits = isBlocked(first);
  const others =
    spot.status === 'pending' ? rest.filter(({ mark }) => (mark === 'waiting') === waits) : rest;
  const before = spot.status === 'pending' && waits ? rest.length - others.length : 0;
  const natural = naturalIndex(others, first, spot, kind);
  const fixed = isNewestFirst(spot.status);
  const at = fixed ? natural : Math.min(Math.max(spot.at ?? natural, 0), others.length);
  return { at, others, before, count: rest.length + cards.length, natural };
}

/**
 * The columns of a board where cards can be dropped: Review only if all of them wait for review.
 */
export function acceptingColumns(
  { reviews }: Pick<BoardLayout, 'reviews'>,
  cards: readonly BoardCard[],
): readonly Column[] {
  return COLUMNS.filter(
    (column) => acceptsCards(column, cards) && (reviews || column !== 'review'),
  );
}

export function acceptsCards(column: Column, cards: readonly BoardCard[]): boolean {
  return column !== 'review' || cards.every(({ task }) => isUnderReview(task));
}

export function isBlocked({ board, task }: BoardCard): boolean {
  return boardFacts(board).get(task.key)?.blocked === true;
}

function naturalIndex(
  others: readonly BoardCard[],
  card: BoardCard,
  { lane, status }: CardDropTarget,
  kind: LaneKind,
): number {
  // A newly finished card is first; a card that moves under another heading is last there.
  if (isNewestFirst(status)) return 0;
  if (kind === 'heading' && laneOf(card, kind) !== lane) return others.length;
  const at = others.findIndex(({ board, task }) =>
    board.path === card.board.path
      ? task.line > card.task.line
      : board.path.localeCompare(card.board.path) > 0,
  );
  return at < 0 ? others.length : at;
}

/** "In progress, 1 of 1 in Release": where cards would land, for the hint and screen readers. */
export function dropPositionWords(
  layout: BoardLayout,
  kind: LaneKind,
  cards: readonly BoardCard[],
  spot: CardDropTarget,
): string {
  const there = dropPosition(layout, kind, cards, spot);
  if (there === undefined) return '';
  const values = {
    column: columnWord(spot.status),
    place: there.before + there.at + 1,
    of: there.count,
  };
  return kind === 'none'
    ? t('boardView.landing', values)
    : t('boardView.landingInLane', { ...values, lane: laneTitle(spot.lane, kind) });
}

/**
 * The operations of a drop, for one write: status, owner or priority, and the place in the note if
 * the person chose one. A subtask stays under its parent unless it moves under another heading.
 */
export function dropOperations(
  layout: BoardLayout,
  kind: LaneKind,
  cards: readonly BoardCard[],
  spot: CardDropTarget,
): readonly Op[] {
  const there = dropPosition(layout, kind, cards, spot);
  if (there === undefined || !acceptsCards(spot.status, cards)) return [];
  const operations: Op[] = [];
  const touched = new Set<string>();
  for (const card of cards) {
    const update = updateOf(card, kind, spot);
    if (update === undefined) continue;
    operations.push(update);
    touched.add(card.id);
  }
  const placed = !isNewestFirst(spot.status) && there.at !== there.natural;
  let last: BoardCard | undefined;
  for (const card of topmostCards(layout, cards)) {
    const crosses = kind === 'heading' && laneOf(card, kind) !== spot.lane;
    if (!crosses && !placed) continue;
    if (crosses && !hasLane(card.board, spot.lane)) return [];
    const ref = touched.has(card.id) ? laterRef(card.task) : targetOf(card.task);
    if (ref === undefined) continue;
    const follows = last !== undefined && (crosses || isSibling(last.task, card.task));
    operations.push(
      ...(follows && last !== undefined
        ? [{ type: 'move' as const, id: ref, after: refTo(last.task, true) }]
        : moveOperations(
            card,
            ref,
            crosses ? spot.lane : undefined,
            placed,
            there,
            last !== undefined,
          )),
    );
    last = card;
  }
  return operations;
}

/** The cards without those that move along with a parent, in the order of the note. */
function topmostCards(layout: BoardLayout, cards: readonly BoardCard[]): readonly BoardCard[] {
  const [first] = cards;
  if (first === undefined || cards.length === 1) return cards;
  const { board } = first;
  const tasks = cards.map(({ task }) => task);
  return topmostTasks(board, tasks).flatMap((task) => layout.byId.get(cardId(board, task)) ?? []);
}

function updateOf({ task, board }: BoardCard, kind: LaneKind, { lane, status }: CardDropTarget) {
  const update = {
    // A card that can be dropped in Review already waits for review.
    ...(status !== 'review' && cardColumn(task) !== status && { status }),
    ...(kind === 'agent' &&
      (task.owner ?? board.agent) !== lane && { owner: lane === board.agent ? null : lane }),
    ...(kind === 'priority' && task.priority !== lane && { priority: lane as Priority }),
  };
  if (Object.keys(update).length === 0) return undefined;
  return { type: 'update' as const, id: targetOf(task), ...update };
}

function isSibling(a: Task, b: Task): boolean {
  return a.parent === b.parent && a.phase === b.phase;
}

/** Whether a task of a board can be moved to a lane that stands for a heading, or for none. */
export function hasLane(board: Board, heading: string): boolean {
  return heading !== '' || lastWithoutHeading(board) !== undefined;
}

function lastWithoutHeading({ tasks }: Board): Task | undefined {
  return tasks.findLast(({ phase, parent }) => phase === null && parent === null);
}

/**
 * @param heading the heading to move under, empty: none; undefined: it stays under its own
 * @param later whether other cards of the drop are moved before it
 */
function moveOperations(
  card: BoardCard,
  ref: TaskRef,
  heading: string | undefined,
  placed: boolean,
  { at, others }: DropPosition,
  later: boolean,
): readonly Op[] {
  const last = heading === '' ? lastWithoutHeading(card.board) : undefined;
  const end = last === undefined ? { phase: heading ?? '' } : { after: refTo(last, later) };
  const toEnd: Op[] = heading === undefined ? [] : [{ type: 'move', id: ref, ...end }];
  if (!placed) return toEnd;
  const parent = heading === undefined ? card.task.parent : null;
  const above = siblingOf(card, others[at - 1], parent);
  if (above !== undefined) return [{ type: 'move', id: ref, after: refTo(above, later) }];
  const below = siblingOf(card, others[at], parent);
  return below === undefined ? toEnd : [{ type: 'move', id: ref, before: refTo(below, later) }];
}

/**
 * The subtask of `parent` that is another card's task or its ancestor; undefined if there is none,
 * or it is the task itself.
 */
function siblingOf(
  { board, task }: BoardCard,
  other: BoardCard | undefined,
  parent: string | null,
): Task | undefined {
  if (other?.board.path !== board.path) return undefined;
  const tasks = new Map(board.tasks.map((one) => [one.key, one]));
  for (let at: Task | undefined = other.task; at !== undefined;) {
    if (at.parent === parent) return at.key === task.key ? undefined : at;
    at = at.parent === null ? undefined : tasks.get(at.parent);
  }
  return undefined;
}

/** The spot that a key moves a carry to; undefined if there is none. */
export function nextDropTarget(
  layout: BoardLayout,
  kind: LaneKind,
  cards: readonly BoardCard[],
  spot: CardDropTarget,
  step: 'up' | 'down' | 'before' | 'after',
  columns: readonly Column[],
): CardDropTarget | undefined {
  if (step === 'before' || step === 'after') {
    const status = columns[columns.indexOf(spot.status) + (step === 'after' ? 1 : -1)];
    return status && { lane: spot.lane, status };
  }
  const there = dropPosition(layout, kind, cards, spot);
  if (there === undefined) return undefined;
  const at = there.at + (step === 'down' ? 1 : -1);
  if (!isNewestFirst(spot.status) && at >= 0 && at <= there.others.length) return { ...spot, at };
  const lanes = layout.lanes.map(({ id }) => id);
  const lane = lanes[lanes.indexOf(spot.lane) + (step === 'down' ? 1 : -1)];
  if (lane === undefined || kind === 'none') return undefined;
  const next = dropPosition(layout, kind, cards, { lane, status: spot.status });
  return { lane, status: spot.status, at: step === 'down' ? 0 : (next?.others.length ?? 0) };
}
