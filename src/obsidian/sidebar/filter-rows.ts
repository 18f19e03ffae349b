import type { ItemRow, SidebarRow } from './rows';

/**
 * The rows whose titles hold the words, with those that they stand under; of a session whose own
 * title holds them, all. The rows say the same as without a filter: what a task waits for and how
 * much of a phase is done does not depend on what is shown.
 */
export function filterRows(rows: readonly SidebarRow[], text: string): readonly SidebarRow[] {
  const words = text.trim().toLocaleLowerCase();
  if (words === '') return rows;
  const kept = new Set<SidebarRow>();
  let above: readonly ItemRow[] = [];
  let whole = false;
  for (const row of rows) {
    if (!isItem(row)) {
      if (whole) kept.add(row);
      continue;
    }
    above = [...above.slice(0, row.level - 1), row];
    const match = titleOf(row).toLocaleLowerCase().includes(words);
    if (row.level === 1) whole = match;
    if (match) for (const one of above) kept.add(one);
    if (whole) kept.add(row);
  }
  return numbered(rows.filter((row) => kept.has(row)));
}

function isItem(row: SidebarRow): row is ItemRow {
  return row.kind !== 'add' && row.kind !== 'banner';
}

/** Only tasks, sessions and boards are looked for; a phase comes with what stands in it. */
function titleOf(row: ItemRow): string {
  if (row.kind !== 'outline') return row.title;
  return row.row.kind === 'task' ? row.row.task.title : '';
}

/** The place of each row among those that are left of its level. */
function numbered(rows: readonly SidebarRow[]): readonly SidebarRow[] {
  const parents = new Map<SidebarRow, string>();
  const sizes = new Map<string, number>();
  let above: readonly string[] = [];
  for (const row of rows) {
    if (!isItem(row)) continue;
    const parent = above[row.level - 2] ?? '';
    above = [...above.slice(0, row.level - 1), row.id];
    parents.set(row, parent);
    sizes.set(parent, (sizes.get(parent) ?? 0) + 1);
  }
  const counted = new Map<string, number>();
  return rows.map((row) => {
    const parent = parents.get(row);
    if (!isItem(row) || parent === undefined) return row;
    const posinset = (counted.get(parent) ?? 0) + 1;
    counted.set(parent, posinset);
    return { ...row, posinset, setsize: sizes.get(parent) ?? 1 };
  });
}
