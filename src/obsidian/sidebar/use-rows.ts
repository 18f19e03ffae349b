import { useMemo, useRef } from 'preact/hooks';
import type { OverviewState } from '../model/overview';
import { RowCache } from './row-cache';
import { OLDER } from './older-row';
import { sidebarRows, type SidebarRow } from './rows';
import { keepOrder, listSessions, type SessionItem, type SessionSort } from './session-item';
import { filterRows } from './filter-rows';
import type { UiState } from './ui-state';

/** What the sidebar lists now. Sessions stay where they are; new ones come on top. */
export function useRows(
  state: OverviewState,
  ui: UiState,
  when: { readonly today: string; readonly since: number; readonly foldDays: number },
): { readonly items: readonly SessionItem[]; readonly rows: readonly SidebarRow[] } {
  const order = useRef<readonly string[]>([]);
  const cache = useRef(new RowCache());
  const { today, since, foldDays } = when;
  const items = useMemo(() => {
    const oldBefore = foldDays === 0 ? undefined : Date.parse(today) - foldDays * DAY;
    const listed = listSessions(state, { today, since, oldBefore });
    const ids = listed.map((item) => item.id);
    // What comes in while the boards are read for the first time is not newer, only later.
    order.current = state.loaded ? keepOrder(order.current, ids) : ids;
    return sorted(listed, order.current, ui.sort);
  }, [state, today, since, foldDays, ui.sort]);
  const { changes, findings } = state;
  const rows = useMemo(
    () =>
      filterRows(
        sidebarRows(
          items,
          { ...(searching(ui) ? unfolded(ui) : ui), today, changes, findings },
          cache.current,
        ),
        ui.filter ?? '',
      ),
    [items, today, changes, findings, ui.folded, ui.opened, ui.showFinished, ui.filter],
  );
  return { items, rows };
}

const DAY = 86_400_000;

function searching({ filter = '' }: UiState): boolean {
  return filter.trim() !== '';
}

const NOTHING: ReadonlySet<string> = new Set();

/** What is looked for may stand in what is folded. */
function unfolded(ui: UiState): UiState {
  return { ...ui, folded: NOTHING, opened: new Set([...ui.opened, OLDER]), showFinished: true };
}

function sorted(
  items: readonly SessionItem[],
  order: readonly string[],
  sort: SessionSort,
): readonly SessionItem[] {
  if (sort === 'title') return [...items].sort((a, b) => a.title.localeCompare(b.title));
  const place = new Map(order.map((id, index) => [id, sort === 'newest' ? index : -index]));
  return [...items].sort((a, b) => (place.get(a.id) ?? 0) - (place.get(b.id) ?? 0));
}
