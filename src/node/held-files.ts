import * as fs from 'node:fs';
import { open } from 'node:fs/promises';
import { StoreError } from '../core/ports';
import { canHold, found, HeldFolder, placeEntries, Places, type Place } from './places';
import { linkGuard, openFile, readFromStart, stampOf } from './read-file';
import { notAFile, pathRefusal, storeError, systemCode } from './store-error';

/** A file or folder as the app's adapter tells of it: times in ms since the epoch, size in bytes. */
export interface HeldStat {
  readonly type: 'file' | 'folder';
  readonly ctime: number;
  readonly mtime: number;
  readonly size: number;
}

const { O_RDONLY, O_WRONLY, O_RDWR, O_APPEND, O_CREAT } = fs.constants;
/** What is a link by now is not followed, and the other end of a pipe not waited for. */
const OWN = fs.constants.O_NOFOLLOW | fs.constants.O_NONBLOCK;

/** How often an edit is made anew because a program without our lock wrote in between. */
const MAX_TRIES = 100;

/** The files of a vault by folders that are held open; undefined where the system has no such paths. */
export function heldFiles(root: string): HeldFiles | undefined {
  return canHold() ? new HeldFiles(root) : undefined;
}

/**
 * What the app's adapter does, in place as that does it, through folders that are held open: no link
 * that is made meanwhile leads out of the vault. Links inside the vault are followed. The app learns
 * of it by its own watching only. What reads may wait for the disk; what writes is one step, so that
 * nothing of this process comes between, and others hardly do.
 * @throws StoreError from every method: `denied` for a path, or a link, that leads out or nowhere
 */
export class HeldFiles {
  private readonly places: Places;

  /** @param root of the vault, absolute */
  constructor(root: string) {
    this.places = new Places(root, HeldFolder.root);
  }

  exists(path: string): Promise<boolean> {
    return this.at(path, (place) => found(place) !== undefined);
  }

  /** Null for what is neither file nor folder, too: opening it could hang. */
  stat(path: string): Promise<HeldStat | null> {
    return this.at(path, (place) => {
      const there = found(place);
      if (there?.isFile() !== true && there?.isDirectory() !== true) return null;
      const type = there.isFile() ? 'file' : 'folder';
      const [ctime, mtime] = [Math.round(there.birthtimeMs), Math.round(there.mtimeMs)];
      return { type, ctime, mtime, size: there.size };
    });
  }

  async list(folder: string): Promise<{ files: string[]; folders: string[] }> {
    const entries = await this.told(folder, () => placeEntries(this.places, folder));
    const of = (kind: 'file' | 'folder'): string[] =>
      (entries ?? []).filter((one) => one.kind === kind).map(({ name }) => `${folder}/${name}`);
    return { files: of('file'), folders: of('folder') };
  }

  readBinary(path: string): Promise<ArrayBuffer> {
    return this.at(path, async (place) => {
      const file = reached(place, path);
      const handle = await open(file, O_RDONLY | OWN);
      try {
        const there = await handle.stat();
        if (!there.isFile()) throw notAFile(path, there);
        return new Uint8Array(await handle.readFile()).buffer;
      } finally {
        await handle.close();
      }
    });
  }

  /** Whatever stands there goes; the folder has to be there. */
  write(path: string, text: string): Promise<void> {
    return this.opened(path, O_WRONLY | O_CREAT, (handle) => {
      fs.ftruncateSync(handle, 0);
      writeAt(handle, encode(text), 0);
    });
  }

  append(path: string, text: string): Promise<void> {
    return this.opened(path, O_WRONLY | O_APPEND | O_CREAT, (handle) =>
      writeAt(handle, encode(text), null),
    );
  }

  /**
   * Errors of `edit` are passed on, and nothing is written then. The edit is made again if a program
   * without a lock has written meanwhile. The new text is written over the old one, then cut, so that the
   * space of the old text is never freed on a full disk.
   */
  process(path: string, edit: (text: string) => string): Promise<string> {
    return this.opened(path, O_RDWR, (handle) => {
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

  /** With the folders above it; one that is there is no error. */
  mkdir(path: string): Promise<void> {
    return this.at(path, (place) => {
      const folder = place.make();
      try {
        fs.mkdirSync(folder);
      } catch (error) {
        const there = fs.lstatSync(folder, { throwIfNoEntry: false });
        if (systemCode(error) !== 'EEXIST' || there?.isDirectory() !== true) throw error;
      }
    });
  }

  remove(path: string): Promise<void> {
    return this.at(path, (place) => fs.unlinkSync(reached(place, path)));
  }

  /** What stands there already is not replaced; the folder has to be there. */
  rename(path: string, to: string): Promise<void> {
    return this.at(path, (source) =>
      this.at(to, (target) => {
        const [from, file] = [reached(source, path), reached(target, to)];
        if (found(target) !== undefined && found(target)?.ino !== found(source)?.ino) {
          throw new StoreError('io', `${to} is there already.`);
        }
        source.check();
        target.check();
        fs.renameSync(from, file);
      }),
    );
  }

  /** One that is empty. */
  rmdir(path: string): Promise<void> {
    return this.at(path, (place) => {
      place.check();
      fs.rmdirSync(reached(place, path));
    });
  }

  private opened<T>(path: string, flags: number, task: (handle: number) => T): Promise<T> {
    return this.at(path, (place) => {
      const handle = openFile(reached(place, path), path, flags, linkGuard(place.check));
      try {
        return task(handle);
      } finally {
        fs.closeSync(handle);
      }
    });
  }

  private at<T>(path: string, task: (place: Place) => T | Promise<T>): Promise<T> {
    return this.told(path, () => this.places.file(path, task));
  }

  /** What is no error of the system is the caller's own, or told already. */
  private async told<T>(path: string, work: () => Promise<T>): Promise<T> {
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

function reached({ file }: Place, path: string): string {
  if (file !== undefined) return file;
  throw new StoreError('io', `${path}: its folder is not there.`);
}

/** @param at null: at the end */
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

/** Byte order mark included; what is no UTF-8 is replaced, as the adapter does it. */
function decode(bytes: Uint8Array): string {
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
}
