import { statSync, type Stats } from 'node:fs';
import { lstat, mkdir, readdir, stat, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import { KeyedQueue } from '../core/board/keyed-queue';
import type { Kept } from '../core/board/journal/recover';
import { StoreError, type Entry, type NoteStore, type Stat } from '../core/ports';
import { DiskJournal } from './disk-journal';
import { resolveInside } from './inside';
import { withLock } from './lock';
import { lockFile } from './note-key';
import { refusal, storeError, systemCode } from './store-error';
import { isMissing } from './is-missing';
import { cleanBeside, extend, isTemporary, readWhole, replaceWhole } from './whole-file';

/** How often a text is read anew because its file was growing. */
const MAX_READS = 5;

/** How often an edit is made anew because a program without our lock wrote in between. */
const MAX_TRIES = 100;

export interface DiskStoreOptions {
  /** how long a write waits for another process that holds the note, ms */
  readonly waitMs?: number | undefined;
  /** told of a text that was kept beside its note: a write of another program was broken off */
  readonly onKept?: ((kept: Kept) => void) | undefined;
}

/**
 * A vault folder as NoteStore. Writes are whole or not at all; writers of one note in this process
 * stand in a queue, those of other processes behind a lock file. What an editor that knows no lock
 * writes meanwhile is not written over: the edit is made again on it, so it may be called repeatedly.
 * @throws StoreError from every method: `denied` for a path that leads out of the vault, too
 */
export class DiskStore implements NoteStore {
  private readonly queue = new KeyedQueue();
  /** Notes beside which nothing of an earlier process can lie any more. */
  private readonly clean = new Set<string>();
  private readonly journal: DiskJournal;

  constructor(
    private readonly root: string,
    private readonly options: DiskStoreOptions = {},
  ) {
    this.journal = new DiskJournal(root);
  }

  read(path: string): Promise<string | undefined> {
    return this.at(path, async (file) => {
      for (let tries = 1; ; tries += 1) {
        const found = await readWhole(file, path).catch((error: unknown) =>
          storeError(path, error),
        );
        // The app writes in place: what it has open may have been read in the middle.
        if (tries <= MAX_READS && this.journal.isOpen(path)) {
          await this.locked(path, () => Promise.resolve());
        } else if (found instanceof StoreError) {
          throw found;
        } else if (tries > MAX_READS || isWhole(file, found)) {
          return found;
        }
      }
    });
  }

  async update(
    path: string,
    edit: (text: string | undefined) => string | undefined,
  ): Promise<string | undefined> {
    let thrown: { error: unknown } | undefined;
    const text = await this.locked(path, async (file) => {
      for (let tries = 0; tries < MAX_TRIES; tries += 1) {
        const before = await readWhole(file, path);
        let after: string | undefined;
        try {
          after = edit(before);
        } catch (error) {
          thrown = { error };
        }
        if (after === undefined || after === before) return before;
        if (before === undefined) await mkdir(dirname(file), { recursive: true });
        const lasting = isLasting(path);
        if (!lasting && extend(file, before, after)) return after;
        if (await replaceWhole(file, path, { before, after, lasting })) return after;
      }
      throw refusal('busy', path);
    });
    if (thrown !== undefined) throw thrown.error;
    return text;
  }

  list(folder: string): Promise<readonly Entry[]> {
    return this.at(folder, async (file) => {
      const entries = await readdir(file, { withFileTypes: true }).catch((error: unknown) => {
        if (isMissing(error)) return [];
        throw error;
      });
      const named = entries.filter((entry) => !isTemporary(entry.name));
      const listed = await Promise.all(
        named.map(async (entry) => {
          const found = entry.isSymbolicLink() ? await this.linked(folder, entry.name) : entry;
          return found === undefined ? [] : entryOf(entry.name, found);
        }),
      );
      return listed.flat().sort((a, b) => (a.name < b.name ? -1 : 1));
    });
  }

  /** What a link stands for; undefined for one that leads out of the vault, or nowhere. */
  private async linked(folder: string, name: string): Promise<Stats | undefined> {
    try {
      return await stat(resolveInside(this.root, `${folder}/${name}`));
    } catch (error) {
      if (error instanceof StoreError || isMissing(error) || systemCode(error) === 'ELOOP') {
        return undefined;
      }
      throw error;
    }
  }

  stat(path: string): Promise<Stat | undefined> {
    return this.at(path, async (file) => {
      try {
        const found = await stat(file);
        return found.isFile() ? { mtime: found.mtimeMs, size: found.size } : undefined;
      } catch (error) {
        if (isMissing(error)) return undefined;
        throw error;
      }
    });
  }

  async remove(path: string): Promise<void> {
    await this.locked(path, async (file) => {
      const found = await lstat(file).catch((error: unknown) => {
        if (isMissing(error)) return undefined;
        throw error;
      });
      if (found !== undefined) await unlink(file);
    });
  }

  private async at<T>(path: string, task: (file: string) => Promise<T>): Promise<T> {
    try {
      return await task(resolveInside(this.root, path));
    } catch (error) {
      throw storeError(path, error);
    }
  }

  /** In the order of the calls; the path is resolved under the lock, since a link may change. */
  private locked<T>(path: string, task: (file: string) => Promise<T>): Promise<T> {
    const work = async (over: boolean): Promise<T> => {
      const file = resolveInside(this.root, path);
      if (over || !this.clean.has(path)) await cleanBeside(file);
      this.clean.add(path);
      if (this.journal.isOpen(path)) {
        const kept = await this.journal.recover(path);
        if (kept !== undefined) this.options.onKept?.(kept);
      }
      return task(file);
    };
    return this.queue.run(path, async () => {
      try {
        return await withLock(lockFile(this.root, path), work, this.options.waitMs);
      } catch (error) {
        throw storeError(path, error);
      }
    });
  }
}

/** What the programs remember for convenience need not outlive a power cut; notes and settings do. */
function isLasting(path: string): boolean {
  return !path.startsWith('.opencode/agent-task-boards/');
}

/** Whether a text has the length of its file; one that was read while it was filled has not. */
function isWhole(file: string, text: string | undefined): boolean {
  const size = statSync(file, { throwIfNoEntry: false })?.size;
  return size === (text === undefined ? undefined : Buffer.byteLength(text));
}

function entryOf(name: string, found: Pick<Stats, 'isFile' | 'isDirectory'>): Entry[] {
  if (found.isDirectory()) return [{ name, kind: 'folder' }];
  return found.isFile() ? [{ name, kind: 'file' }] : [];
}
