import { readBoardPath } from '../board-path';
import type { Board } from '../task';
import { boardFindings } from './board-findings';
import type { Finding } from './finding';
import type { FoundFile } from './found-file';
import { sharedPrefixes } from './shared-prefixes';

/**
 * All that a person should know about the boards of a vault, by path and line. Pure: what lies
 * beside the boards is handed in by whoever can see it.
 * @param files sync copies, archives, and what dead processes left
 */
export function findings(
  boards: readonly Board[],
  files: readonly FoundFile[],
): readonly Finding[] {
  const archives = new Map(
    files.flatMap((file) => (file.kind === 'archive' ? [[file.path, file.board]] : [])),
  );
  const found = [
    ...boards.flatMap((board) => boardFindings(board, archives.get(archivePathOf(board.path)))),
    ...[...archives.values()].flatMap(brokenArchive),
    ...sharedPrefixes(boards),
    ...files.flatMap(fileFinding),
  ];
  return found.sort((a, b) => (a.path === b.path ? a.line - b.line : a.path < b.path ? -1 : 1));
}

/** Where the tasks of a board are that were put away. */
export function archivePathOf(board: string): string {
  return board.replace(/\.md$/, '.archive.md');
}

/** Whether a path is that of a board's archive. */
export function isArchivePath(root: string, path: string): boolean {
  const board = path.replace(/\.archive\.md$/, '.md');
  return board !== path && readBoardPath(root, board) !== undefined;
}

function brokenArchive({ path, broken }: Board): readonly Finding[] {
  if (broken === null) return [];
  const text = `This archive is read-only until it is repaired. ${broken.reason}`;
  return [{ kind: 'broken-note', path, line: broken.line, text }];
}

function fileFinding(file: FoundFile): readonly Finding[] {
  switch (file.kind) {
    case 'archive':
      return [];
    case 'unreadable':
      return [{ kind: 'broken-note', path: file.path, line: 0, text: file.reason }];
    case 'sync-copy':
      return [{ kind: file.kind, path: file.path, line: 0, text: SYNC_COPY }];
    case 'stale-lock':
    case 'leftover-file':
    case 'leftover-journal':
    case 'kept-text': {
      const { kind, path, text, fix } = file;
      const finding = { kind, path, line: 0, text };
      return [fix === undefined ? finding : { ...finding, fix: { type: fix } }];
    }
  }
}

const SYNC_COPY =
  'A sync tool made this copy of a board. It is not loaded, so nothing is mixed up. Take over what is missing in the board, then delete the copy.';
