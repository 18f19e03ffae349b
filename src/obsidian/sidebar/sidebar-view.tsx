import type { WorkspaceLeaf } from 'obsidian';
import type { Ref, RefObject } from 'preact';
import { PreactViewWithActions } from '../ui/preact-view';
import { useFocus } from '../ui/focus';
import { SearchField } from '../ui/fields';
import { Icon, IconButton } from '../ui/icon';
import { useCallback, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { useCurrentTask, type CurrentTask } from '../model/current-task';
import { useOverview, type Overview, type OverviewState } from '../model/overview';
import { Banner } from '../ui/banner';
import {
  INITIAL_UI,
  useAdd,
  withFilter,
  withFold,
  withoutField,
  withoutFilter,
  withoutPinned,
  withSelected,
  type SetUi,
  type SidebarRequests,
  type UiState,
} from './ui-state';
import { ConnectionBanner, EmptyState, NoMatch, Placeholders } from './empty-state';
import type { Intents } from '../board/intents';
import { NeedsYou } from './needs-you';
import {
  filteredRows,
  isItem,
  nextReady,
  OLDER_ROW_ID,
  RowCache,
  runRowId,
  sidebarRows,
  type ItemRow,
  type SidebarRow,
} from './rows';
import {
  keepOrder,
  listSessions,
  type SessionItem,
  type SessionSort,
} from '../session/session-list';
import {
  affectedTasks,
  foldTarget,
  openMenu,
  taskOrder,
  treeActions,
  treeCommand,
} from './tree-command';
import { extendSelection, NONE_SELECTED, withRangeStart, toggleSelected } from '../model/selection';
import { dragAnnouncement, isTask } from './task-drag';
import { Tree } from './tree';
import { useTreeDrags } from './tree-drag';
import { rowElement, type RowEvents } from './row-views';
import type { AttentionSource } from '../model/attention';
import { isMenuTap, type Anchor } from '../ui/menu';
import { useViewActions } from '../ui/use-view-actions';
import type { ChosenTask, ViewWithActions } from '../ui/view-actions';
import type { BridgesState } from '../../core/session/bridges';
import { connectionWords } from '../ui/text';
import { isFinished } from '../../core/board/facts';
import type { Board } from '../../core/board/task';
import { t } from '../language/text';

export const SIDEBAR_VIEW = 'agent-task-boards-sidebar';

/** The Obsidian view of the sidebar. */
export class SidebarView extends PreactViewWithActions {
  override navigation = false;

  constructor(
    leaf: WorkspaceLeaf,
    private readonly props: SidebarProps,
    private readonly onShown: () => void,
  ) {
    super(leaf, { type: SIDEBAR_VIEW, icon: 'list-checks' });
    // Views in a side dock have no header; only there the toolbar has this button.
    this.addAction('message-square-plus', t('common.startSession'), () =>
      props.intents.startSession(),
    );
  }

  override getDisplayText(): string {
    return t('note.agentTasks');
  }

  override onOpen(): Promise<void> {
    this.draw();
    this.onShown();
    return super.onOpen();
  }

  protected override content() {
    return <SidebarApp {...this.props} handle={this.handle} />;
  }
}

export interface SidebarProps {
  readonly overview: Overview;
  readonly current: CurrentTask;
  readonly intents: Intents;
  readonly needs: AttentionSource;
  /** requests of commands to the visible sidebar */
  readonly requests: SidebarRequests;
  readonly today: () => string;
  /** ms since the epoch when the plugin started */
  readonly since: number;
  /** days without activity after which a session is folded; 0: never */
  readonly foldDays: () => number;
  /** false on a phone, where no OpenCode can run */
  readonly canInstall: boolean;
  /** Whether OpenCode is installed where the person set, or in a usual place; true if unknown. */
  readonly hasOpenCode: () => Promise<boolean>;
  readonly phone: () => boolean;
  readonly sortMenu: (
    anchor: Anchor,
    now: SessionSort,
    choose: (sort: SessionSort) => void,
  ) => void;
  readonly handle?: Ref<ViewWithActions>;
}

function LongListBanner({
  count,
  onShow,
}: {
  readonly count: number;
  readonly onShow: () => void;
}) {
  return (
    <Banner
      icon="layers"
      label={t('sidebar.longList')}
      title={t('common.tasks', { count })}
      text={t('sidebar.showingOpenTasks')}
      buttons={[{ label: t('sidebar.showAll'), onClick: onShow }]}
    />
  );
}

/** Number of tasks above which the sidebar says that finished ones are folded. */
const LONG_LIST_TASKS = 500;

/** The whole sidebar: requests to the person, then every session with its tasks. */
export function SidebarApp(props: SidebarProps) {
  const { overview, intents } = props;
  const state = useOverview(overview);
  const [ui, setUi] = useState<UiState>(INITIAL_UI);
  const change = useCallback((part: Partial<UiState>) => setUi((now) => ({ ...now, ...part })), []);
  const rows = useRows(state, ui, props);
  const items = useMemo(() => rows.filter(isItem), [rows]);
  const stop = useTabStop(items, ui.selected);
  useRequests(props.requests, { items, stop, setUi });
  const events = useRowEvents({ ...props, scope: '' }, { items, ui, setUi, intents });
  const count = state.boards.reduce((sum, board) => sum + board.tasks.length, 0);
  const onLeft = () => setUi((now) => withoutPinned(now, items));
  const onAdd = useAdd(intents, setUi);
  const tree = { items, stop, ui, setUi, intents, boards: state.boards, whole: true };
  const onKey = (event: KeyboardEvent) => treeCommand(event, tree);
  const root = useRef<HTMLDivElement>(null);
  useFollowCurrentTask(props.current, root, tree);
  useTreeDrags(root, { rows, boards: state.boards, ui, setUi, intents });
  const sort = (anchor: Anchor) =>
    props.sortMenu(anchor, ui.sort, (next) => change({ sort: next }));
  const collapse = () => change({ folded: foldAll(ui, items) });
  const long = count > LONG_LIST_TASKS && !ui.showFinished;
  const acts = () => {
    const row = root.current?.querySelector<HTMLElement>('[role=treeitem][tabindex="0"]');
    const element = row ?? root.current;
    if (element === null) return {};
    return {
      ...treeActions(tree, element),
      ...(items.length > 0 && { 'fold-all': collapse, 'sort-sessions': () => sort(element) }),
      ...(long && { 'show-finished': () => change({ showFinished: true }) }),
    };
  };
  useViewActions(props.handle, acts, () => chosenTask(items, ui));
  const empty = state.loaded && rows.length === 0 && ui.filter === undefined;
  const showLoading = useDelayed(!state.loaded);
  return (
    <div class="atb-sidebar" ref={root} data-drag-root="">
      <Toolbar
        connection={state.connection}
        filtering={ui.filter !== undefined}
        intents={intents}
        onFilter={() =>
          ui.filter === undefined ? setUi(withFilter) : change({ filter: undefined })
        }
        onSort={sort}
        onCollapse={collapse}
      />
      {ui.filter !== undefined && (
        <FilterField
          value={ui.filter}
          requestCount={ui.filterFocusRequests}
          onChange={(filter) => change({ filter })}
          onClose={() => setUi(withoutFilter)}
        />
      )}
      {ui.drag !== undefined && (
        <div class="atb-carry" role="status">
          {dragAnnouncement(items, ui.drag)}
        </div>
      )}
      <div class="atb-scroll">
        <NeedsYou {...props} {...{ state }} />
        {!empty && state.loaded && (
          <ConnectionBanner {...{ intents }} {...state} canConnect={props.canInstall} />
        )}
        {long && <LongListBanner count={count} onShow={() => change({ showFinished: true })} />}
        {showLoading && <Placeholders />}
        {state.loaded && rows.length === 0 && ui.filter !== undefined && (
          <NoMatch onClear={() => setUi(withoutFilter)} />
        )}
        {empty ? (
          <EmptyState {...props} {...state} />
        ) : (
          <Tree {...{ rows, stop, ui, events, onKey, onLeft, onAdd }} />
        )}
      </div>
    </div>
  );
}

/** The row that Tab reaches; if it was removed, the row that took its place. */
export function useTabStop(
  items: readonly ItemRow[],
  selected: string | undefined,
): string | undefined {
  const last = useRef(0);
  const at = items.findIndex((row) => row.id === selected);
  if (at >= 0) last.current = at;
  return items[Math.min(at >= 0 ? at : last.current, items.length - 1)]?.id;
}

export function useRowEvents(
  {
    intents,
    phone,
    scope,
    current,
    overview,
  }: Pick<SidebarProps, 'intents' | 'phone'> &
    Pick<RowEvents, 'scope' | 'current'> & {
      readonly overview: Pick<Overview, 'pending' | 'state' | 'onChange'>;
    },
  context: Parameters<typeof openMenu>[2],
): RowEvents {
  const now = useRef(context);
  now.current = context;
  const { setUi } = context;
  return useMemo(() => {
    const select = (row: ItemRow) => {
      setUi((ui) => withSelected(ui, row));
      if (row.kind === 'task' && row.touched > 0) {
        intents.markSeen(row.board.path, row.row.task.key);
      }
    };
    const fold = (row: ItemRow) =>
      setUi((ui) => withFold(ui, foldTarget(row), row.expanded !== true));
    return {
      ...{ scope, overview, pending: overview.pending, current, intents, select, fold },
      edited: (back) => setUi((ui) => withoutField(ui, back)),
      open: ({ session }) => intents.openConversation(session),
      press: (row, event) => {
        select(row);
        setUi((ui) => ({
          ...ui,
          selection: selectionAfterClick(ui, row, event, now.current.items),
        }));
        if (isChord(event) || !isMenuTap(event, phone())) return;
        if (row.kind === 'task') openMenu(row, event, now.current);
        else if (row.expanded !== null) fold(row);
      },
      menu: (row, event) => {
        event.preventDefault();
        setUi((ui) => withSelected(ui, row));
        openMenu(row, event, now.current);
      },
    };
  }, [intents, setUi, phone, overview, current, scope]);
}

function isChord({ ctrlKey, metaKey, shiftKey }: MouseEvent): boolean {
  return ctrlKey || metaKey || shiftKey;
}

/** The selection after a click on a row. */
function selectionAfterClick(
  { selection: picked }: UiState,
  row: ItemRow,
  event: MouseEvent,
  items: readonly ItemRow[],
): UiState['selection'] {
  if (!isTask(row)) return isChord(event) ? picked : NONE_SELECTED;
  if (event.ctrlKey || event.metaKey) {
    // The row that was clicked before is drawn as selected.
    const { from } = picked;
    const first = picked.ids.size === 0 && from !== undefined && from !== row.id;
    return toggleSelected(first ? toggleSelected(picked, from) : picked, row.id);
  }
  if (event.shiftKey) return extendSelection(picked, taskOrder(items), undefined, row.id);
  return withRangeStart(NONE_SELECTED, row.id);
}

/** Folds all sessions, or opens all if they are folded already. */
function foldAll(ui: UiState, items: readonly ItemRow[]): ReadonlySet<string> {
  const sessions = items.filter((row) => row.kind === 'session' && row.expanded !== null);
  const closed = sessions.every((row) => ui.folded.has(row.id));
  const others = [...ui.folded].filter((id) => !sessions.some((row) => row.id === id));
  return new Set(closed ? others : [...others, ...sessions.map((row) => row.id)]);
}

function FilterField(props: {
  readonly value: string;
  /** number of requests; the field takes the focus on each */
  readonly requestCount: number;
  readonly onChange: (text: string) => void;
  readonly onClose: () => void;
}) {
  const field = useRef<HTMLInputElement>(null);
  useFocus(field, props.requestCount);
  return (
    <SearchField
      class="atb-filter"
      field={field}
      value={props.value}
      label={t('common.filterTasks')}
      onText={props.onChange}
      onKey={({ key }) => {
        if (key !== 'Escape') return false;
        props.onClose();
        return true;
      }}
    />
  );
}

/** Returns true once `waiting` has lasted for 200 ms; anything quicker needs no placeholder. */
function useDelayed(waiting: boolean): boolean {
  const [late, setLate] = useState(false);
  useLayoutEffect(() => {
    if (!waiting) return setLate(false);
    const timer = window.setTimeout(() => setLate(true), 200);
    return () => window.clearTimeout(timer);
  }, [waiting]);
  return waiting && late;
}

/** The buttons above the list, on a phone with the state of the connection. */
function Toolbar(props: {
  readonly connection: BridgesState;
  readonly filtering: boolean;
  readonly intents: Intents;
  readonly onFilter: () => void;
  readonly onSort: (event: MouseEvent) => void;
  readonly onCollapse: () => void;
}) {
  const { intents } = props;
  const words = connectionWords(props.connection, Date.now());
  return (
    <div class="atb-toolbar nav-buttons-container" role="toolbar" aria-label={t('note.agentTasks')}>
      <span class="atb-toolbar-state">
        <Icon name={words.icon} />
        {words.text}
      </span>
      <IconButton
        wideOnly
        icon="message-square-plus"
        label={t('common.startSession')}
        onClick={() => intents.startSession()}
      />
      <IconButton
        icon="list-filter"
        label={t('common.filterTasks')}
        pressed={props.filtering}
        onClick={props.onFilter}
      />
      <IconButton
        wideOnly
        icon="arrow-up-narrow-wide"
        label={t('sidebar.sortSessions')}
        onClick={props.onSort}
      />
      <IconButton
        wideOnly
        icon="chevrons-down-up"
        label={t('sidebar.foldAll')}
        onClick={props.onCollapse}
      />
      <IconButton
        icon="ellipsis"
        label={t('sidebar.more')}
        onClick={(event) => intents.moreMenu(event)}
      />
    </div>
  );
}

/** The rows of the sidebar. Sessions keep their order; new ones come first. */
export function useRows(
  state: OverviewState,
  ui: UiState,
  props: Pick<SidebarProps, 'today' | 'since' | 'foldDays'>,
): readonly SidebarRow[] {
  const order = useRef<readonly string[]>([]);
  const cache = useRef(new RowCache());
  const { since } = props;
  const [today, foldDays] = [props.today(), props.foldDays()];
  const items = useMemo(() => {
    const oldBefore = foldDays === 0 ? undefined : Date.parse(today) - foldDays * DAY;
    const listed = listSessions(state, { today, since, oldBefore });
    const ids = listed.map((item) => item.id);
    // Sessions that arrive while the boards are first read are not newer, only later.
    order.current = state.loaded ? keepOrder(order.current, ids) : ids;
    return sortSessions(listed, order.current, ui.sort);
  }, [state, today, since, foldDays, ui.sort]);
  const { changes, findings } = state;
  const pinned = useMemo(() => pinnedRow(state.boards, ui.pinned), [state.boards, ui.pinned]);
  return useMemo(
    () =>
      filteredRows(
        sidebarRows(
          items,
          {
            ...(isFiltering(ui) ? withAllUnfolded(ui, items) : ui),
            today,
            changes,
            findings,
            pinned,
          },
          cache.current,
        ),
        ui.filter ?? '',
      ),
    [items, today, changes, findings, pinned, ui.folded, ui.opened, ui.showFinished, ui.filter],
  );
}

/** The row's id if its task is finished; the row of an open task is shown anyway. */
function pinnedRow(boards: readonly Board[], id: string | undefined): string | undefined {
  const [path, key] = id?.split('\n') ?? [];
  const task = boards.find((board) => board.path === path)?.tasks.find((one) => one.key === key);
  return task !== undefined && isFinished(task) ? id : undefined;
}

const DAY = 86_400_000;

function isFiltering({ filter = '' }: UiState): boolean {
  return filter.trim() !== '';
}

const NONE_FOLDED: ReadonlySet<string> = new Set();

/** Unfolds everything for the filter, since matches may be in folded rows. */
function withAllUnfolded(ui: UiState, items: readonly SessionItem[]): UiState {
  const opened = new Set([...ui.opened, OLDER_ROW_ID, ...items.map(({ id }) => runRowId(id))]);
  return { ...ui, folded: NONE_FOLDED, opened, showFinished: true };
}

function sortSessions(
  items: readonly SessionItem[],
  order: readonly string[],
  sort: SessionSort,
): readonly SessionItem[] {
  if (sort === 'title') return [...items].sort((a, b) => a.title.localeCompare(b.title));
  const place = new Map(order.map((id, index) => [id, sort === 'newest' ? index : -index]));
  return [...items].sort((a, b) => (place.get(a.id) ?? 0) - (place.get(b.id) ?? 0));
}

/** Keeps the selected row in sync with the current task of the other views. */
function useFollowCurrentTask(
  current: CurrentTask,
  root: RefObject<HTMLElement | null>,
  { items, ui, setUi }: Pick<Parameters<typeof treeCommand>[1], 'items' | 'ui' | 'setUi'>,
): void {
  useCurrentTask(current, root, {
    idOf: (element) => element.closest<HTMLElement>('[data-row=task]')?.dataset['at'],
    adopt: (id) => {
      const busy = ui.editing !== undefined || ui.drag !== undefined;
      if (!busy && items.some((row) => row.id === id)) setUi((now) => ({ ...now, selected: id }));
    },
    reveal: (id) => {
      const sidebar = root.current;
      // Requests to the person have priority: only the person scrolls them away.
      if (sidebar === null || isNeedsYouVisible(sidebar)) return;
      rowElement(sidebar, id)?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
    },
  });
}

/** Whether a part of "Needs you" is visible. */
function isNeedsYouVisible(sidebar: HTMLElement): boolean {
  const needs = sidebar.querySelector('.atb-needs')?.getBoundingClientRect();
  const shown = sidebar.querySelector('.atb-scroll')?.getBoundingClientRect();
  return needs !== undefined && shown !== undefined && needs.bottom > shown.top;
}

/** The selected task, for commands. */
function chosenTask(
  items: readonly ItemRow[],
  ui: Pick<UiState, 'selected' | 'selection'>,
): ChosenTask | undefined {
  const row = items.find(({ id }) => id === ui.selected);
  if (row?.kind !== 'task') return undefined;
  const {
    board,
    row: { task },
    id,
  } = row;
  return { board, task, tasks: affectedTasks({ items, ui }, id) };
}

/** Carries out requests of commands to this sidebar. */
function useRequests(
  requests: SidebarRequests,
  context: {
    readonly items: readonly ItemRow[];
    readonly stop: string | undefined;
    readonly setUi: SetUi;
  },
): void {
  const now = useRef(context);
  now.current = context;
  useLayoutEffect(
    () =>
      requests.onRequest((request) => {
        const { items, stop, setUi } = now.current;
        if (request === 'filter') setUi(withFilter);
        const id = request === 'next-ready' ? nextReady(items, stop) : undefined;
        const row = items.find((item) => item.id === id);
        if (row !== undefined)
          setUi((ui) => ({
            ...withSelected(ui, row),
            treeFocusRequests: ui.treeFocusRequests + 1,
          }));
      }),
    [requests],
  );
}
