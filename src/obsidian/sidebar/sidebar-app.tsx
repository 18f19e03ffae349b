import { useCallback, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Overview } from '../model/overview';
import { Banner } from '../part/banner';
import { useFocus } from '../part/use-focus';
import { useOverview } from '../part/use-overview';
import { carryWords } from './carry';
import { ConnectionBanner } from './connection-banner';
import { EmptyState, Placeholders } from './empty-state';
import type { Anchor, Intents } from './intents';
import { NeedsYou, type NeedsSource } from './needs-you';
import type { ItemRow, SidebarRow } from './rows';
import type { SessionSort } from './session-item';
import { foldable, openMenu } from './row-menu';
import type { SidebarRequests } from './sidebar-requests';
import { treeCommand } from './tree-command';
import { Toolbar } from './toolbar';
import { Tree } from './tree';
import type { RowEvents } from './tree-row';
import {
  FRESH_UI,
  withFilter,
  withFold,
  withoutField,
  withoutFilter,
  type UiState,
} from './ui-state';
import { useRequests, useSelected } from './use-requests';
import { useRows } from './use-rows';

export interface SidebarProps {
  readonly overview: Overview;
  readonly intents: Intents;
  readonly needs: NeedsSource;
  /** what commands want of the sidebar that is shown */
  readonly requests: SidebarRequests;
  readonly today: () => string;
  /** ms since the epoch, when the plugin began */
  readonly since: number;
  /** days without activity after which a session is folded away; 0: never */
  readonly foldDays: () => number;
  /** false on a phone, which finds no OpenCode beside it to connect to */
  readonly canInstall: boolean;
  readonly phone: () => boolean;
  readonly sortMenu: (
    anchor: Anchor,
    now: SessionSort,
    choose: (sort: SessionSort) => void,
  ) => void;
}

/** Tasks at which a list is called long, and says that finished ones are folded. */
const HUGE = 500;

/** The whole sidebar: what needs the person, then every session with its tasks. */
export function SidebarApp(props: SidebarProps) {
  const { overview, intents } = props;
  const state = useOverview(overview);
  const [ui, setUi] = useState<UiState>(FRESH_UI);
  const change = useCallback((part: Partial<UiState>) => setUi((now) => ({ ...now, ...part })), []);
  const { rows } = useRows(state, ui, {
    ...{ today: props.today(), since: props.since, foldDays: props.foldDays() },
  });
  const items = useMemo(() => rows.filter(isItem), [rows]);
  const stop = useStop(items, ui.selected);
  useSelected(items, ui.selected, intents);
  useRequests(props.requests, { items, stop, setUi });
  const events = useRowEvents(intents, setUi, props.phone);
  const count = state.boards.reduce((sum, board) => sum + board.tasks.length, 0);
  const onEdited = useCallback((back: boolean) => setUi((now) => withoutField(now, back)), []);
  const onKey = (event: KeyboardEvent) => treeCommand(event, { items, stop, ui, setUi, intents });
  const empty = state.loaded && rows.length === 0 && ui.filter === undefined;
  const showLoading = useLate(!state.loaded);
  return (
    <div class="atb-sidebar">
      <Toolbar
        connection={state.connection}
        filtering={ui.filter !== undefined}
        intents={intents}
        onFilter={() =>
          ui.filter === undefined ? setUi(withFilter) : change({ filter: undefined })
        }
        onSort={(event) => props.sortMenu(event, ui.sort, (sort) => change({ sort }))}
        onCollapse={() => change({ folded: foldAll(ui, items) })}
      />
      {ui.filter !== undefined && (
        <FilterField
          value={ui.filter}
          asked={ui.toFilter}
          onChange={(filter) => change({ filter })}
          onClose={() => setUi(withoutFilter)}
        />
      )}
      {ui.carry !== undefined && (
        <div class="atb-carry" role="status">
          {carryWords(items, ui.carry)}
        </div>
      )}
      <div class="atb-scroll">
        <NeedsYou source={props.needs} requests={props.requests} {...{ state, intents }} />
        {!empty && state.loaded && (
          <ConnectionBanner
            connection={state.connection}
            canConnect={props.canInstall}
            onConnect={() => intents.connect()}
            onUpdate={() => intents.installBridge()}
          />
        )}
        {count > HUGE && !ui.showFinished && (
          <LongList count={count} onShowAll={() => change({ showFinished: true })} />
        )}
        {showLoading && <Placeholders />}
        {state.loaded && rows.length === 0 && ui.filter !== undefined && (
          <NoMatch onClear={() => setUi(withoutFilter)} />
        )}
        {empty ? (
          <EmptyState {...state} canInstall={props.canInstall} intents={intents} />
        ) : (
          <Tree
            {...{ rows, stop, events, intents, onEdited, onKey }}
            selected={ui.selected}
            editing={ui.editing}
            toTree={ui.toTree}
            carry={ui.carry}
          />
        )}
      </div>
    </div>
  );
}

