import type { DataAdapter } from 'obsidian';
import {
  KEY_LENGTH,
  foldedPath,
  type JournalFile,
  type JournalFiles,
} from '../../core/board/journal';
import { pathFault } from '../../core/board/vault-path';
import type { FolderReader } from '../../core/config/config-folder';
import { StoreError, type Entry, type NoteStore } from '../../core/ports';
import { storeRefusal } from '../../core/fault/store-faults';
import { webSha256 } from './platform';
import type { RealPathLookup } from '../../core/permission/path-resolver';

/**
 * The parts of Obsidian's adapter that are used. Paths are relative to the vault; hidden folders
 * work too.
 */
export type VaultFiles = Pick<
  DataAdapter,
  | 'exists'
  | 'stat'
  | 'list'
  | 'readBinary'
  | 'write'
  | 'append'
  | 'process'
  | 'mkdir'
  | 'remove'
  | 'rename'
  | 'rmdir'
>;

/** Thrown inside `process` to leave the file unchanged. */
class LeaveUnchanged extends Error {}

/**
 * Single file operations through the adapter. None of them is atomic: a crash may truncate a write.
 */
export class VaultSteps implements JournalFiles {
  constructor(private readonly files: VaultFiles) {}

  keyOf(path: string): Promise<string> {
    return vaultKey(path);
  }

  async readFile(path: string): Promise<JournalFile | undefined> {
    const stat = await this.files.stat(path);
    if (stat?.type !== 'file') return undefined;
    const bytes = new Uint8Array(await this.files.readBinary(path));
    return { bytes, text: decodeText(bytes), mtime: stat.mtime };
  }

  /** Writes a text. Overwrites a truncated file unconditionally, since it holds nobody's text. */
  async writeIfUnchanged(
    path: string,
    found: JournalFile | undefined,
    text: string,
  ): Promise<boolean> {
    if (found?.text !== undefined) return this.replace(path, found.text, text);
    if (found === undefined) {
      await this.makeFolders(path);
      if (await this.files.exists(path)) return false;
    }
    await this.files.write(path, text);
    return true;
  }

  /** Overwrites whatever the file holds; its folder has to exist. */
  overwrite(path: string, text: string): Promise<void> {
    return this.files.write(path, text);
  }

  async remove(path: string): Promise<void> {
    if (await this.files.exists(path)) await this.files.remove(path);
  }

  /** @returns false if the file no longer holds `before`; nothing is written then */
  async replace(path: string, before: string, after: string): Promise<boolean> {
    try {
      await this.files.process(path, (current) => {
        // The adapter may hide the byte order mark. Any other difference is another writer's
        // change.
        if (current !== before && `\uFEFF${current}` !== before) throw new LeaveUnchanged();
        return after;
      });
      return true;
    } catch (error) {
      if (error instanceof LeaveUnchanged) return false;
      throw error;
    }
  }

  /**
   * Appends lines to a file of `size` bytes in one write, which a crash can only cut at the end.
   * Reads the file only if it did not grow by just these: what another writer has inserted in
   * between stays, a truncated part is removed again.
   * @returns the file's size; undefined if the lines were not kept
   */
  async append(path: string, size: number, lines: string): Promise<number | undefined> {
    const more = new TextEncoder().encode(lines);
    let fault: { readonly error: unknown } | undefined;
    try {
      await this.files.append(path, lines);
      const grown = (await this.files.stat(path))?.size;
      if (grown === size + more.length) return grown;
    } catch (error) {
      fault = { error };
    }
    const now = (await this.readFile(path))?.bytes ?? new Uint8Array();
    const added = now.subarray(size);
    if (added.length >= more.length && startsWith(added.subarray(-more.length), more)) {
      return now.length;
    }
    const before = decodeText(now.slice(0, size));
    if (added.length > 0 && startsWith(more, added) && before !== undefined) {
      await this.files.write(path, before);
    }
    if (fault !== undefined) throw fault.error;
    return undefined;
  }

  async makeFolders(path: string): Promise<void> {
    await makeFolders(this.files, path.slice(0, Math.max(0, path.lastIndexOf('/'))));
  }
}

function startsWith(bytes: Uint8Array, start: Uint8Array): boolean {
  return start.every((byte, at) => byte === bytes[at]);
}

/** Creates a folder and its missing parents. */
export async function makeFolders(
  files: Pick<DataAdapter, 'stat' | 'mkdir'>,
  folder: string,
): Promise<void> {
  if (folder === '' || (await files.stat(folder)) !== null) return;
  await makeFolders(files, folder.slice(0, Math.max(0, folder.lastIndexOf('/'))));
  await files.mkdir(folder);
}

