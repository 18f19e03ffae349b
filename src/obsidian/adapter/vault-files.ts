import type { DataAdapter } from 'obsidian';
import { KEY_LENGTH, keyText, type JournalFile, type JournalFiles } from '../../core/board/journal';
import { pathFault } from '../../core/board/vault-path';
import type { FolderReader } from '../../core/config/config-folder';
import { StoreError, type Entry, type NoteStore } from '../../core/ports';
import { webSha256 } from './platform';
import type { RealPaths } from '../../core/permission/path-resolver';

/** What is needed of Obsidian's adapter. Paths are relative to the vault; hidden folders work too. */
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

/** Thrown inside `process` to leave the file as it is. */
class Leave extends Error {}

/** Single steps on files through the adapter, none of them whole by itself: a write may be cut. */
export class VaultSteps implements JournalFiles {
  constructor(private readonly files: VaultFiles) {}

  keyOf(path: string): Promise<string> {
    return vaultKey(path);
  }

  async look(path: string): Promise<JournalFile | undefined> {
    const stat = await this.files.stat(path);
    if (stat?.type !== 'file') return undefined;
    const bytes = new Uint8Array(await this.files.readBinary(path));
    return { bytes, text: decodeText(bytes), mtime: stat.mtime };
  }

  /** Writes what was found to be cut over as it is; nobody has a text in it. */
  async put(path: string, found: JournalFile | undefined, text: string): Promise<boolean> {
    if (found?.text !== undefined) return this.replace(path, found.text, text);
    if (found === undefined) {
      await this.makeFolders(path);
      if (await this.files.exists(path)) return false;
    }
    await this.files.write(path, text);
    return true;
  }

  /** Whatever stands there; the folder has to be there. */
  overwrite(path: string, text: string): Promise<void> {
    return this.files.write(path, text);
  }

  async remove(path: string): Promise<void> {
    if (await this.files.exists(path)) await this.files.remove(path);
  }

  /** @returns false where the file no longer holds `before`; nothing is written then. */
  async replace(path: string, before: string, after: string): Promise<boolean> {
    try {
      await this.files.process(path, (current) => {
        // An adapter may hide the byte order mark; anything else is another writer's change.
        if (current !== before && `\uFEFF${current}` !== before) throw new Leave();
        return after;
      });
      return true;
    } catch (error) {
      if (error instanceof Leave) return false;
      throw error;
    }
  }

  /**
   * Adds to a file what its new text has behind the old one: one write, which a death cuts at its end.
   * What an error cuts is taken away again.
   * @returns what stands then; undefined where that is not how the texts differ, or it was not kept
   */
  async extend(
    path: string,
    before: string | undefined,
    after: string,
  ): Promise<string | undefined> {
    if (before === undefined || before === '' || !after.startsWith(before)) return undefined;
    const more = after.slice(before.length);
    let fault: { readonly error: unknown } | undefined;
    try {
      await this.files.append(path, more);
    } catch (error) {
      fault = { error };
    }
    const now = await this.look(path);
    const text = now?.text;
    // What somebody else has put in between stays.
    if (text !== undefined && text.length >= after.length && text.endsWith(more)) return text;
    if (now !== undefined && text !== before && startsWith(after, now.bytes)) {
      await this.files.write(path, before);
    }
    if (fault !== undefined) throw fault.error;
    return undefined;
  }

  async makeFolders(path: string): Promise<void> {
    await makeFolders(this.files, path.slice(0, Math.max(0, path.lastIndexOf('/'))));
  }
}

function startsWith(text: string, start: Uint8Array): boolean {
  const bytes = new TextEncoder().encode(text);
  return start.every((byte, at) => byte === bytes[at]);
}

/** Makes a folder and those above it that are missing. */
export async function makeFolders(
  files: Pick<DataAdapter, 'stat' | 'mkdir'>,
  folder: string,
): Promise<void> {
  if (folder === '' || (await files.stat(folder)) !== null) return;
  await makeFolders(files, folder.slice(0, Math.max(0, folder.lastIndexOf('/'))));
  await files.mkdir(folder);
}

