import { useLayoutEffect, useRef } from 'preact/hooks';
import type { Intents } from './intents';
import { nextReady } from './next-ready';
import type { ItemRow } from './rows';
import type { SidebarRequests } from './sidebar-requests';
import { withFilter, type UiState } from './ui-state';

/** Commands act on the task that the person is on. */
export function useSelected(
  items: readonly ItemRow[],
  selected: string | undefined,
  intents: Pick<Intents, 'selected'>,
): void {
  useLayoutEffect(() => {
    const row = items.find((item) => item.id === selected);
    if (row?.kind !== 'outline' || row.row.kind !== 'task') intents.selected();
    else intents.selected(row.board, row.row.task);
  }, [items, selected, intents]);
}

/** Does what commands ask of this sidebar. */
export function useRequests(
  requests: SidebarRequests,
  context: {
    readonly items: readonly ItemRow[];
    readonly stop: string | undefined;
    readonly setUi: (change: (ui: UiState) => UiState) => void;
  },
): void {
  const now = useRef(context);
  now.current = context;
  useLayoutEffect(
    () =>
      requests.on((request) => {
        const { items, stop, setUi } = now.current;
        if (request === 'filter') setUi(withFilter);
        const id = request === 'next-ready' ? nextReady(items, stop) : undefined;
        if (id !== undefined) setUi((ui) => ({ ...ui, selected: id, toTree: ui.toTree + 1 }));
      }),
    [requests],
  );
}
