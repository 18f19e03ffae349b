import { isConflictCopy } from '../board-path';

/**
 * Whether a file name is that of a copy that a sync tool makes of a board or archive when two
 * devices wrote it: one that says so, or the numbers of Google Drive (` (1)`) and iCloud (` 2`).
 */
export function isSyncCopy(name: string): boolean {
  return isConflictCopy(name) || /-tasks(?:\.archive)? (?:\(\d{1,3}\)|\d{1,3})\.md$/.test(name);
}
