import type { Dirent } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { readBoardPath } from '../core/board/board-path';
import type { FoundFile } from '../core/board/board-findings';
import { STATE_ROOT } from '../core/board/state-file';
import { StoreError } from '../core/ports';
import { notAFolderError } from '../core/board/vault-path';
import { realEntries, type RealEntry } from '../node/real-paths';
import { ifMissing, notAFile, storeError, systemCode } from '../node/store-error';
import type { CommandArgs, OpenVault } from './command';

/**
 * A board that can't be read, as when a folder or a link out of the vault is in place of its note.
 */
export interface UnreadableBoard {
  readonly path: string;
  /** what it is and what to do, for a person */
  readonly reason: string;
}

/**
 * The unreadable places of the named session and agent; without names, all. A place with unknown
 * owner always counts. Archives don't count as boards.
 */
export async function unreadableBoards(
  { folder, root }: Pick<OpenVault, 'folder' | 'root'>,
  { session, agent }: Pick<CommandArgs, 'session' | 'agent'>,
): Promise<readonly UnreadableBoard[]> {
  const isSelected = (path: string): boolean => {
    const isFolders = !path.slice(root.length + 1).includes('/');
    if (!isFolders && !/(?<!\.archive)\.md$/.test(path)) return false;
    const named = readBoardPath(root, path);
    const isOf = (name: string | undefined, meant: string | undefined) =>
      name === undefined || meant === undefined || name === meant;
    return isOf(named?.session, session) && isOf(named?.agent, agent);
  };
  return (await misplacedFiles(folder, root))
    .filter(({ path }) => isSelected(path))
    .flatMap((file) => {
      const { kind, path } = file;
      if (kind === 'unreadable') return [{ path, reason: file.reason }];
      return kind === 'not-a-file' ? [{ path, reason: file.text }] : [];
    });
}

/** One line for a place that can't be read. */
export function unreadableLine({ path, reason }: UnreadableBoard): string {
  return reason.startsWith(path) ? reason : `${path}: ${reason}`;
}

/** Names of our files contain a dot; those of our folders in the state folder don't. */
const FILE_NAME = /\.(?:md|json|jsonl|lock|holder|takeover|gitignore)$/;

/** Finds folders in place of files, and files in place of folders. Readers skip these silently. */
export async function misplacedFiles(vault: string, folder: string): Promise<readonly FoundFile[]> {
  const found: FoundFile[] = [];
  if (await isNotFolder(join(vault, folder))) return [fileInPlaceOfFolder(folder)];
  const entryAt = realEntries(vault);
  const entries = await readdir(join(vault, folder), { withFileTypes: true })
    .catch(ifMissing([]))
    .catch((error: unknown) => storeError(folder, error));
  if (entries instanceof StoreError) {
    return [{ kind: 'unreadable', path: folder, reason: entries.message }];
  }
  for (const entry of entries.sort(byName)) {
    const path = `${folder}/${entry.name}`;
    const isFolders = folder === STATE_ROOT && !entry.name.includes('.');
    if (entry.isFile() && isFolders) found.push(fileInPlaceOfFolder(path));
    if (entry.isSymbolicLink()) found.push(...deadLink(path, await entryAt(path)));
    if (entry.isFile() || entry.isSymbolicLink()) continue;
    if (entry.isDirectory() && !FILE_NAME.test(entry.name)) {
      found.push(...(await misplacedFiles(vault, path)));
    } else {
      found.push({ kind: 'not-a-file', path, text: notAFile(path, entry).message });
    }
  }
  return found;
}

/** A finding for a link that no program follows; lists of boards skip it. */
function deadLink(path: string, { kind }: RealEntry): readonly FoundFile[] {
  if (kind === 'inside' || kind === 'missing' || kind === 'closed') return [];
  const where = { outside: 'out of the vault', dangling: 'nowhere', other: 'to a pipe' }[kind];
  const text = `It is a link that leads ${where}, and is not read. Put what it stands for in its place, or remove it.`;
  return [{ kind: 'not-a-file', path, text }];
}

async function isNotFolder(path: string): Promise<boolean> {
  const found = await stat(path).catch(ifMissing(undefined));
  return found !== undefined && !found.isDirectory();
}

function fileInPlaceOfFolder(path: string): FoundFile {
  return { kind: 'not-a-file', path, text: notAFolderError(path).message };
}

/**
 * The entries of a folder, by name; empty if it is missing or can't be read, which `misplacedFiles`
 * reports.
 */
export async function entriesIn(folder: string): Promise<readonly Dirent[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch((error: unknown) => {
    return systemCode(error) === 'EACCES' ? [] : ifMissing([])(error);
  });
  return entries.sort(byName);
}

const byName = (a: Dirent, b: Dirent): number => (a.name < b.name ? -1 : 1);
