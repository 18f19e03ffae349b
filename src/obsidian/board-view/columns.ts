import { boardFacts, isUnderReview, type TaskFacts } from '../../core/board/facts';
import { criticalTasks } from '../../core/board/graph/schedule';
import {
  PRIORITIES,
  type Board,
  type Priority,
  type Status,
  type Task,
} from '../../core/board/task';
import { markChecked, markState, type MarkState } from '../../core/board/task-display';
import type { Changes } from '../model/overview';
import { COMMA, t } from '../language/text';
import { dayText } from '../model/row-words';
import { plainLine } from '../ui/text';

/** A task's status, or `review` if it is in progress and waits for the person's review. */
export type Column = Status | 'review';

/** The columns in order. */
export const COLUMNS = [
  'pending',
  'in_progress',
  'review',
  'failed',
  'completed',
  'deferred',
  'cancelled',
] as const satisfies readonly Column[];

/** Name of a column. The tasks of "To do" are either ready or waiting. */
export function columnWord(column: Column): string {
  if (column === 'review') return t('boardView.review');
  return column === 'pending' ? t('boardView.toDo') : t(`mark.${column}`);
}

export function cardColumn(task: Task): Column {
  return isUnderReview(task) ? 'review' : task.status;
}

export const LANE_KINDS = ['heading', 'agent', 'priority', 'none'] as const;
export type LaneKind = (typeof LANE_KINDS)[number];

/** "Heading", "Agent", "Priority", "None" */
export function laneWord(kind: LaneKind): string {
  return t(`lanes.${kind}`);
}

export const FACETS = ['ready', 'waiting', 'changed', 'mine', 'critical', 'risk'] as const;
export type Facet = (typeof FACETS)[number];
/** What a task alone decides; `changed` depends on what the person has seen. */
type TaskFacet = Exclude<Facet, 'changed'>;

/** One task on the board. */
export interface BoardCard {
  readonly kind: 'card';
  /** the board's path and the task's key */
  readonly id: string;
  readonly board: Board;
  readonly task: Task;
  readonly mark: MarkState;
  readonly facets: readonly TaskFacet[];
}

/** The items of one column in one lane, from top to bottom. */
export type CellItem =
  | BoardCard
  | { readonly kind: 'group'; readonly id: string; readonly title: string }
  | { readonly kind: 'older'; readonly id: string; readonly count: number };

export interface BoardLane {
  /** the lane's value: a heading, an agent, a priority; empty: none */
  readonly id: string;
  readonly title: string;
  /** counts all tasks, even those hidden by the filter */
  readonly done: number;
  readonly total: number;
  /** all cards in order, even those folded as older */
  readonly cards: ReadonlyMap<Column, readonly BoardCard[]>;
  readonly items: ReadonlyMap<Column, readonly CellItem[]>;
}

export interface BoardLayout {
  readonly lanes: readonly BoardLane[];
  /** ids of all lanes in their order, also of those whose cards the filter hides */
  readonly laneIds: readonly string[];
  /** number of all tasks, by column */
  readonly columns: Readonly<Record<Column, number>>;
  /** number of tasks that match the filter, by column */
  readonly matching: Readonly<Record<Column, number>>;
  /** a plan has reviews, or a task waits for one: the Review column is shown */
  readonly reviews: boolean;
  readonly facets: Readonly<Record<TaskFacet, number>>;
  readonly total: number;
  /** number of tasks that match the filter */
  readonly shown: number;
  readonly byId: ReadonlyMap<string, BoardCard>;
}

export interface LayoutOptions {
  readonly lanes: LaneKind;
  /** ids of lanes in the person's order; others follow in their natural order */
  readonly order: readonly string[];
  readonly filter: string;
  readonly facets: ReadonlySet<Facet>;
  /** only read if the filter or the facets depend on it */
  readonly changes: Changes;
  /** ids of cells whose older cards are shown */
  readonly older: ReadonlySet<string>;
  /**
   * a card that stays in its place whatever happens to its task, since its title is being edited
   */
  readonly staying?: CardPlace | undefined;
}

/** The place of a card. */
export interface CardPlace {
  readonly id: string;
  readonly lane: string;
  readonly status: Column;
}

