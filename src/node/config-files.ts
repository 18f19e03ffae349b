import type { Stats } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { env as ownEnv, platform } from 'node:process';
import { pathFault } from '../core/board/vault-path';
import type { FolderEntry, FolderReader } from '../core/config/config-folder';
import { StoreError, type Stat } from '../core/ports';
import { statLocation, FileLocator, type FileLocation } from './file-locator';
import { linkGuard, readBytes } from './read-file';
import { realEntries } from './real-paths';
import { ifMissing, notAFile, pathRefusal, storeError } from './store-error';

/**
 * Reads the files of a folder. Follows links within it; lists a link that leads out only by name.
 */
export function configFiles(root: string): FolderReader {
  const locator = new FileLocator(root);
  const entryAt = realEntries(root);
  const withLocation = async <T>(
    path: string,
    task: (place: FileLocation) => T | Promise<T>,
  ): Promise<T> => {
    try {
      return await locator.file(path, task);
    } catch (error) {
      throw storeError(path, error);
    }
  };
  // Most requested files don't exist: this check takes two system calls, `locator` takes seven.
  const statOf = async (path: string): Promise<Stat | undefined> => {
    const there = pathFault(path) === undefined ? await entryAt(path) : undefined;
    if (there?.kind === 'missing') return undefined;
    if (there?.kind === 'dangling') throw brokenLinkError(path);
    if (there?.kind === 'inside') return fileStat(path, there.stats);
    return withLocation(path, (place) => fileStat(path, statLocation(place)));
  };
  const linkTarget = async (path: string): Promise<Omit<FolderEntry, 'name'> | undefined> => {
    const there = await entryAt(path);
    if (there.kind === 'outside' || there.kind === 'dangling') return { kind: there.kind };
    if (there.kind !== 'inside' && there.kind !== 'other') return undefined;
    const { stats, path: real } = there;
    return { kind: stats.isFile() ? 'file' : stats.isDirectory() ? 'folder' : 'other', real };
  };
  return {
    read: (path) =>
      withLocation(path, async ({ file, check }) => {
        if (file === undefined) return undefined;
        const read = async () => readBytes(file, path, linkGuard(check));
        const bytes = await read().catch(ifMissing(undefined));
        return bytes && new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
      }),
    stat: statOf,
    async list(folder) {
      const there = folder === '' ? 'folder' : (await linkTarget(folder))?.kind;
      if (there === 'outside') throw pathRefusal('denied', folder);
      if (there === 'dangling') throw brokenLinkError(folder);
      if (there !== 'folder') return [];
      const entries = await readdir(join(root, folder), { withFileTypes: true })
        .catch(ifMissing([]))
        .catch((error: unknown) => {
          throw storeError(folder, error);
        });
      const found: FolderEntry[] = [];
      for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
        const { name } = entry;
        const at = entry.isSymbolicLink()
          ? await linkTarget(folder === '' ? name : `${folder}/${name}`)
          : ({ kind: entry.isDirectory() ? 'folder' : entry.isFile() ? 'file' : 'other' } as const);
        if (at !== undefined) found.push({ name, ...at });
      }
      return found;
    },
  };
}

function brokenLinkError(path: string): StoreError {
  const what = 'is a link to something that is not there.';
  return new StoreError('io', `${path} ${what} Remove the link, or put back what it leads to.`);
}

/** @throws StoreError `io` if it is not a regular file */
function fileStat(path: string, there: Stats | undefined): Stat | undefined {
  if (there?.isFile() === false) throw notAFile(path, there);
  return there && { mtime: there.mtimeMs, size: there.size };
}

export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The person's own configuration folder of OpenCode, where OpenCode looks for it; undefined if
 * there is none.
 */
export async function personalFiles(env: Environment = ownEnv): Promise<FolderReader | undefined> {
  const folder = join(configHome(env), 'opencode');
  const found = await stat(folder).catch(ifMissing(undefined));
  return found?.isDirectory() === true ? configFiles(folder) : undefined;
}

/** The absolute path of the folder with the configuration folders of programs. */
export function configHome(env: Environment): string {
  const set = (value: string | undefined): string | undefined => (value === '' ? undefined : value);
  const home = set(platform === 'win32' ? env.USERPROFILE : env.HOME) ?? homedir();
  return resolve(set(env.XDG_CONFIG_HOME) ?? join(home, '.config'));
}
