import { basename, dirname, join, relative, sep } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { archivePathOf, isSyncCopy } from '../core/board/board-findings';
import { readBoardPath, isValidAgentName, isValidSessionId } from '../core/board/board-path';
import type { NamedStore } from '../core/board/names/named-store';
import { parseNote } from '../core/board/note/parse-note';
import type { TodoManager } from '../core/board/todo-manager';
import type { NoteContext } from './open-notes';

/** The vault that contains a file. */
export interface NoteVault {
  /** absolute */
  readonly folder: string;
  readonly store: NamedStore;
  /** the board folder, relative to the vault */
  readonly root: string;
  readonly manager: Pick<TodoManager, 'pathOf'>;
  readonly agents: () => Promise<readonly string[]>;
}

/** The path of a document on this machine; undefined if it is elsewhere or not saved yet. */
function fileOf(uri: string): string | undefined {
  try {
    return fileURLToPath(uri);
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}

/**
 * The surroundings of a note in its vault; undefined if it is in none.
 * @param text of the note, whose header determines the board if its file name does not
 * @throws StoreError if the vault can't be read
 */
export async function readNoteContext(
  uri: string,
  text: string,
  vaultOf: (folder: string) => Promise<NoteVault | undefined>,
): Promise<NoteContext | undefined> {
  const file = fileOf(uri);
  const vault = file === undefined ? undefined : await vaultOf(dirname(file));
  if (file === undefined || vault === undefined) return undefined;
  const { folder, store, root, manager, agents } = vault;
  const { board } = parseNote('', text);
  const found = store.plainPath(relative(folder, file).split(sep).join('/'));
  const { session, agent } = board;
  const isOther =
    readBoardPath(root, found) === undefined &&
    !found.endsWith('.archive.md') &&
    !isSyncCopy(basename(found));
  const named = isOther && isValidSessionId(session) && isValidAgentName(agent);
  const path = named && found.startsWith(`${root}/`) ? await manager.pathOf(session, agent) : found;
  const isBoard = readBoardPath(root, path) !== undefined;
  if (!isBoard) return { path: found, isBoard, archive: undefined, agents };
  const archivePath = archivePathOf(path);
  const archiveText = await store.read(archivePath);
  const archive =
    archiveText === undefined
      ? undefined
      : {
          uri: pathToFileURL(join(folder, store.fileOf(archivePath))).href,
          note: parseNote(archivePath, archiveText),
        };
  return { path, isBoard, archive, agents };
}