/** Most cards of Done and Cancelled that are shown at first. */
const MAX_NEWEST = 20;

interface LaneDraft {
  readonly id: string;
  done: number;
  total: number;
  readonly cards: Map<Column, BoardCard[]>;
}

/** Sorts the tasks of some boards into lanes and columns. */
export function boardLayout(boards: readonly Board[], options: LayoutOptions): BoardLayout {
  const drafts = new Map<string, LaneDraft>();
  const [columns, matching] = [counters(COLUMNS), counters(COLUMNS)];
  const facets = counters(FACETS);
  const byId = new Map<string, BoardCard>();
  const fits = makeFilter(options);
  const { staying } = options;
  let total = 0;
  for (const board of boards) {
    const changed = options.changes.get(board.path);
    for (const card of boardIndex(board).cards.values()) {
      const { task } = card;
      const stays = staying?.id === card.id ? staying : undefined;
      const lane = draftOf(drafts, stays?.lane ?? laneOf(card, options.lanes));
      total += 1;
      const own = cardColumn(task);
      columns[own] += 1;
      if (task.status !== 'cancelled') lane.total += 1;
      if (task.status === 'completed' && board.unchecked?.has(task.key) !== true) lane.done += 1;
      for (const facet of card.facets) facets[facet] += 1;
      const isChanged = changed?.has(task.key) === true;
      const marks = isChanged ? [...card.facets, 'changed' as const] : card.facets;
      if (!fits(card, marks) && stays === undefined) continue;
      byId.set(card.id, card);
      const column = stays?.status ?? own;
      matching[column] += 1;
      const there = lane.cards.get(column);
      if (there === undefined) lane.cards.set(column, [card]);
      else there.push(card);
    }
  }
  const sorted = sortLanes([...drafts.values()], options);
  const laneIds = sorted.map(({ id }) => id);
  const lanes = sorted
    .filter(({ cards }) => cards.size > 0)
    .map((draft) => laneFrom(draft, options));
  const reviews = columns.review > 0 || boards.some(({ review }) => review !== undefined);
  return { lanes, laneIds, columns, matching, reviews, facets, total, shown: byId.size, byId };
}

/**
 * Adds lanes, at the end, for headings of a plan without cards, so that cards can be dropped there.
 */
export function withEmptyHeadings(layout: BoardLayout, board: Board): BoardLayout {
  const there = new Set(layout.lanes.map(({ id }) => id));
  const used = board.tasks.flatMap(({ phase }) => phase ?? []);
  const more = [...new Set([...used, ...(board.emptyPhases ?? [])])].filter((id) => !there.has(id));
  if (more.length === 0) return layout;
  const lanes = more.map((id): BoardLane => {
    const own = board.tasks.filter((task) => task.phase === id && task.status !== 'cancelled');
    const done = own.filter((task) => task.status === 'completed').length;
    return { id, title: id, done, total: own.length, cards: new Map(), items: new Map() };
  });
  return { ...layout, lanes: [...layout.lanes, ...lanes] };
}

function counters<K extends string>(keys: readonly K[]): Record<K, number> {
  return Object.fromEntries(keys.map((key) => [key, 0])) as Record<K, number>;
}

export function cardId({ path }: Pick<Board, 'path'>, { key }: Pick<Task, 'key'>): string {
  return `${path}\n${key}`;
}

function draftOf(drafts: Map<string, LaneDraft>, id: string): LaneDraft {
  const there = drafts.get(id);
  if (there !== undefined) return there;
  const fresh: LaneDraft = { id, done: 0, total: 0, cards: new Map() };
  drafts.set(id, fresh);
  return fresh;
}

/** The id of the lane that a card belongs to. */
export function laneOf({ board, task }: BoardCard, kind: LaneKind): string {
  switch (kind) {
    case 'heading':
      return task.phase ?? '';
    case 'agent':
      return task.owner ?? board.agent;
    case 'priority':
      return task.priority;
    case 'none':
      return '';
  }
}

export function laneTitle(id: string, kind: LaneKind): string {
  switch (kind) {
    case 'heading':
      return id === '' ? t('boardView.noHeading') : plainLine(id);
    case 'agent':
      return id === 'me' ? t('boardView.you') : plainLine(id);
    case 'priority':
      return t(`lanePriority.${id as Priority}`);
    case 'none':
      return '';
  }
}

