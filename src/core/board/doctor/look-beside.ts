import { readBoardPath } from '../board-path';
import { parseNote } from '../note/parse-note';
import { StoreError, type NoteStore } from '../../ports';
import type { FoundFile } from './found-file';
import { isArchivePath } from './findings';
import { isSyncCopy } from './sync-copy';

/**
 * The archives and sync copies in the session folders under the board root.
 * @throws StoreError where a folder can't be listed
 */
export async function lookBeside(store: NoteStore, root: string): Promise<readonly FoundFile[]> {
  const found: FoundFile[] = [];
  for (const { name: folder, kind } of await store.list(root)) {
    if (kind !== 'folder') continue;
    for (const { name, kind: what } of await store.list(`${root}/${folder}`)) {
      const path = `${root}/${folder}/${name}`;
      if (what !== 'file' || readBoardPath(root, path) !== undefined) continue;
      if (isArchivePath(root, path)) found.push(...(await archive(store, path)));
      else if (isSyncCopy(name)) found.push({ kind: 'sync-copy', path });
    }
  }
  return found;
}

async function archive(store: NoteStore, path: string): Promise<readonly FoundFile[]> {
  try {
    const text = await store.read(path);
    if (text === undefined) return [];
    return [{ kind: 'archive', path, board: parseNote(path, text).board }];
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    return [{ kind: 'unreadable', path, reason: error.message }];
  }
}
