import type { ItemRow } from './rows';

/** What a key does in the tree: go to a row, or fold one. */
export type TreeMove =
  | { readonly type: 'go'; readonly id: string }
  | { readonly type: 'fold'; readonly id: string; readonly expanded: boolean };

/** Rows that Page Up and Page Down pass over. */
const PAGE = 10;

/** What a moving key does from the row that is active; undefined where it does nothing here. */
export function treeMove(
  rows: readonly ItemRow[],
  active: string | undefined,
  key: string,
): TreeMove | undefined {
  const at = rows.findIndex((row) => row.id === active);
  const row = rows[at];
  if (row === undefined) return goTo(rows[0]);
  switch (key) {
    case 'ArrowDown':
      return goTo(rows[at + 1]);
    case 'ArrowUp':
      return goTo(rows[at - 1]);
    case 'Home':
      return goTo(rows[0]);
    case 'End':
      return goTo(rows.at(-1));
    case 'PageDown':
      return goTo(rows[Math.min(at + PAGE, rows.length - 1)]);
    case 'PageUp':
      return goTo(rows[Math.max(at - PAGE, 0)]);
    case 'ArrowRight':
      return opening(rows, at, row);
    case 'ArrowLeft':
      return closing(rows, at, row);
    default:
      return undefined;
  }
}

function goTo(row: ItemRow | undefined): TreeMove | undefined {
  return row === undefined ? undefined : { type: 'go', id: row.id };
}

function opening(rows: readonly ItemRow[], at: number, row: ItemRow): TreeMove | undefined {
  if (row.expanded === false) return { type: 'fold', id: row.id, expanded: true };
  const next = rows[at + 1];
  return row.expanded === true && next !== undefined && next.level > row.level
    ? goTo(next)
    : undefined;
}

function closing(rows: readonly ItemRow[], at: number, row: ItemRow): TreeMove | undefined {
  if (row.expanded === true) return { type: 'fold', id: row.id, expanded: false };
  return goTo(rows.slice(0, at).findLast((other) => other.level < row.level));
}
