import type { TaskPlace } from '../desk/board-actions';
import { targetOf } from '../desk/board-writes';
import type { ItemRow, OutlineTreeRow } from './rows';

/** A task that was picked up, and where it would go: behind the row `at`, or under it. */
export interface Carry {
  /** the task's own row; `at` the same: it stays where it is */
  readonly id: string;
  readonly at: string;
  readonly under: boolean;
}

/** What a key does to a task that was picked up; undefined: nothing. */
export function carryKey(
  rows: readonly ItemRow[],
  carry: Carry,
  key: string,
): Carry | 'drop' | 'back' | undefined {
  switch (key) {
    case 'ArrowDown':
      return carriedTo(rows, carry, 1);
    case 'ArrowUp':
      return carriedTo(rows, carry, -1);
    case 'ArrowRight':
      return carry.at === carry.id ? undefined : { ...carry, under: true };
    case 'ArrowLeft':
      return { ...carry, under: false };
    case 'Enter':
      return carry.at === carry.id ? 'back' : 'drop';
    case 'Escape':
    case 'm':
      return 'back';
    default:
      return undefined;
  }
}

/** The next row of its board; what stands under it moves with it, and is no place for it. */
function carriedTo(rows: readonly ItemRow[], carry: Carry, by: 1 | -1): Carry | undefined {
  const own = rowOf(rows, carry.id);
  if (own === undefined) return undefined;
  const from = rows.indexOf(own);
  const next = rows.findIndex((row, at) => at > from && row.level <= own.level);
  const end = next < 0 ? rows.length : next;
  const step = rows.findIndex(({ id }) => id === carry.at) + by;
  for (let at = step; at >= 0 && at < rows.length; at += by) {
    const row = rows[at];
    if (row?.kind !== 'outline' || row.board !== own.board) return undefined;
    const inside = at > from && at < end;
    if (row.row.kind === 'task' && !inside) return { ...carry, at: row.id, under: false };
  }
  return undefined;
}

/** Where it would go; undefined while that is where it is. */
export function carryPlace(rows: readonly ItemRow[], carry: Carry): TaskPlace | undefined {
  const row = carry.at === carry.id ? undefined : rowOf(rows, carry.at);
  if (row?.row.kind !== 'task') return undefined;
  const target = targetOf(row.row.task);
  return carry.under ? { parent: target } : { after: target };
}

/** What is said while it is carried. */
export function carryWords(rows: readonly ItemRow[], carry: Carry): string {
  const [own, at] = [carry.id, carry.at].map((id) => rowOf(rows, id)?.row);
  if (own?.kind !== 'task' || at?.kind !== 'task') return '';
  if (own === at) return `Picked up ${own.task.title}. Arrows move it, Enter drops, Esc puts back.`;
  const phase = at.task.phase === null ? '' : ` in ${at.task.phase}`;
  return `${carry.under ? 'Under' : 'After'} ${at.task.title}${phase}.`;
}

function rowOf(rows: readonly ItemRow[], id: string): OutlineTreeRow | undefined {
  const row = rows.find((one) => one.id === id);
  return row?.kind === 'outline' ? row : undefined;
}
