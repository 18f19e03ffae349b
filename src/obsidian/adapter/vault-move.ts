import type { DataAdapter } from 'obsidian';
import type { MoveFiles } from '../../core/board/move/copy-boards';
import type { Entry, NoteLock } from '../../core/ports';
import { hexDigest } from './platform';
import {
  entriesOf,
  withStoreErrors,
  lastSegment,
  makeFolders,
  vaultKey,
  type InsideCheck,
} from './vault-files';

/** The parts of Obsidian's adapter that are used. */
export type MovedFiles = Pick<
  DataAdapter,
  'stat' | 'list' | 'readBinary' | 'writeBinary' | 'mkdir' | 'rename' | 'remove' | 'rmdir'
>;

export interface VaultMoveOptions {
  /** the lock of each note, shared with all its writers */
  readonly lock: NoteLock;
  /** Moves a file to the trash that the person has chosen for the vault. */
  readonly trash: (path: string) => Promise<void>;
  /**
   * Checks where a path leads before a file is written or removed there; without it nothing is
   * checked.
   */
  readonly check?: InsideCheck | undefined;
}

/**
 * Name of an unfinished copy, in its target folder. A crash may leave one; the next write reuses
 * it.
 */
const TEMPORARY_NAME = '.agent-task-boards-move.tmp';

/**
 * The files of a vault as bytes, for moving all boards. A check and the change after it happen
 * under one lock.
 */
export class VaultMove implements MoveFiles {
  constructor(
    private readonly files: MovedFiles,
    private readonly options: VaultMoveOptions,
  ) {}

  kind(path: string): Promise<'file' | 'folder' | undefined> {
    return withStoreErrors(path, async () => (await this.files.stat(path))?.type);
  }

  list(folder: string): Promise<readonly Entry[]> {
    return withStoreErrors(folder, async () => {
      if ((await this.files.stat(folder))?.type !== 'folder') return [];
      return entriesOf(this.files, folder);
    });
  }

  read(path: string): Promise<Uint8Array | undefined> {
    return withStoreErrors(path, () => this.readNow(path));
  }

  /**
   * Writes a temporary file and renames it, so that a partial copy never has the final name. The
   * adapter cannot rename over a file, so the replaced file is removed first; its replacement is
   * then still in the old folder.
   */
  write(path: string, bytes: Uint8Array, over: string | undefined): Promise<boolean> {
    return this.withLock(path, async () => {
      if ((await this.digestAt(path)) !== over) return false;
      const folder = path.slice(0, path.lastIndexOf('/'));
      await makeFolders(this.files, folder);
      const beside = `${folder}/${TEMPORARY_NAME}`;
      await this.files.writeBinary(beside, exactBuffer(bytes));
      if (over !== undefined) await this.files.remove(path);
      await this.files.rename(beside, path);
      return true;
    });
  }

  remove(path: string, digest: string): Promise<boolean> {
    return this.ifUnchanged(path, digest, () => this.files.remove(path));
  }

  trash(path: string, digest: string): Promise<boolean> {
    return this.ifUnchanged(path, digest, () => this.options.trash(path));
  }

  removeEmpty(folder: string): Promise<void> {
    return withStoreErrors(folder, async () => {
      if ((await this.files.stat(folder))?.type !== 'folder') return;
      await this.options.check?.(folder);
      const { files, folders } = await this.files.list(folder);
      const rest = files.filter((path) => lastSegment(path) !== TEMPORARY_NAME);
      if (rest.length > 0 || folders.length > 0) return;
      for (const path of files) await this.files.remove(path);
      await this.files.rmdir(folder, false);
    });
  }

  digest(bytes: Uint8Array): Promise<string> {
    return hexDigest(exactBuffer(bytes));
  }

  private ifUnchanged(path: string, digest: string, task: () => Promise<void>): Promise<boolean> {
    return this.withLock(path, async () => {
      if ((await this.digestAt(path)) !== digest) return false;
      await task();
      return true;
    });
  }

  private async digestAt(path: string): Promise<string | undefined> {
    const bytes = await this.readNow(path);
    return bytes && this.digest(bytes);
  }

  private async readNow(path: string): Promise<Uint8Array | undefined> {
    if ((await this.files.stat(path))?.type !== 'file') return undefined;
    return new Uint8Array(await this.files.readBinary(path));
  }

  private withLock<T>(path: string, task: () => Promise<T>): Promise<T> {
    return withStoreErrors(path, async () =>
      this.options.lock.hold(await vaultKey(path), async () => {
        await this.options.check?.(path);
        return task();
      }),
    );
  }
}

/** A buffer that holds exactly these bytes. */
function exactBuffer(bytes: Uint8Array): ArrayBuffer {
  return new Uint8Array(bytes).buffer;
}