function LongList(props: { readonly count: number; readonly onShowAll: () => void }) {
  return (
    <Banner
      icon="layers"
      label="Long list"
      title={`${props.count.toLocaleString('en')} tasks`}
      text="Showing open tasks. Finished ones are folded."
      buttons={[{ label: 'Show all', onClick: props.onShowAll }]}
    />
  );
}

function NoMatch(props: { readonly onClear: () => void }) {
  return (
    <Banner
      icon="list-filter"
      label="No task matches"
      title="No task matches"
      text="Clear the filter to see all."
      buttons={[{ label: 'Clear', onClick: props.onClear }]}
    />
  );
}

function isItem(row: SidebarRow): row is ItemRow {
  return row.kind !== 'add' && row.kind !== 'banner';
}

/** The row that has the keyboard; where it went away, the one that took its place. */
function useStop(items: readonly ItemRow[], selected: string | undefined): string | undefined {
  const last = useRef(0);
  const at = items.findIndex((row) => row.id === selected);
  if (at >= 0) last.current = at;
  return items[Math.min(at >= 0 ? at : last.current, items.length - 1)]?.id;
}

function useRowEvents(
  intents: Intents,
  setUi: (change: (ui: UiState) => UiState) => void,
  phone: () => boolean,
): RowEvents {
  return useMemo(() => {
    const select = (row: ItemRow) => {
      setUi((ui) => (ui.selected === row.id ? ui : { ...ui, selected: row.id }));
      if (row.kind === 'outline' && row.row.kind === 'task' && row.touched > 0) {
        intents.seen(row.board.path, row.row.task.key);
      }
    };
    const fold = (row: ItemRow) =>
      setUi((ui) => withFold(ui, foldable(row), row.expanded !== true));
    return {
      select,
      fold,
      open: ({ session }) => intents.openConversation(session),
      press: (row, event) => {
        select(row);
        if (!phone()) return;
        if (row.kind === 'outline' && row.row.kind === 'task') {
          openMenu(row, event, intents, setUi);
        } else if (row.expanded !== null) fold(row);
      },
      menu: (row, event) => {
        event.preventDefault();
        setUi((ui) => ({ ...ui, selected: row.id }));
        openMenu(row, event, intents, setUi);
      },
    };
  }, [intents, setUi, phone]);
}

/** All sessions folded; where they are already, all open. */
function foldAll(ui: UiState, items: readonly ItemRow[]): ReadonlySet<string> {
  const sessions = items.filter((row) => row.kind === 'session' && row.expanded !== null);
  const closed = sessions.every((row) => ui.folded.has(row.id));
  const others = [...ui.folded].filter((id) => !sessions.some((row) => row.id === id));
  return new Set(closed ? others : [...others, ...sessions.map((row) => row.id)]);
}

function FilterField(props: {
  readonly value: string;
  /** how often: each time it takes the keyboard */
  readonly asked: number;
  readonly onChange: (text: string) => void;
  readonly onClose: () => void;
}) {
  const field = useRef<HTMLInputElement>(null);
  useFocus(field, props.asked);
  return (
    <div class="atb-filter search-input-container">
      <input
        type="search"
        ref={field}
        value={props.value}
        placeholder="Filter tasks"
        aria-label="Filter tasks"
        onInput={(event) => props.onChange(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Escape') return;
          if (props.value === '') props.onClose();
          else props.onChange('');
        }}
      />
    </div>
  );
}

/** True once something has lasted for 200 ms: what is quicker needs no placeholder. */
function useLate(waiting: boolean): boolean {
  const [late, setLate] = useState(false);
  useLayoutEffect(() => {
    if (!waiting) return setLate(false);
    const timer = window.setTimeout(() => setLate(true), 200);
    return () => window.clearTimeout(timer);
  }, [waiting]);
  return waiting && late;
}
