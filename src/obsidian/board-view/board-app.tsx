import type { RefObject } from 'preact';
import { useCallback, useMemo, useRef, useState } from 'preact/hooks';
import type { Op } from '../../core/board/op';
import type { Board } from '../../core/board/task';
import { boardRepairs, FindingBanner, RepairBanner } from '../board/repairs';
import {
  keepIdentity,
  NO_CHANGES,
  useOverview,
  type Changes,
  type OverviewState,
} from '../model/overview';
import {
  actionTargets,
  extendSelection,
  NONE_SELECTED,
  withRangeStart,
  toggleSelected,
  type Selection,
} from '../model/selection';
import { ConnectionBanner, Placeholders } from '../sidebar/empty-state';
import { Banner } from '../ui/banner';
import { Icon } from '../ui/icon';
import { isMenuTap, type Anchor } from '../ui/menu';
import { useViewActions } from '../ui/use-view-actions';
import { boardViewActs } from './board-acts';
import { boardActs, handleBoardKey, type BoardKeys } from './board-keys';
import {
  addBeside,
  openAddTask,
  cardMenu,
  columnMenu,
  laneMenu,
  lanesMenu,
  moveMenu,
  sessionMenu,
} from './board-menus';
import type { BoardPrefs } from './board-prefs';
import {
  toggled,
  useBoardUi,
  type BoardAppProps,
  type BoardContext,
  type BoardUi,
} from './board-state';
import { useCardFocus, useDrags, useNarrowBoard } from './card-hooks';
import type { CardEvents } from './card-view';
import { dropPreviewOf, draggedCards, pickUpCards, type CardDrag } from './card-drag';
import { ColumnHeads, ColumnSwitch, Strips } from './column-heads';
import {
  boardLayout,
  changedCount,
  standsAt,
  withEmptyHeadings,
  cardColumn,
  COLUMNS,
  laneWord,
  type BoardCard,
  type BoardLayout,
  type Column,
} from './columns';
import { dropOperations, dropPositionWords } from './drop';
import { FilterBar, toggledFacets } from './filter-bar';
import { allColumns, cardElement, Lanes, shownColumns, type LanesProps } from './lanes';
import { QuickAddAt } from './quick-add';
import { boardsOfSession, boardTitle, isWritable } from './shown-boards';
import { t, tNodes } from '../language/text';
import { plainLine } from '../ui/text';

/** Number of cards above which lanes are folded at first. */
const FOLD_THRESHOLD = 5_000;

/** The board: a plan in columns. */
export function BoardApp(props: BoardAppProps) {
  const context = useBoard(props);
  const { state, layout, prefs, setPrefs, ui, setUi, boards, folded } = context;
  const phone = props.phone();
  const field = useRef<HTMLInputElement>(null);
  const root = useRef<HTMLDivElement>(null);
  const scroller = useRef<HTMLDivElement>(null);
  const { columns, strips } = shownColumns(layout, prefs, phone);
  const stop = useCardFocus(root, context, columns);
  useDrags(root, scroller, context);
  const toField = () => field.current?.focus();
  const carried = dropPreviewOf(layout, prefs.lanes, ui.carry);
  const over = ui.carry?.outside === true ? undefined : ui.carry?.spot.status;
  const events = useCardEvents(context);
  const laneEvents = useLaneEvents(context);
  const clear = () => setPrefs({ filter: '', facets: [] });
  const onAdd = () => void openAddTask(context);
  const onMenu = (status: Column, anchor: Anchor) => columnMenu(context, status, anchor);
  const adding = ui.adding && (
    <QuickAddAt
      {...{ boards, intents: props.intents, at: ui.adding }}
      onClose={() => setUi({ adding: undefined, gridFocusRequests: ui.gridFocusRequests + 1 })}
    />
  );
  const keys = () => boardKeysOf(context, { columns, stop, root: root.current, filter: toField });
  useNarrowBoard(root);
  useBoardActions(context, stop, keys);
  return (
    <div class="atb-board" ref={root} data-drag-root="">
      <BoardBar {...{ context, field }} />
      <BoardBanners {...context} onClear={clear} />
      {phone && (
        <ColumnSwitch
          columns={allColumns(layout)}
          shown={columns[0] ?? 'pending'}
          {...{ layout, over }}
          {...{ limits: prefs.limits, onAdd, onMenu }}
          onShow={(column) => setPrefs({ column })}
        />
      )}
      {phone && adding}
      <div class="atb-board-body">
        <div class="atb-board-scroll" ref={scroller}>
          <div
            class="atb-board-grid"
            role="grid"
            aria-label={t('boardView.boardOf', { plan: boardTitle(state, props.session) })}
            aria-multiselectable
            aria-colcount={COLUMNS.length}
            style={{ '--atb-columns': columns.length }}
            onKeyDown={(event) => handleBoardKey(event, keys())}
          >
            {!phone && (
              <ColumnHeads {...{ columns, layout, adding, limits: prefs.limits, onAdd, onMenu }} />
            )}
            <Lanes
              {...{ scroller, layout, columns, folded, stop, carried, events }}
              changes={context.changes}
              several={boards.length > 1}
              today={props.today()}
              heads={prefs.lanes !== 'none'}
              {...{ picked: ui.picked.ids, editing: ui.editing?.id }}
              dragging={ui.carry?.pointer === true}
              {...laneEvents}
            />
          </div>
        </div>
        <Strips
          {...{ strips, layout, over }}
          onOpen={(status) => setPrefs({ opened: [...prefs.opened, status] })}
        />
      </div>
      <MoveHint {...context} />
      <div class="atb-unseen" role="status" children={ui.announcement} />
    </div>
  );
}