/** What stands in a folder, by name. */
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

/** A vault without links, as on a phone, for reading folders of it. */
export function vaultFolder(
  store: Pick<NoteStore, 'read' | 'stat'>,
  adapter: Pick<DataAdapter, 'stat' | 'list' | 'readBinary'>,
): FolderReader {
  return {
    async read(path) {
      try {
        return await store.read(path);
      } catch (error) {
        if (!(error instanceof StoreError) || error.code !== 'not_utf8') throw error;
        const bytes = await asStoreError(path, () => adapter.readBinary(path));
        return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
      }
    },
    stat: (path) => store.stat(path),
    async list(folder) {
      try {
        const isThere = folder === '' || (await adapter.stat(folder))?.type === 'folder';
        return isThere ? await entriesOf(adapter, folder === '' ? '/' : folder) : [];
      } catch (error) {
        throw vaultFault(folder, error);
      }
    },
  };
}

export function lastSegment(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** A work on a path; what the adapter throws comes as a StoreError. */
export async function asStoreError<T>(path: string, work: () => Promise<T>): Promise<T> {
  const fault = pathFault(path);
  if (fault !== undefined) throw new StoreError('denied', fault);
  try {
    return await work();
  } catch (error) {
    throw vaultFault(path, error);
  }
}

/** What the adapter threw, as the one error class of stores. Its errors have words, and often no code. */
function vaultFault(path: string, cause: unknown): StoreError {
  if (cause instanceof StoreError) return cause;
  const text = cause instanceof Error ? cause.message : String(cause);
  if (/ENOSPC|EDQUOT|no space|quota/i.test(text)) {
    return new StoreError('disk_full', `${path} was not saved: the disk is full.`, { cause });
  }
  if (/EACCES|EPERM|EROFS|permission/i.test(text)) {
    return new StoreError('denied', `The system does not allow access to ${path}.`, { cause });
  }
  return new StoreError('io', `${path} could not be read or written: ${text}`, { cause });
}

/** Byte order mark included; undefined where the bytes are no UTF-8. */
export function decodeText(bytes: BufferSource): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/**
 * The adapter, which follows links, kept inside the vault: right before each step that writes it is
 * looked where its path leads, and after a text was written again. What came to stand outside is
 * taken back there. Between look and step a link can be made all the same: the adapter takes names only.
 * @throws StoreError `denied` from a step whose path leads out of the vault, or nowhere
 */
export class InsideFiles implements VaultFiles {
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
    const stood = await this.check(path);
    await this.files.write(path, text);
    await this.checkAfter(path, async () => {
      if (!stood && (await this.holds(path, text))) await this.files.remove(path);
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

  private async checkAfter(path: string, takeBack: () => Promise<void>): Promise<void> {
    try {
      await this.check(path);
    } catch (error) {
      await takeBack();
      throw error;
    }
  }

  private async holds(path: string, text: string): Promise<boolean> {
    const bytes = await this.files.readBinary(path);
    return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes) === text;
  }
}

/**
 * Looks where a path leads, by the deepest of its folders that is there.
 * @returns whether something stands at the path
 * @throws StoreError `denied` for a path that leads out of the vault, or nowhere
 */
export type InsideCheck = (path: string) => Promise<boolean>;

export function insideCheck(realPaths: RealPaths): InsideCheck {
  return async (path) => {
    const names = path.split('/');
    for (let depth = names.length; depth > 0; depth -= 1) {
      const { kind } = await realPaths(names.slice(0, depth).join('/'));
      if (kind === 'inside') return depth === names.length;
      if (kind === 'missing') continue;
      throw new StoreError('denied', `${path}: a link leads out of the vault, or nowhere.`);
    }
    return false;
  };
}

/** The key of a note: names its lock and its journal entry, the same as in Node's programs. */
export async function vaultKey(path: string): Promise<string> {
  return (await webSha256(keyText(path))).slice(0, KEY_LENGTH);
}
