import { useCallback, useMemo, useState } from 'preact/hooks';
import type { Intents } from '../board/intents';
import { useOverview, type Overview } from '../model/overview';
import {
  isItem,
  matchingRows,
  renumberRows,
  type SidebarRow,
  type TaskTreeRow,
} from '../sidebar/rows';
import { useRowEvents, useRows, useTabStop } from '../sidebar/sidebar-view';
import { Tree } from '../sidebar/tree';
import { treeCommand } from '../sidebar/tree-command';
import { INITIAL_UI, useAdd, withoutPinned, type UiState } from '../sidebar/ui-state';
import { Banner } from '../ui/banner';
import { Button } from '../ui/icon';
import { t } from '../language/text';

/** Maximum rows in a note; the rest are counted. */
const MAX_ROWS = 50;

interface PlanTreeProps {
  readonly overview: Pick<Overview, 'state' | 'onChange' | 'pending'>;
  readonly intents: Intents;
  readonly today: () => string;
  readonly phone: () => boolean;
  /** as in the sidebar's filter */
  readonly filter?: string;
  /** the tasks to show, with their subtasks */
  readonly keep?: (row: TaskTreeRow) => boolean;
  /** only the progress of plans, or of their headings too; absent: the tasks as well */
  readonly show?: 'plans' | 'headings';
  /** prefix of the ids of this tree's items in the page */
  readonly scope: string;
  /** Opens the view that shows all rows; without it, the number of rows is unlimited. */
  readonly onAll?: () => void;
}

/** Plans as the rows of the sidebar; a note shows only the first ones. */
export function PlanTree(props: PlanTreeProps) {
  const { overview, intents, filter = '', keep, show, scope, onAll } = props;
  const state = useOverview(overview);
  const [ui, setUi] = useState<UiState>(INITIAL_UI);
  const rowOptions = useMemo(
    () => ({ today: props.today, since: Infinity, foldDays: () => 0 }),
    [],
  );
  const all = useRows(state, useFiltered(ui, filter, keep !== undefined), rowOptions);
  const { rows, left } = useMemo(() => {
    const kept = keep === undefined ? all : filterTasks(all, keep);
    const shown = show === undefined ? kept : progressRows(kept, show === 'headings');
    return onAll === undefined ? { rows: shown, left: 0 } : firstRows(shown);
  }, [all, keep, show, onAll]);
  const items = useMemo(() => rows.filter(isItem), [rows]);
  const stop = useTabStop(items, ui.selected);
  const tree = { items, stop, ui, setUi, intents, boards: state.boards, whole: false };
  const events = useRowEvents({ intents, phone: props.phone, overview, scope }, tree);
  const onAdd = useAdd(intents, setUi);
  const onLeft = useCallback(() => setUi((now) => withoutPinned(now, items)), [items]);
  const onKey = (event: KeyboardEvent) => treeCommand(event, tree);
  if (rows.length === 0) {
    return (
      <Banner
        icon="list-filter"
        label={t('common.noTaskMatches')}
        text={t('embed.filterIs', { filter })}
        buttons={[]}
      />
    );
  }
  return (
    <>
      <Tree {...{ rows, stop, ui, events, onKey, onLeft, onAdd }} />
      {left > 0 && onAll !== undefined && (
        <div class="atb-block-rest">
          <span>{t('embed.more', { count: left })}</span>{' '}
          <Button kind="quiet" words={t('embed.openAllAsBoard')} onClick={onAll} />
        </div>
      )}
    </>
  );
}

/** The tree has no filter field. If it shows only some tasks, finished ones are not folded. */
function useFiltered(ui: UiState, filter: string, some: boolean): UiState {
  return useMemo(
    () => ({ ...ui, filter: filter === '' ? undefined : filter, showFinished: some }),
    [ui, filter, some],
  );
}

function filterTasks(
  rows: readonly SidebarRow[],
  keep: (row: TaskTreeRow) => boolean,
): readonly SidebarRow[] {
  return matchingRows(rows, (path) => {
    const row = path.at(-1);
    return row?.kind === 'task' && keep(row);
  });
}

/** Only the rows of sessions and boards, or of headings too. */
function progressRows(rows: readonly SidebarRow[], headings: boolean): readonly SidebarRow[] {
  const heads = rows.filter((row) => {
    if (row.kind === 'group') return headings && row.row.kind === 'phase';
    return row.kind !== 'task' && row.kind !== 'add';
  });
  return renumberRows(heads.map((row) => (isItem(row) ? { ...row, expanded: null } : row)));
}

function firstRows(rows: readonly SidebarRow[]): {
  readonly rows: readonly SidebarRow[];
  readonly left: number;
} {
  const items = rows.filter(isItem);
  const next = items[MAX_ROWS];
  if (next === undefined) return { rows, left: 0 };
  return { rows: rows.slice(0, rows.indexOf(next)), left: items.length - MAX_ROWS };
}
