import type { Dirent, Stats } from 'node:fs';
import {
  appendFile,
  copyFile,
  constants,
  mkdir,
  readdir,
  readFile,
  rename,
  rm,
  rmdir,
  stat,
  unlink,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { joinVaultPath, resolveInVault, VaultFault } from './vault-path';

/** Times in ms since the epoch, size in bytes. */
export interface DiskStat {
  readonly type: 'file' | 'folder';
  readonly ctime: number;
  readonly mtime: number;
  readonly size: number;
}

/** The app's adapter on a real folder. Paths are relative to the vault, "/"-separated. */
export class VaultDisk {
  /**
   * @param root absolute, without symbolic links
   * @param links whether links that lead out of the vault are followed, as in the app, or refused
   */
  constructor(
    readonly root: string,
    readonly links: 'follow' | 'refuse' = 'refuse',
  ) {}

  async stat(path: string): Promise<DiskStat | null> {
    const found = await stat(this.#full(path)).catch(missingIsNull);
    if (found === null) return null;
    const type = found.isDirectory() ? 'folder' : 'file';
    const size = type === 'folder' ? 0 : found.size;
    return { type, ctime: Math.round(found.birthtimeMs), mtime: Math.round(found.mtimeMs), size };
  }

  async list(path: string): Promise<{ files: string[]; folders: string[] }> {
    const folder = this.#full(path);
    const found = await readdir(folder, { withFileTypes: true });
    const prefix = path === '' || path === '/' ? '' : `${path}/`;
    const entries = await Promise.all(
      found.map(async (entry) => ({
        path: prefix + entry.name,
        at: await this.#linkTarget(entry, join(folder, entry.name)),
      })),
    );
    const paths = (folders: boolean) =>
      entries
        .filter(({ at }) => (folders ? at?.isDirectory() : at?.isFile()))
        .map((entry) => entry.path)
        .sort();
    return { files: paths(false), folders: paths(true) };
  }

  async read(path: string): Promise<Buffer> {
    return readFile(this.#full(path));
  }

  /** Writes in place, as the app does; the parent folder must exist. */
  async write(path: string, data: Buffer, mtime?: number): Promise<void> {
    const full = this.#full(path);
    await writeFile(full, data);
    if (mtime !== undefined) await utimes(full, mtime / 1000, mtime / 1000);
  }

  async append(path: string, data: Buffer): Promise<void> {
    await appendFile(this.#full(path), data);
  }

  async mkdir(path: string): Promise<void> {
    await mkdir(this.#full(path), { recursive: true });
  }

  async remove(path: string): Promise<void> {
    await unlink(this.#full(path));
  }

  async rmdir(path: string, recursive: boolean): Promise<void> {
    const full = this.#full(path);
    if (full === this.root) throw new VaultFault('EACCES', 'The vault itself is not removed');
    await (recursive ? rm(full, { recursive: true }) : rmdir(full));
  }

  async rename(path: string, to: string): Promise<void> {
    await this.#assertFree(to);
    await rename(this.#full(path), this.#full(to));
  }

  async copy(path: string, to: string): Promise<void> {
    await this.#assertFree(to);
    await copyFile(this.#full(path), this.#full(to), constants.COPYFILE_EXCL);
  }

  /** Moves the file into `.trash`, under a free name. */
  async trashLocal(path: string): Promise<void> {
    await this.mkdir('.trash');
    let to = `.trash/${basename(path)}`;
    for (let n = 2; (await this.stat(to)) !== null; n += 1) to = `.trash/${n} ${basename(path)}`;
    await this.rename(path, to);
  }

  async #assertFree(to: string): Promise<void> {
    if ((await this.stat(to)) !== null) {
      throw new VaultFault('EEXIST', 'Destination file already exists!');
    }
    const parent = dirname(to);
    if (parent !== '.' && (await this.stat(parent)) === null) {
      throw new VaultFault('ENOENT', `ENOENT: no such folder '${parent}'`);
    }
  }

  /** Null for a broken link, or for one that must not be followed. */
  #linkTarget(entry: Dirent, full: string): Promise<Dirent | Stats | null> {
    if (!entry.isSymbolicLink()) return Promise.resolve(entry);
    return this.links === 'follow' ? stat(full).catch(missingIsNull) : Promise.resolve(null);
  }

  #full(path: string): string {
    return (this.links === 'follow' ? joinVaultPath : resolveInVault)(this.root, path);
  }
}

function missingIsNull(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return null;
  throw error;
}