/** The entries of a folder, sorted by name. */
export async function entriesOf(
  adapter: Pick<DataAdapter, 'list'>,
  folder: string,
): Promise<readonly Entry[]> {
  const { files, folders } = await adapter.list(folder);
  const entries = [
    ...folders.map((path): Entry => ({ name: lastSegment(path), kind: 'folder' })),
    ...files.map((path): Entry => ({ name: lastSegment(path), kind: 'file' })),
  ];
  return entries.sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** Reads folders of a vault that has no links, as on a phone. */
export function vaultFolderReader(
  store: Pick<NoteStore, 'read' | 'stat'>,
  adapter: Pick<DataAdapter, 'stat' | 'list' | 'readBinary'>,
): FolderReader {
  return {
    async read(path) {
      try {
        return await store.read(path);
      } catch (error) {
        if (!(error instanceof StoreError) || error.code !== 'not_utf8') throw error;
        const bytes = await withStoreErrors(path, () => adapter.readBinary(path));
        return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
      }
    },
    stat: (path) => store.stat(path),
    async list(folder) {
      try {
        const isThere = folder === '' || (await adapter.stat(folder))?.type === 'folder';
        return isThere ? await entriesOf(adapter, folder === '' ? '/' : folder) : [];
      } catch (error) {
        throw toStoreError(folder, error);
      }
    },
  };
}

export function lastSegment(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** Runs an operation on a path; errors of the adapter become a StoreError. */
export async function withStoreErrors<T>(path: string, work: () => Promise<T>): Promise<T> {
  const fault = pathFault(path);
  if (fault !== undefined) throw new StoreError('denied', fault);
  try {
    return await work();
  } catch (error) {
    throw toStoreError(path, error);
  }
}

/**
 * Converts an error of the adapter to a StoreError. Such errors have a message, and often no code.
 */
function toStoreError(path: string, cause: unknown): StoreError {
  if (cause instanceof StoreError) return cause;
  const text = cause instanceof Error ? cause.message : String(cause);
  if (/ENOSPC|EDQUOT|no space|quota/i.test(text)) {
    return storeRefusal('disk_full', 'diskFull', { path }, cause);
  }
  if (/EACCES|EPERM|EROFS|permission/i.test(text)) {
    return storeRefusal('denied', 'notAllowed', { path }, cause);
  }
  return storeRefusal('io', 'failed', { path, why: text }, cause);
}

/** Decodes bytes, keeping the byte order mark; undefined if they are not UTF-8. */
export function decodeText(bytes: BufferSource): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/**
 * Keeps the adapter, which follows links, inside the vault. Checks where a path leads right before
 * each step that changes it, and again after a text was written or renamed; a change that ended up
 * outside is undone. A link can still be created between check and step, since the adapter takes
 * only names.
 * @throws StoreError `denied` from a step whose path leads out of the vault, or nowhere
 */
export class ConfinedFiles implements VaultFiles {
  readonly exists: VaultFiles['exists'];
  readonly stat: VaultFiles['stat'];
  readonly list: VaultFiles['list'];
  readonly readBinary: VaultFiles['readBinary'];

  constructor(
    private readonly files: VaultFiles,
    private readonly check: InsideCheck,
  ) {
    this.exists = files.exists.bind(files);
    this.stat = files.stat.bind(files);
    this.list = files.list.bind(files);
    this.readBinary = files.readBinary.bind(files);
  }

  async write(path: string, text: string): Promise<void> {
    const existed = await this.check(path);
    await this.files.write(path, text);
    await this.checkAfter(path, async () => {
      if (!existed && (await this.hasText(path, text))) await this.files.remove(path);
    });
  }

  async append(path: string, text: string): Promise<void> {
    await this.check(path);
    await this.files.append(path, text);
    await this.checkAfter(path, async () => {
      await this.files.process(path, (now) =>
        now.endsWith(text) ? now.slice(0, now.length - text.length) : now,
      );
    });
  }

  async process(path: string, edit: (text: string) => string): Promise<string> {
    let before: string | undefined;
    await this.check(path);
    const after = await this.files.process(path, (text) => {
      const edited = edit(text);
      before = text;
      return edited;
    });
    await this.checkAfter(path, async () => {
      await this.files.process(path, (text) => (text === after ? (before ?? text) : text));
    });
    return after;
  }

  async mkdir(path: string): Promise<void> {
    await this.check(path);
    await this.files.mkdir(path);
  }

  async remove(path: string): Promise<void> {
    await this.check(path);
    await this.files.remove(path);
  }

  async rename(path: string, to: string): Promise<void> {
    await this.check(path);
    await this.check(to);
    await this.files.rename(path, to);
    await this.checkAfter(to, () => this.files.rename(to, path));
  }

  async rmdir(path: string, recursive: boolean): Promise<void> {
    await this.check(path);
    await this.files.rmdir(path, recursive);
  }

  private async checkAfter(path: string, revert: () => Promise<void>): Promise<void> {
    try {
      await this.check(path);
    } catch (error) {
      await revert();
      throw error;
    }
  }

  private async hasText(path: string, text: string): Promise<boolean> {
    const bytes = await this.files.readBinary(path);
    return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes) === text;
  }
}

/**
 * Checks where a path leads, using the deepest of its folders that exists.
 * @returns whether the path itself exists
 * @throws StoreError `denied` for a path that leads out of the vault, or nowhere
 */
export type InsideCheck = (path: string) => Promise<boolean>;

export function insideCheck(realPaths: RealPathLookup): InsideCheck {
  return async (path) => {
    const names = path.split('/');
    for (let depth = names.length; depth > 0; depth -= 1) {
      const { kind } = await realPaths(names.slice(0, depth).join('/'));
      if (kind === 'inside') return depth === names.length;
      if (kind === 'missing') continue;
      throw storeRefusal('denied', 'linkOut', { path });
    }
    return false;
  };
}

/**
 * The key of a note, which names its lock and its journal entry. Programs in Node use the same key.
 */
export async function vaultKey(path: string): Promise<string> {
  return (await webSha256(foldedPath(path))).slice(0, KEY_LENGTH);
}
