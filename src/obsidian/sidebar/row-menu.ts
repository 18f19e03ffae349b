import type { Anchor, Intents } from './intents';
import type { ItemRow } from './rows';
import type { UiState } from './ui-state';

/** The menu of a row, at the pointer or at the row. */
export function openMenu(
  row: ItemRow,
  anchor: Anchor,
  intents: Intents,
  setUi: (change: (ui: UiState) => UiState) => void,
): void {
  if (row.kind === 'outline' && row.row.kind === 'task') {
    intents.taskMenu(row.board, row.row.task, anchor, {
      rename: () => setUi((ui) => ({ ...ui, editing: { kind: 'rename', id: row.id } })),
      addAfter: () => setUi((ui) => ({ ...ui, editing: { kind: 'add', id: row.id } })),
      addUnder: () => setUi((ui) => ({ ...ui, editing: { kind: 'under', id: row.id } })),
    });
  } else if (row.kind !== 'older') intents.sessionMenu(row.session, anchor);
}

/** What a row is to `withFold`. */
export function foldable(row: ItemRow): { id: string; finished: boolean } {
  const finished = row.kind === 'outline' && row.row.kind === 'finished';
  return { id: row.id, finished: finished || row.kind === 'older' };
}