/**
 * Sorts lanes: first in the person's order, then headings as in the note, agents by name after the
 * person, priorities from the highest.
 */
function sortLanes(
  lanes: readonly LaneDraft[],
  { lanes: kind, order }: LayoutOptions,
): readonly LaneDraft[] {
  const natural = [...lanes];
  if (kind === 'agent') {
    const rank = ({ id }: LaneDraft) => (id === 'me' ? 0 : 1);
    natural.sort((a, b) => rank(a) - rank(b) || a.id.localeCompare(b.id));
  }
  if (kind === 'priority') {
    const rank = ({ id }: LaneDraft) => PRIORITIES.indexOf(id as Priority);
    natural.sort((a, b) => rank(a) - rank(b));
  }
  if (order.length === 0) return natural;
  const place = new Map(order.map((id, index) => [id, index]));
  const at = ({ id }: LaneDraft) => place.get(id) ?? order.length;
  return natural.sort((a, b) => at(a) - at(b));
}

/**
 * Ids of all lanes after moving one past the next shown one above or below; the others keep their
 * order. Unchanged if it is at the end.
 */
export function moveLane(
  { lanes, laneIds }: Pick<BoardLayout, 'lanes' | 'laneIds'>,
  id: string,
  by: 1 | -1,
): readonly string[] {
  const at = lanes.findIndex((lane) => lane.id === id);
  const other = lanes[at + by]?.id;
  if (at < 0 || other === undefined) return laneIds;
  return laneIds.flatMap((one) => {
    if (one === other) return by > 0 ? [one, id] : [id, one];
    return one === id ? [] : [one];
  });
}

export function cellId(lane: string, status: Column): string {
  return `${status}\n${lane}`;
}

/** Whether a column shows the newest card first; otherwise cards are in the note's order. */
export function isNewestFirst(status: Column): boolean {
  return status === 'completed' || status === 'cancelled';
}

function laneFrom(draft: LaneDraft, options: LayoutOptions): BoardLane {
  const { id, done, total } = draft;
  const items = new Map<Column, readonly CellItem[]>();
  const cards = new Map<Column, readonly BoardCard[]>();
  for (const [status, all] of draft.cards) {
    const sorted = isNewestFirst(status)
      ? sortNewestFirst(all)
      : status === 'pending'
        ? sortReadyFirst(all)
        : all;
    cards.set(status, sorted);
    items.set(status, cellItems(cellId(id, status), status, sorted, options));
  }
  return { id, title: laneTitle(id, options.lanes), done, total, cards, items };
}

function sortNewestFirst(cards: readonly BoardCard[]): readonly BoardCard[] {
  const day = ({ task }: BoardCard) => task.done ?? task.cancelled ?? '';
  return cards.toReversed().sort((a, b) => (day(a) < day(b) ? 1 : day(a) > day(b) ? -1 : 0));
}

/** Ready cards first, then waiting ones. */
function sortReadyFirst(cards: readonly BoardCard[]): readonly BoardCard[] {
  return [
    ...cards.filter(({ mark }) => mark !== 'waiting'),
    ...cards.filter(({ mark }) => mark === 'waiting'),
  ];
}

function cellItems(
  cell: string,
  status: Column,
  all: readonly BoardCard[],
  { older, staying }: LayoutOptions,
): readonly CellItem[] {
  if (status === 'pending') {
    const at = all.findIndex(({ mark }) => mark === 'waiting');
    const waiting = {
      kind: 'group',
      id: `waiting\n${cell}`,
      title: t('boardView.waiting'),
    } as const;
    const ready = { kind: 'group', id: `ready\n${cell}`, title: t('boardView.ready') } as const;
    if (at < 0) return [ready, ...all];
    return [...(at > 0 ? [ready, ...all.slice(0, at)] : []), waiting, ...all.slice(at)];
  }
  if (!isNewestFirst(status) || older.has(cell) || all.length <= MAX_NEWEST) return all;
  const kept = all.slice(MAX_NEWEST).filter(({ id }) => id === staying?.id);
  const rest = all.length - MAX_NEWEST - kept.length;
  return [
    ...all.slice(0, MAX_NEWEST),
    ...kept,
    { kind: 'older', id: `older\n${cell}`, count: rest },
  ];
}