/** Exposes the actions of the board, and the card that the person is on. */
function useBoardActions(
  { props, ui, layout }: BoardContext,
  stop: string | undefined,
  keys: () => BoardKeys,
): void {
  useViewActions(
    props.handle,
    () => (ui.carry === undefined ? boardActs(keys()) : {}),
    () => {
      const card = stop === ui.stop ? layout.byId.get(stop ?? '') : undefined;
      if (card === undefined) return undefined;
      const { board, task, id } = card;
      return {
        board,
        task,
        tasks: actionTargets(ui.picked, id, (one) => layout.byId.get(one)?.task),
      };
    },
  );
}

function BoardBar(props: {
  readonly context: BoardContext;
  readonly field: RefObject<HTMLInputElement | null>;
}) {
  const { context, field } = props;
  const { prefs, setPrefs, layout, counts, state, ui, setUi } = context;
  const { intents, session, onSession } = context.props;
  return (
    <FilterBar
      {...{ field }}
      filter={prefs.filter}
      facets={prefs.facets}
      {...{ counts }}
      found={
        prefs.filter === '' && prefs.facets.length === 0
          ? ''
          : t('boardView.shownOf', { shown: layout.shown, total: layout.total })
      }
      selected={ui.picked.ids.size > 1 ? selectedWords(ui.picked) : ''}
      lanes={laneWord(prefs.lanes)}
      session={boardTitle(state, session)}
      onFilter={(filter) => setPrefs({ filter })}
      onFacet={(facet) => setPrefs({ facets: toggledFacets(prefs.facets, facet) })}
      onLanes={(anchor) => lanesMenu(context, anchor)}
      onSession={onSession && ((anchor) => sessionMenu(context, anchor, onSession))}
      onUndo={() => intents.undo()}
      onRedo={() => intents.redo()}
      onLeave={() => setUi({ gridFocusRequests: ui.gridFocusRequests + 1 })}
    />
  );
}

/** Whether the board had so many cards when it was opened that its lanes are folded at first. */
function useHuge(loaded: boolean, total: number): boolean {
  const huge = useRef<boolean>(undefined);
  const isHuge = total > FOLD_THRESHOLD;
  if (loaded || isHuge) huge.current ??= isHuge;
  return huge.current ?? false;
}

function selectedWords({ ids }: Selection): string {
  return t('boardView.selected', { count: ids.size });
}

