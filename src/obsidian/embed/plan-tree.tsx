import { useCallback, useMemo, useState } from 'preact/hooks';
import type { Intents } from '../board/intents';
import { useOverview, type Overview } from '../model/overview';
import { isItem, numbered, type SidebarRow } from '../sidebar/rows';
import { useRowEvents, useRows, useSelected, useStop } from '../sidebar/sidebar-view';
import { Tree } from '../sidebar/tree';
import { treeCommand } from '../sidebar/tree-command';
import { FRESH_UI, useAdd, withoutStaying, type UiState } from '../sidebar/ui-state';
import { Banner } from '../ui/banner';
import { Button } from '../ui/icon';

/** Rows that stand in a note; more are counted. */
const MOST_ROWS = 50;

interface PlanTreeProps {
  readonly overview: Pick<Overview, 'state' | 'onChange' | 'pending'>;
  readonly intents: Intents;
  readonly today: () => string;
  readonly phone: () => boolean;
  readonly filter: string;
  /** how far sessions and headings are, without their tasks */
  readonly progress: boolean;
  /** names the items of this tree in the page */
  readonly scope: string;
  /** Brings up the view that has no such limit. */
  readonly onAll: () => void;
}

/** Plans in the rows of the sidebar, as many of them as a note has room for. */
export function PlanTree(props: PlanTreeProps) {
  const { overview, intents, filter, progress, scope } = props;
  const state = useOverview(overview);
  const [ui, setUi] = useState<UiState>(FRESH_UI);
  const around = useMemo(() => ({ today: props.today, since: Infinity, foldDays: () => 0 }), []);
  const all = useRows(state, useFiltered(ui, filter), around);
  const shown = useMemo(() => (progress ? progressRows(all) : all), [all, progress]);
  const { rows, left } = useMemo(() => firstRows(shown), [shown]);
  const items = useMemo(() => rows.filter(isItem), [rows]);
  const stop = useStop(items, ui.selected);
  useSelected(items, ui.selected, intents);
  const events = useRowEvents({ intents, phone: props.phone, overview, scope }, setUi);
  const onAdd = useAdd(intents, setUi);
  const onLeft = useCallback(() => setUi((now) => withoutStaying(now, items)), [items]);
  const onKey = (event: KeyboardEvent) => treeCommand(event, { items, stop, ui, setUi, intents });
  if (rows.length === 0) {
    return (
      <Banner icon="list-filter" label="No task matches" text={`Filter: ${filter}`} buttons={[]} />
    );
  }
  return (
    <>
      <Tree {...{ rows, stop, ui, events, onKey, onLeft, onAdd }} />
      {left > 0 && (
        <div class="atb-block-rest">
          <span>{left.toLocaleString('en')} more</span>{' '}
          <Button kind="quiet" words="Open all as board" onClick={props.onAll} />
        </div>
      )}
    </>
  );
}

/** The block's own filter: nobody types in a note's tree. */
function useFiltered(ui: UiState, filter: string): UiState {
  return useMemo(() => ({ ...ui, filter: filter === '' ? undefined : filter }), [ui, filter]);
}

/** Sessions, boards and headings alone. */
function progressRows(rows: readonly SidebarRow[]): readonly SidebarRow[] {
  const heads = rows.filter(
    (row) =>
      row.kind === 'banner' ||
      (isItem(row) && row.kind !== 'task' && !(row.kind === 'group' && row.row.kind !== 'phase')),
  );
  return numbered(heads.map((row) => (isItem(row) ? { ...row, expanded: null } : row)));
}

function firstRows(rows: readonly SidebarRow[]): {
  readonly rows: readonly SidebarRow[];
  readonly left: number;
} {
  const items = rows.filter(isItem);
  const next = items[MOST_ROWS];
  if (next === undefined) return { rows, left: 0 };
  return { rows: rows.slice(0, rows.indexOf(next)), left: items.length - MOST_ROWS };
}