/** A function that returns whether a card is shown: it must match every word and every facet. */
function makeFilter({
  filter,
  facets,
}: LayoutOptions): (card: BoardCard, own: readonly Facet[]) => boolean {
  const words = filter
    .toLocaleLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  const wanted = [...facets];
  return (card, own) =>
    wanted.every((facet) => own.includes(facet)) &&
    (words.length === 0 || matchesWords(card, own, words));
}

function matchesWords(
  { task, mark }: BoardCard,
  own: readonly string[],
  words: readonly string[],
): boolean {
  const text = [task.title, task.owner ?? '', task.phase ?? ''].join('\n').toLocaleLowerCase();
  const number = `#${task.n ?? ''}`;
  const state = t(`markInside.${mark}`);
  return words.every((word) =>
    /^#\d+$/.test(word)
      ? word === number
      : text.includes(word) || own.includes(word) || state.includes(word),
  );
}

function facetsOf(task: Task, mark: MarkState, critical: boolean): readonly TaskFacet[] {
  const found: TaskFacet[] = [];
  if (mark === 'ready' || mark === 'waiting') found.push(mark);
  if (task.owner === 'me') found.push('mine');
  if (critical) found.push('critical');
  if (task.risk === 'high' || task.risk === 'critical') found.push('risk');
  return found;
}

interface BoardIndex {
  readonly facts: ReadonlyMap<string, TaskFacts>;
  readonly critical: ReadonlySet<string>;
  /** by key, in the order of the note */
  readonly cards: ReadonlyMap<string, BoardCard>;
}

const indexes = new WeakMap<Board, BoardIndex>();
/** The board last indexed, by path: what has not changed since is taken from its index. */
const lastIndexed = new Map<string, WeakRef<Board>>();

/** Data computed from a board, cached for each board value. */
function boardIndex(board: Board): BoardIndex {
  const known = indexes.get(board);
  if (known !== undefined) return known;
  const before = lastIndexed.get(board.path)?.deref();
  const facts = boardFacts(board);
  const critical = criticalTasks(board.tasks, before?.tasks);
  const cards = new Map<string, BoardCard>();
  const old = before && indexes.get(before)?.cards;
  for (const task of board.tasks) {
    const { key } = task;
    const mark = markState(task, facts.get(key)?.blocked === true);
    // An id that was already used as a key is hashed.
    const id = old?.get(key)?.id ?? cardId(board, task);
    const facets = facetsOf(task, mark, critical.has(key));
    cards.set(key, { kind: 'card', id, board, task, mark, facets });
  }
  const index = { facts, critical, cards };
  indexes.set(board, index);
  lastIndexed.set(board.path, new WeakRef(board));
  return index;
}

/** Number of tasks of these boards that changed since the person looked. */
export function changedCount(boards: readonly Board[], changes: Changes): number {
  return boards
    .map((board) => {
      const { cards } = boardIndex(board);
      return [...(changes.get(board.path)?.keys() ?? [])].filter((key) => cards.has(key)).length;
    })
    .reduce((sum, count) => sum + count, 0);
}

/** Whether a card stands at this place of the layout. */
export function standsAt(
  { lanes }: Pick<BoardLayout, 'lanes'>,
  { id, lane, status }: CardPlace,
): boolean {
  const items = lanes.find((one) => one.id === lane)?.items.get(status);
  return items?.some((item) => item.id === id) === true;
}

/** A fact below a card's title; `icon` is a Lucide name or null. */
interface CardFact {
  readonly kind: string;
  readonly icon: string | null;
  readonly text: string;
}

/** Texts of a card. */
export interface CardWords {
  readonly checked: 'true' | 'false' | 'mixed';
  /** "1 / 2"; undefined if it has no subtasks */
  readonly subtasks: string | undefined;
  /** "#6"; undefined if it has no number */
  readonly number: string | undefined;
  /** what the task waits for, or why it failed */
  readonly reason: { readonly icon: string | undefined; readonly text: string } | undefined;
  readonly facts: readonly CardFact[];
  /** accessible name: the visible texts in order, then the others */
  readonly name: string;
}