/** The state of the board: what is shown, and how. */
function useBoard(props: BoardAppProps): BoardContext {
  const { overview, session, prefs: store, intents } = props;
  const state = useOverview(overview);
  const [prefs, setAll] = useState(() => store.of(session));
  const setPrefs = useCallback(
    (part: Partial<BoardPrefs>) =>
      setAll((now) => {
        const next = { ...now, ...part };
        store.keep(session, next);
        return next;
      }),
    [store, session],
  );
  const [ui, setUi] = useBoardUi();
  const { boards, changes } = useShownBoards(state, session);
  const { lanes } = prefs;
  const shown = useFilteredLayout(boards, changes, prefs, ui);
  // The board of the carried cards; undefined if nothing is carried.
  const dragBoard = shown.byId.get(ui.carry?.ids[0] ?? '')?.board;
  const layout = useMemo(
    () =>
      dragBoard === undefined || lanes !== 'heading' ? shown : withEmptyHeadings(shown, dragBoard),
    [shown, dragBoard, lanes],
  );
  const huge = useHuge(state.loaded, layout.total);
  const folded = useMemo(
    () =>
      new Set(
        lanes === 'none'
          ? []
          : shown.lanes.map(({ id }) => id).filter((id) => huge !== prefs.toggled.includes(id)),
      ),
    [shown.lanes, lanes, huge, prefs.toggled],
  );
  const drop = (carry: CardDrag): void => {
    const cards = draggedCards(layout, carry);
    const operations =
      carry.outside === true ? [] : dropOperations(layout, lanes, cards, carry.spot);
    const [first] = cards;
    if (first === undefined || operations.length === 0) {
      return setUi({ carry: undefined, announcement: t('boardView.putBack') });
    }
    const where = dropPositionWords(layout, lanes, cards, carry.spot);
    setUi({ carry: undefined });
    const tasks = cards.map(({ task }) => task);
    const to = carry.spot.status;
    const changes = to !== 'review' && tasks.some((task) => cardColumn(task) !== to);
    const status = changes ? to : undefined;
    // From Review back to In progress: asks what is missing and tells the agent.
    if (to === 'in_progress' && cards.length === 1 && cardColumn(first.task) === 'review') {
      // The status is set by sending it back.
      const also = operations.flatMap((one): readonly Op[] => {
        if (one.type !== 'update') return [one];
        const { status: _, type, id, ...fields } = one;
        return Object.keys(fields).length > 0 ? [{ type, id, ...fields }] : [];
      });
      return intents.sendBack(first.board, first.task, also);
    }
    void intents.arrange(first.board, tasks, operations, status).then((frees) => {
      setUi(
        frees === undefined
          ? { announcement: t('boardView.putBack') }
          : {
              announcement: frees
                ? t('boardView.movedAndFrees', { where, count: frees })
                : t('boardView.movedTo', { where }),
              picked: NONE_SELECTED,
            },
      );
    });
  };
  const counts = { ...layout.facets, changed: changedCount(boards, changes) };
  const shownState = { state, boards, changes, layout, counts, folded };
  return { props, ...shownState, prefs, setPrefs, ui, setUi, drop };
}

/** The boards of a session and what changed in them; both keep their identity over other changes. */
function useShownBoards(
  state: OverviewState,
  session: string,
): Pick<BoardContext, 'boards' | 'changes'> {
  const boards = useSameList(
    useMemo(() => boardsOfSession(state.boards, session), [state.boards, session]),
  );
  const ownChanges = useSameList(boards.map(({ path }) => state.changes.get(path)));
  const changes = useMemo(() => state.changes, [boards, ownChanges]);
  return { boards, changes };
}

/** The tasks that match the filter; the card whose title is being edited stays in its place. */
function useFilteredLayout(
  boards: readonly Board[],
  changes: Changes,
  prefs: BoardPrefs,
  ui: Pick<BoardUi, 'older' | 'editing'>,
): BoardLayout {
  const { filter, facets, lanes, order } = prefs;
  const counted = filter !== '' || facets.includes('changed') ? changes : NO_CHANGES;
  const options = {
    ...{ filter, lanes, changes: counted, older: ui.older },
    ...{ order: order[lanes] ?? [], facets: new Set(facets) },
  };
  const free = useMemo(
    () => boardLayout(boards, options),
    [boards, filter, facets, lanes, order, counted, ui.older],
  );
  const staying = ui.editing && !standsAt(free, ui.editing) ? ui.editing : undefined;
  return useMemo(
    () => (staying === undefined ? free : boardLayout(boards, { ...options, staying })),
    [free, staying],
  );
}

/** The list of an earlier call while its members are the same. */
function useSameList<T>(now: readonly T[]): readonly T[] {
  const last = useRef(now);
  return (last.current = keepIdentity(last.current, now));
}

