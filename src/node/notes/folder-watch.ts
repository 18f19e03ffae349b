import { statfsSync, watch, type FSWatcher } from 'node:fs';
import process from 'node:process';
import { setImmediate as turn } from 'node:timers/promises';
import { systemCode } from '../store-error';

/**
 * File systems of which only this system changes a file: ext, xfs, btrfs, f2fs, bcachefs, zfs and
 * tmpfs, by their numbers in statfs(2). Others, as of a network or another system's disk in WSL,
 * change without a report.
 */
const LOCAL_FILE_SYSTEMS: ReadonlySet<number> = new Set([
  0xef53, 0x58465342, 0x9123683e, 0xf2f52010, 0xca451a4e, 0x2fc12fc1, 0x01021994,
]);

interface WatchedFolder {
  readonly watcher: FSWatcher;
  readonly inode: number;
  hasChanged: boolean;
}

/**
 * Knows in which folders nothing changed, where the system reports a change before the call that
 * makes it returns: inotify, read by Node.
 */
export class FolderWatch {
  private readonly folders = new Map<string, WatchedFolder>();

  static isSupported(): boolean {
    // Bun reads events in another thread, so they arrive later.
    return process.platform === 'linux' && process.versions['bun'] === undefined;
  }

  /**
   * Waits until all changes made so far are reported. Node reads them once between two turns of
   * its event loop, so after the second turn nothing that came before the call is left.
   */
  async receiveChanges(): Promise<void> {
    if (this.folders.size === 0) return;
    await turn();
    await turn();
  }

  /**
   * Watches a folder from now on, or goes on doing so. Called before it is read.
   * @param folder absolute
   */
  begin(folder: string, inode: number): void {
    const watched = this.folders.get(folder);
    if (watched?.inode === inode) {
      watched.hasChanged = false;
      return;
    }
    this.end(folder);
    const watcher = tryWatch(folder);
    if (watcher === undefined) return;
    const begun = { watcher, inode, hasChanged: false };
    this.folders.set(folder, begun);
    const setChanged = (): void => {
      begun.hasChanged = true;
    };
    watcher.on('change', setChanged).on('error', setChanged);
  }

  isUnchanged(folder: string): boolean {
    return this.folders.get(folder)?.hasChanged === false;
  }

  end(folder: string): void {
    this.folders.get(folder)?.watcher.close();
    this.folders.delete(folder);
  }
}

/** Undefined if the folder is missing or on another system, or no more folders can be watched. */
function tryWatch(folder: string): FSWatcher | undefined {
  try {
    if (!LOCAL_FILE_SYSTEMS.has(statfsSync(folder).type)) return undefined;
    return watch(folder, { persistent: false });
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    return undefined;
  }
}
