import type { AuditRow } from '../../core/permission/audit/audit-row';
import { dayOf } from './audit-times';

/** A line of the list: an entry, the day from which on entries are earlier, or what is not read yet. */
export type AuditItem =
  | { readonly kind: 'row'; readonly key: string; readonly row: AuditRow }
  | { readonly kind: 'day'; readonly key: string; readonly at: number }
  | { readonly kind: 'more'; readonly key: 'more'; readonly month: string };

/**
 * The rows with a line where another day begins; the first day stands in the head.
 * @param older month to load, `YYYY-MM`
 */
export function auditItems(
  rows: readonly AuditRow[],
  older: string | undefined,
): readonly AuditItem[] {
  const items: AuditItem[] = [];
  let day = { from: -Infinity, to: Infinity };
  for (const row of rows) {
    const { at, key } = row;
    if (items.length === 0) day = dayOf(at);
    if (at < day.from || at >= day.to) {
      day = dayOf(at);
      items.push({ kind: 'day', key: `day ${key}`, at });
    }
    items.push({ kind: 'row', key, row });
  }
  return older === undefined ? items : [...items, { kind: 'more', key: 'more', month: older }];
}