/** @param several whether cards of other boards are shown too */
export function cardWords(
  { board, task, mark }: BoardCard,
  options: {
    readonly changed: boolean;
    readonly several: boolean;
    readonly today: string;
    readonly work?: string | undefined;
  },
): CardWords {
  const index = boardIndex(board);
  const own = index.facts.get(task.key);
  const { children = 0, finishedChildren = 0 } = own ?? {};
  const subtasks = children > 0 ? `${finishedChildren} / ${children}` : undefined;
  const number = task.n === null ? undefined : `#${task.n}`;
  const reason = reasonOf(task, mark, own, index);
  const facts = factsOf(task, own, index, board, options);
  const state = reason === undefined ? t(`markInside.${mark}`) : undefined;
  const name = [
    ...[plainLine(task.title), subtasks, number, reason?.text, ...facts.map(({ text }) => text)],
    ...[options.work, state],
    options.changed ? t('words.changed') : undefined,
  ];
  return {
    ...{ subtasks, number, reason, facts },
    checked: markChecked(mark),
    name: name.filter((part) => part !== undefined).join(COMMA),
  };
}

/** Most titles that "Waits for" names. */
const MAX_NAMED = 2;

function reasonOf(
  task: Task,
  mark: MarkState,
  own: TaskFacts | undefined,
  { cards }: BoardIndex,
): CardWords['reason'] {
  if (mark === 'failed') return { icon: undefined, text: task.reason ?? t('boardView.failed') };
  if (mark === 'review') return { icon: 'eye', text: t('words.waitsForYourReview') };
  const ids = own?.blockedBy ?? [];
  if (mark !== 'waiting' || ids.length === 0) return undefined;
  const named = ids.slice(0, MAX_NAMED).map((id) => {
    const other = cards.get(id)?.task;
    if (other === undefined) return t('waitsFor.notFound', { id });
    const { title, status } = other;
    return status === 'completed' || status === 'failed'
      ? t(`waitsFor.${status}`, { title })
      : title;
  });
  const more = ids.length - named.length;
  const titles = named.join(COMMA);
  const text =
    more > 0 ? t('waitsFor.someAndMore', { titles, more }) : t('waitsFor.some', { titles });
  return { icon: 'hourglass', text };
}

const PRIORITY_ICONS: ReadonlyMap<string, string> = new Map([
  ['critical', 'chevrons-up'],
  ['high', 'chevron-up'],
  ['low', 'chevron-down'],
  ['lowest', 'chevrons-down'],
]);

function factsOf(
  task: Task,
  own: TaskFacts | undefined,
  { cards, critical }: BoardIndex,
  board: Board,
  { several, today }: { readonly several: boolean; readonly today: string },
): readonly CardFact[] {
  const facts: CardFact[] = [];
  const add = (kind: string, icon: string | null, text: string) => facts.push({ kind, icon, text });
  const open = task.status !== 'completed' && task.status !== 'cancelled';
  if (critical.has(task.key)) add('critical', 'route', t('boardView.criticalPath'));
  const { risk, owner, due, priority } = task;
  if (open && (risk === 'medium' || risk === 'high' || risk === 'critical')) {
    add('risk', 'triangle-alert', t(`risk.${risk}`));
  }
  if (owner === 'me') add('owner', 'user-round', t('boardView.you'));
  else if (owner !== null && owner !== board.agent) add('owner', 'bot', owner);
  if (open && due !== null) add('due', 'calendar', dayText(due, today));
  const icon = PRIORITY_ICONS.get(priority);
  if (open && icon !== undefined) {
    add('priority', icon, t(`priority.${priority}`));
  }
  if (open && own !== undefined && own.frees > 0)
    add('frees', 'lock-open', t('boardView.freesFrees', { frees: own.frees }));
  const parent = task.parent === null ? undefined : cards.get(task.parent);
  const above = parent?.task.n ?? null;
  if (above !== null) add('parent', 'corner-left-up', t('boardView.inAbove', { above }));
  if (several) add('board', 'file-text', plainLine(board.title === '' ? board.agent : board.title));
  return facts;
}
