import type { DataAdapter } from 'obsidian';
import { KeyedQueue } from '../../core/board/keyed-queue';
import { pathFault } from '../../core/board/vault-path';
import { StoreError, type Entry, type NoteStore, type Stat } from '../../core/ports';

/** What is needed of Obsidian's adapter. Paths are relative to the vault; hidden folders work too. */
export type VaultFiles = Pick<
  DataAdapter,
  'exists' | 'stat' | 'list' | 'readBinary' | 'write' | 'process' | 'mkdir' | 'remove'
>;

/** Bytes of the largest note that is read; a board of 5,000 tasks has about 1 MB. */
const MAX_BYTES = 16 * 1024 * 1024;
/** How often a write starts anew because somebody else wrote in between. */
const MAX_TRIES = 8;

/** Thrown inside `process` to leave the file as it is. */
class Leave extends Error {}

/** The NoteStore over a vault's adapter: byte-true, one writer at a time for each path. */
export class VaultStore implements NoteStore {
  private readonly queue = new KeyedQueue();

  constructor(private readonly files: VaultFiles) {}

  async read(path: string): Promise<string | undefined> {
    const stat = await this.stat(path);
    if (stat === undefined) return undefined;
    if (stat.size > MAX_BYTES) {
      throw new StoreError('too_large', `${path} is larger than 16 MB, so it is not read.`);
    }
    return decode(path, await this.guard(path, () => this.files.readBinary(path)));
  }

  update(
    path: string,
    edit: (text: string | undefined) => string | undefined,
  ): Promise<string | undefined> {
    return this.queue.run(path, () => this.updateNow(path, edit));
  }

  async list(folder: string): Promise<readonly Entry[]> {
    const found = await this.guard(folder, () => this.files.stat(folder));
    if (found?.type !== 'folder') return [];
    const listed = await this.guard(folder, () => this.files.list(folder));
    const entries = [
      ...listed.folders.map((path): Entry => ({ name: lastSegment(path), kind: 'folder' })),
      ...listed.files.map((path): Entry => ({ name: lastSegment(path), kind: 'file' })),
    ];
    return entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  async stat(path: string): Promise<Stat | undefined> {
    const found = await this.guard(path, () => this.files.stat(path));
    return found?.type === 'file' ? { mtime: found.mtime, size: found.size } : undefined;
  }

  async remove(path: string): Promise<void> {
    if ((await this.stat(path)) === undefined) return;
    await this.guard(path, () => this.files.remove(path));
  }

  private async updateNow(
    path: string,
    edit: (text: string | undefined) => string | undefined,
  ): Promise<string | undefined> {
    for (let tries = 0; tries < MAX_TRIES; tries += 1) {
      const text = await this.read(path);
      const wanted = edit(text);
      if (wanted === undefined || wanted === text) return text;
      if (/\p{Surrogate}/u.test(wanted)) {
        throw new StoreError('not_utf8', `The text for ${path} has no UTF-8 form.`);
      }
      if (await this.put(path, text, wanted)) return wanted;
    }
    throw new StoreError('busy', `${path} changes all the time, so it was not saved. Try again.`);
  }

  /** @returns false where the file is no longer what `text` says; nothing is written then. */
  private async put(path: string, text: string | undefined, wanted: string): Promise<boolean> {
    if (text === undefined) {
      await this.makeFolders(path);
      if (await this.guard(path, () => this.files.exists(path))) return false;
      await this.guard(path, () => this.files.write(path, wanted));
      return true;
    }
    try {
      await this.guard(path, () =>
        this.files.process(path, (current) => {
          // An adapter may hide the byte order mark; anything else is another writer's change.
          if (current !== text && `\uFEFF${current}` !== text) throw new Leave();
          return wanted;
        }),
      );
      return true;
    } catch (error) {
      if (error instanceof Leave) return false;
      throw error;
    }
  }

  private async makeFolders(path: string): Promise<void> {
    const segments = path.split('/').slice(0, -1);
    for (let depth = 1; depth <= segments.length; depth += 1) {
      const folder = segments.slice(0, depth).join('/');
      if (await this.guard(folder, () => this.files.exists(folder))) continue;
      await this.guard(folder, () => this.files.mkdir(folder));
    }
  }

  private async guard<T>(path: string, work: () => Promise<T>): Promise<T> {
    const fault = pathFault(path);
    if (fault !== undefined) throw new StoreError('denied', fault);
    try {
      return await work();
    } catch (error) {
      if (error instanceof Leave || error instanceof StoreError) throw error;
      throw storeError(path, error);
    }
  }
}

function decode(path: string, bytes: ArrayBuffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (error) {
    throw new StoreError('not_utf8', `${path} is not valid UTF-8 text, so it is left as it is.`, {
      cause: error,
    });
  }
}

function storeError(path: string, cause: unknown): StoreError {
  const text = cause instanceof Error ? cause.message : String(cause);
  if (/ENOSPC|EDQUOT|no space|quota/i.test(text)) {
    return new StoreError('disk_full', `${path} was not saved: the disk is full.`, { cause });
  }
  if (/EACCES|EPERM|EROFS|permission/i.test(text)) {
    return new StoreError('denied', `The system does not allow access to ${path}.`, { cause });
  }
  return new StoreError('io', `${path} could not be read or written: ${text}`, { cause });
}

function lastSegment(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}