/**
 * Callbacks that stay the same while the board is open, so that unchanged lanes are not redrawn.
 */
function useLaneEvents(
  context: BoardContext,
): Pick<LanesProps, 'onFold' | 'onLaneMenu' | 'onOlder'> {
  const now = useRef(context);
  now.current = context;
  return useMemo(
    () => ({
      onFold: ({ id }) => {
        const { prefs, setPrefs } = now.current;
        setPrefs({ toggled: toggled(prefs.toggled, id) });
      },
      onLaneMenu: (lane, anchor) => laneMenu(now.current, lane, anchor),
      onOlder: (cell) => {
        const { ui, setUi } = now.current;
        setUi({ older: new Set([...ui.older, cell]) });
      },
    }),
    [],
  );
}

function useCardEvents(context: BoardContext): CardEvents {
  const now = useRef(context);
  now.current = context;
  const { intents, overview, current } = context.props;
  return useMemo(
    () => ({
      ...{ intents, overview, current, pending: overview.pending },
      press: (card, event) => {
        const { ui, setUi, props } = now.current;
        const { id, board } = card;
        if (event.ctrlKey || event.metaKey)
          setUi({ picked: toggleSelected(ui.picked, id), stop: id });
        else if (event.shiftKey) {
          const { layout } = now.current;
          setUi({
            picked: extendSelection(ui.picked, columnIds(layout, id), undefined, id),
            stop: id,
          });
        } else {
          setUi({ picked: withRangeStart(NONE_SELECTED, id), stop: id });
          intents.markSeen(board.path, card.task.key);
          if (isMenuTap(event, props.phone())) cardMenu(now.current, card, event);
        }
      },
      menu: (card, event) => {
        event.preventDefault();
        now.current.setUi({ stop: card.id });
        cardMenu(now.current, card, event);
      },
      focused: ({ id }) => now.current.setUi({ stop: id }),
      edited: (back) => {
        const { ui, setUi } = now.current;
        setUi({ editing: undefined, gridFocusRequests: ui.gridFocusRequests + (back ? 1 : 0) });
      },
    }),
    [intents, overview, current],
  );
}

function boardKeysOf(
  context: BoardContext,
  around: Pick<BoardKeys, 'columns' | 'stop' | 'filter'> & { readonly root: HTMLElement | null },
): BoardKeys {
  const { layout, prefs, ui, setUi, folded, props } = context;
  const { intents } = props;
  const { root, ...rest } = around;
  const elementOf = ({ id }: BoardCard) => root && (cardElement(root, id) ?? root);
  const at = (card: BoardCard, run: (element: HTMLElement) => void) => {
    const element = elementOf(card);
    if (element !== null) run(element);
  };
  const positionWords = (carry: CardDrag) =>
    `${dropPositionWords(layout, prefs.lanes, draggedCards(layout, carry), carry.spot)}.`;
  return {
    ...{ ...rest, layout, kind: prefs.lanes, folded, intents },
    ...{ picked: ui.picked, carry: ui.carry, drop: context.drop },
    rightToLeft: root !== null && getComputedStyle(root).direction === 'rtl',
    focusCard: (card, extend) =>
      setUi({
        stop: card.id,
        gridFocusRequests: ui.gridFocusRequests + 1,
        picked: extend
          ? extendSelection(ui.picked, columnIds(layout, card.id), ui.stop, card.id)
          : withRangeStart(ui.picked, card.id),
      }),
    pick: (picked) => setUi({ picked, announcement: selectedWords(picked) }),
    edit: ({ id, task, board }) => {
      const lane = layout.lanes.find(({ cards }) =>
        cards.get(cardColumn(task))?.some((one) => one.id === id),
      );
      if (isWritable(board))
        setUi({ editing: { id, lane: lane?.id ?? '', status: cardColumn(task) } });
    },
    add: (card, under) =>
      card === undefined
        ? void openAddTask(context)
        : addBeside(context, card, under ? 'under' : 'after'),
    menu: (card) => at(card, (element) => cardMenu(context, card, element)),
    status: (card) => {
      const tasks = actionTargets(ui.picked, card.id, (id) => layout.byId.get(id)?.task);
      at(card, (element) => intents.statusMenu(card.board, tasks, element));
    },
    moveTo: (card) => at(card, (element) => moveMenu(context, card, element)),
    pickUp: (card) => {
      const carry = pickUpCards(context, card.id, false);
      if (carry !== undefined) {
        setUi({
          carry,
          announcement: t('boardView.pickedUp', {
            what: draggedWords(layout, carry),
            spot: positionWords(carry),
          }),
        });
      }
    },
    carryTo: (carry) => setUi({ carry, announcement: positionWords(carry) }),
    putBack: () => setUi({ carry: undefined, announcement: t('boardView.putBack') }),
    writable: context.boards.some(isWritable),
    view: boardViewActs(context, around.stop),
  };
}

