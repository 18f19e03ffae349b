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
import { basename, dirname } from 'node:path';
import { resolveInVault, VaultFault } from './vault-path';

/** Times in ms since the epoch, size in bytes. */
export interface DiskStat {
  readonly type: 'file' | 'folder';
  readonly ctime: number;
  readonly mtime: number;
  readonly size: number;
}

/** What the app's adapter does, on a real folder. Paths are relative to the vault, "/"-separated. */
export class VaultDisk {
  /** @param root absolute, without symbolic links */
  constructor(readonly root: string) {}

  async stat(path: string): Promise<DiskStat | null> {
    const found = await stat(await this.#full(path)).catch(missingIsNull);
    if (found === null) return null;
    const type = found.isDirectory() ? 'folder' : 'file';
    const size = type === 'folder' ? 0 : found.size;
    return { type, ctime: Math.round(found.birthtimeMs), mtime: Math.round(found.mtimeMs), size };
  }

  async list(path: string): Promise<{ files: string[]; folders: string[] }> {
    const entries = await readdir(await this.#full(path), { withFileTypes: true });
    const prefix = path === '' || path === '/' ? '' : `${path}/`;
    const names = (folders: boolean) =>
      entries
        .filter((entry) => (folders ? entry.isDirectory() : entry.isFile()))
        .map((entry) => prefix + entry.name)
        .sort();
    return { files: names(false), folders: names(true) };
  }

  async read(path: string): Promise<Buffer> {
    return readFile(await this.#full(path));
  }

  /** In place, as the app does it; the parent folder must be there. */
  async write(path: string, data: Buffer, mtime?: number): Promise<void> {
    const full = await this.#full(path);
    await writeFile(full, data);
    if (mtime !== undefined) await utimes(full, mtime / 1000, mtime / 1000);
  }

  async append(path: string, data: Buffer): Promise<void> {
    await appendFile(await this.#full(path), data);
  }

  async mkdir(path: string): Promise<void> {
    await mkdir(await this.#full(path), { recursive: true });
  }

  async remove(path: string): Promise<void> {
    await unlink(await this.#full(path));
  }

  async rmdir(path: string, recursive: boolean): Promise<void> {
    const full = await this.#full(path);
    if (full === this.root) throw new VaultFault('EACCES', 'The vault itself is not removed');
    await (recursive ? rm(full, { recursive: true }) : rmdir(full));
  }

  async rename(path: string, to: string): Promise<void> {
    await this.#mustBeFree(to);
    await rename(await this.#full(path), await this.#full(to));
  }

  async copy(path: string, to: string): Promise<void> {
    await this.#mustBeFree(to);
    await copyFile(await this.#full(path), await this.#full(to), constants.COPYFILE_EXCL);
  }

  /** Into `.trash`, under a name that is free. */
  async trashLocal(path: string): Promise<void> {
    await this.mkdir('.trash');
    let to = `.trash/${basename(path)}`;
    for (let n = 2; (await this.stat(to)) !== null; n += 1) to = `.trash/${n} ${basename(path)}`;
    await this.rename(path, to);
  }

  async #mustBeFree(to: string): Promise<void> {
    if ((await this.stat(to)) !== null) {
      throw new VaultFault('EEXIST', 'Destination file already exists!');
    }
    const parent = dirname(to);
    if (parent !== '.' && (await this.stat(parent)) === null) {
      throw new VaultFault('ENOENT', `ENOENT: no such folder '${parent}'`);
    }
  }

  #full(path: string): Promise<string> {
    return resolveInVault(this.root, path);
  }
}

function missingIsNull(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return null;
  throw error;
}
