import type { AuditItem } from './audit-items';

/** Entries that Page Up and Page Down pass over. */
const PAGE = 10;

/** The entry that a key goes to from the one at `at`; undefined where the key does nothing here. */
export function moved(items: readonly AuditItem[], at: number, key: string): AuditItem | undefined {
  switch (key) {
    case 'Enter':
      return items[Math.max(0, at)];
    case 'ArrowDown':
      return entryFrom(items, at + 1, 1);
    case 'ArrowUp':
      return entryFrom(items, at - 1, -1);
    case 'Home':
      return entryFrom(items, 0, 1);
    case 'End':
      return entryFrom(items, items.length - 1, -1);
    case 'PageDown':
      return entryFrom(items, Math.min(at + PAGE, items.length - 1), -1);
    case 'PageUp':
      return entryFrom(items, Math.max(at - PAGE, 0), 1);
    default:
      return undefined;
  }
}

/** The first entry from there on; days and months are passed over. */
function entryFrom(items: readonly AuditItem[], from: number, step: 1 | -1): AuditItem | undefined {
  for (let at = from; at >= 0 && at < items.length; at += step) {
    if (items[at]?.kind === 'row') return items[at];
  }
  return undefined;
}