/** Ids of the cards of a card's column, lane by lane. */
function columnIds(layout: BoardLayout, id: string): readonly string[] {
  const task = layout.byId.get(id)?.task;
  if (task === undefined) return [];
  const column = cardColumn(task);
  return layout.lanes.flatMap(({ cards }) => (cards.get(column) ?? []).map((card) => card.id));
}

function draggedWords(layout: BoardLayout, carry: CardDrag): string {
  const [first, ...more] = draggedCards(layout, carry);
  const title = plainLine(first?.task.title ?? '');
  return more.length === 0 ? title : t('sidebar.andMore', { title, count: more.length });
}

/** The hint at the bottom while cards are moved: where they would land, and the keys. */
function MoveHint({ ui, layout, prefs }: BoardContext) {
  const { carry } = ui;
  if (carry === undefined) return null;
  const where =
    carry.outside === true
      ? t('boardView.nowhere')
      : dropPositionWords(layout, prefs.lanes, draggedCards(layout, carry), carry.spot);
  return (
    <div class="atb-move-hint" aria-hidden="true">
      <Icon name="move" />
      <span>
        {tNodes('boardView.moving', {
          what: <strong>{draggedWords(layout, carry)}</strong>,
          where,
        })}
      </span>
      {!carry.pointer && (
        <span class="atb-move-keys">
          {['←', '→', '↑', '↓'].map((key) => (
            <kbd key={key}>{key}</kbd>
          ))}{' '}
          {t('boardView.keyMoves')} <kbd>Enter</kbd> {t('boardView.keyDrops')} <kbd>Esc</kbd>{' '}
          {t('boardView.keyPutsBack')}
        </span>
      )}
    </div>
  );
}

/** Problems to know before moving cards, and what to do if there are no cards. */
function BoardBanners(props: BoardContext & { readonly onClear: () => void }) {
  const { state, boards, layout, props: app } = props;
  const { intents } = app;
  if (!state.loaded) return <Placeholders />;
  const readable = boards.some((board) => board.broken === null);
  return (
    <div class="atb-board-banners">
      {app.inNote !== true && (
        <ConnectionBanner {...{ intents }} {...state} canConnect={app.canInstall} />
      )}
      {boards.map((board) => (
        <RepairBanner key={board.path} {...{ board, intents }} />
      ))}
      {boards.flatMap((board) =>
        board.broken !== null
          ? []
          : boardRepairs(board.path, state.findings).map((repair, index) => (
              <FindingBanner key={`${index} ${board.path}`} {...{ board, repair, intents }} />
            )),
      )}
      {boards.map((board) =>
        board.continued === undefined ? null : (
          <Banner
            key={`continued ${board.path}`}
            icon="lock"
            label={t('boardView.goesOnElsewhere')}
            text={t('boardView.tasksAreHistory')}
            buttons={[]}
          />
        ),
      )}
      {layout.total === 0 && (boards.length === 0 || readable) && (
        <Banner
          icon="kanban"
          label={t('boardView.noTasksYet')}
          text={t('boardView.addOneOrAsk')}
          buttons={
            boards.some(isWritable)
              ? [
                  {
                    label: t('boardView.addTask'),
                    onClick: () => void openAddTask(props),
                  },
                ]
              : []
          }
        />
      )}
      {layout.total > 0 && layout.shown === 0 && (
        <Banner
          icon="list-filter"
          label={t('common.noTaskMatches')}
          text={t('boardView.clearFilterToSeeAll')}
          buttons={[{ label: t('boardView.clear'), onClick: props.onClear }]}
        />
      )}
    </div>
  );
}
