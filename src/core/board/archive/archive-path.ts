/** Where the archive of a board stands: beside it, under a name that is no board's. */
export function archivePath(board: string): string {
  return board.replace(/-tasks\.md$/, '-tasks.archive.md');
}
