import { boardFacts } from '../../core/board/facts';
import type { ItemRow } from './rows';

/** The next row below with a task that is ready, from the top again after the last; undefined where none is shown. */
export function nextReady(rows: readonly ItemRow[], from: string | undefined): string | undefined {
  const at = rows.findIndex((row) => row.id === from) + 1;
  return [...rows.slice(at), ...rows.slice(0, at)].find(isReady)?.id;
}

function isReady(row: ItemRow): boolean {
  if (row.kind !== 'outline' || row.row.kind !== 'task') return false;
  return boardFacts(row.board).get(row.row.task.key)?.ready === true;
}
