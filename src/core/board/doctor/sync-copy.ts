/**
 * Whether a file name is that of a copy that a sync tool makes of a board or archive when two
 * devices wrote it: Syncthing (`.sync-conflict-…`), Dropbox, Nextcloud and Obsidian Sync
 * ("conflicted copy"), and the numbers of Google Drive (` (1)`) and iCloud (` 2`).
 */
export function isSyncCopy(name: string): boolean {
  const [, rest] = /-tasks(?:\.archive)?([^/]*)\.md$/.exec(name) ?? [];
  if (rest === undefined || rest === '') return false;
  return /conflict/i.test(rest) || /^ (?:\(\d{1,3}\)|\d{1,3})$/.test(rest);
}
