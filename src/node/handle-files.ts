import * as fs from 'node:fs';
import { open } from 'node:fs/promises';
import { StoreError } from '../core/ports';
import {
  supportsHandlePaths,
  statLocation,
  HandleFolder,
  listEntries,
  FileLocator,
  type FileLocation,
} from './file-locator';
import { linkGuard, openFile, readFromStart, stampOf } from './read-file';
import { notAFile, pathRefusal, storeError, systemCode } from './store-error';

/**
 * A file or folder as reported by the app's adapter: times in ms since the epoch, size in bytes.
 */
export interface HandleStat {
  readonly type: 'file' | 'folder';
  readonly ctime: number;
  readonly mtime: number;
  readonly size: number;
}

const { O_RDONLY, O_WRONLY, O_RDWR, O_APPEND, O_CREAT } = fs.constants;
/** Doesn't follow a path that has become a link, nor wait for the other end of a pipe. */
const SAFE_OPEN_FLAGS = fs.constants.O_NOFOLLOW | fs.constants.O_NONBLOCK;

/** How often an edit is repeated because a program without our lock wrote in between. */
const MAX_TRIES = 100;

/** Access to a vault's files through open folders; undefined if the system has no such paths. */
export function handleFiles(root: string): HandleFiles | undefined {
  return supportsHandlePaths() ? new HandleFiles(root) : undefined;
}

/**
 * Does what the app's adapter does, including writing in place, but through open folders, so that
 * no link created meanwhile leads out of the vault. Follows links inside the vault. The app notices
 * changes only through its file watcher. Reads may wait for the disk; writes are synchronous, so
 * that nothing in this process can come between, and other programs hardly can.
 * @throws StoreError from every method: `denied` for a path or link that leads out of the vault or
 * nowhere
 */
export class HandleFiles {
  private readonly locator: FileLocator;

  /** @param root absolute path of the vault */
  constructor(root: string) {
    this.locator = new FileLocator(root, HandleFolder.root);
  }

  exists(path: string): Promise<boolean> {
    return this.withLocation(path, (place) => statLocation(place) !== undefined);
  }

  /** Returns null also for anything but a file or folder, since opening it could hang. */
  stat(path: string): Promise<HandleStat | null> {
    return this.withLocation(path, (place) => {
      const there = statLocation(place);
      if (there?.isFile() !== true && there?.isDirectory() !== true) return null;
      const type = there.isFile() ? 'file' : 'folder';
      const [ctime, mtime] = [Math.round(there.birthtimeMs), Math.round(there.mtimeMs)];
      return { type, ctime, mtime, size: there.size };
    });
  }

  async list(folder: string): Promise<{ files: string[]; folders: string[] }> {
    const entries = await this.convertErrors(folder, () => listEntries(this.locator, folder));
    const of = (kind: 'file' | 'folder'): string[] =>
      (entries ?? []).filter((one) => one.kind === kind).map(({ name }) => `${folder}/${name}`);
    return { files: of('file'), folders: of('folder') };
  }

  readBinary(path: string): Promise<ArrayBuffer> {
    return this.withLocation(path, async (place) => {
      const file = requireFile(place, path);
      const handle = await open(file, O_RDONLY | SAFE_OPEN_FLAGS);
      try {
        const there = await handle.stat();
        if (!there.isFile()) throw notAFile(path, there);
        return new Uint8Array(await handle.readFile()).buffer;
      } finally {
        await handle.close();
      }
    });
  }

  /** Overwrites the file. Its folder must exist. */
  write(path: string, text: string): Promise<void> {
    return this.withOpenFile(path, O_WRONLY | O_CREAT, (handle) => {
      fs.ftruncateSync(handle, 0);
      writeAt(handle, encode(text), 0);
    });
  }

  append(path: string, text: string): Promise<void> {
    return this.withOpenFile(path, O_WRONLY | O_APPEND | O_CREAT, (handle) =>
      writeAt(handle, encode(text), null),
    );
  }

  /**
   * Edits a file. Errors of `edit` are passed on, and nothing is written then. The edit is repeated
   * if a program without a lock has written meanwhile. The new text overwrites the old one in place
   * before the file is truncated, so that on a full disk the space of the old text is never given
   * up.
   */
  process(path: string, edit: (text: string) => string): Promise<string> {
    return this.withOpenFile(path, O_RDWR, (handle) => {
      for (let tries = 0; tries < MAX_TRIES; tries += 1) {
        const stamp = stampOf(handle);
        const text = edit(decode(readFromStart(handle)));
        const bytes = encode(text);
        if (stampOf(handle) !== stamp) continue;
        writeAt(handle, bytes, 0);
        fs.ftruncateSync(handle, bytes.length);
        return text;
      }
      throw pathRefusal('busy', path);
    });
  }

  /** Creates a folder and its parents. An existing one is not an error. */
  mkdir(path: string): Promise<void> {
    return this.withLocation(path, (place) => {
      const folder = place.makeParents();
      try {
        fs.mkdirSync(folder);
      } catch (error) {
        const there = fs.lstatSync(folder, { throwIfNoEntry: false });
        if (systemCode(error) !== 'EEXIST' || there?.isDirectory() !== true) throw error;
      }
    });
  }

  remove(path: string): Promise<void> {
    return this.withLocation(path, (place) => fs.unlinkSync(requireFile(place, path)));
  }

  /** Doesn't replace an existing file. The target's folder must exist. */
  rename(path: string, to: string): Promise<void> {
    return this.withLocation(path, (source) =>
      this.withLocation(to, (target) => {
        const [from, file] = [requireFile(source, path), requireFile(target, to)];
        if (
          statLocation(target) !== undefined &&
          statLocation(target)?.ino !== statLocation(source)?.ino
        ) {
          throw new StoreError('io', `${to} is there already.`);
        }
        source.check();
        target.check();
        fs.renameSync(from, file);
      }),
    );
  }

  /** Removes an empty folder. */
  rmdir(path: string): Promise<void> {
    return this.withLocation(path, (place) => {
      place.check();
      fs.rmdirSync(requireFile(place, path));
    });
  }

  private withOpenFile<T>(path: string, flags: number, task: (handle: number) => T): Promise<T> {
    return this.withLocation(path, (place) => {
      const handle = openFile(requireFile(place, path), path, flags, linkGuard(place.check));
      try {
        return task(handle);
      } finally {
        fs.closeSync(handle);
      }
    });
  }

  private withLocation<T>(path: string, task: (place: FileLocation) => T | Promise<T>): Promise<T> {
    return this.convertErrors(path, () => this.locator.file(path, task));
  }

  /** Converts system errors; others come from the caller or are already StoreErrors. */
  private async convertErrors<T>(path: string, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      const code = systemCode(error);
      if (code === undefined) throw error;
      if (code !== 'ELOOP') throw storeError(path, error);
      throw new StoreError('denied', `${path} has just become a link. Try again.`);
    }
  }
}

function requireFile({ file }: FileLocation, path: string): string {
  if (file !== undefined) return file;
  throw new StoreError('io', `${path}: its folder is not there.`);
}

/** @param at offset; null to append */
function writeAt(handle: number, bytes: Uint8Array, at: number | null): void {
  let done = 0;
  while (done < bytes.length) {
    const rest = bytes.length - done;
    done += fs.writeSync(handle, bytes, done, rest, at === null ? null : at + done);
  }
}

function encode(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

/** Keeps a byte order mark and replaces invalid UTF-8, as the app's adapter does. */
function decode(bytes: Uint8Array): string {
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
}
