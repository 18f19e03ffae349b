import { lstatSync, unlinkSync } from 'node:fs';
import { KeyedQueue } from '../core/board/keyed-queue';
import type { Kept } from '../core/board/journal/recover';
import { isState } from '../core/board/state-file';
import { pathFault } from '../core/board/vault-path';
import { StoreError, type Entry, type NoteStore, type Stat } from '../core/ports';
import { DiskJournal } from './disk-journal';
import type { OpenRoot } from './folder';
import { withLock } from './lock';
import { lockPath } from './note-key';
import { found, placeEntries } from './place-entries';
import { refusal, storeError } from './store-error';
import { Places, type Place } from './places';
import { cleanBeside, extend, isTemporary, linkGuard, readWhole, replaceWhole } from './whole-file';

/** How often a text is read anew because its file was growing. */
const MAX_READS = 5;

/** How often an edit is made anew because a program without our lock wrote in between. */
const MAX_TRIES = 100;

export interface DiskStoreOptions {
  /** how long a write waits for another process that holds the note, ms */
  readonly waitMs?: number | undefined;
  /** told of a text that was kept beside its note: a write of another program was broken off */
  readonly onKept?: ((kept: Kept) => void) | undefined;
  /** how the vault's folders are opened; the best way of this system */
  readonly openRoot?: OpenRoot | undefined;
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
  private readonly places: Places;

  constructor(
    root: string,
    private readonly options: DiskStoreOptions = {},
  ) {
    this.places = new Places(root, options.openRoot);
    this.journal = new DiskJournal(root, this.places);
  }

  async read(path: string): Promise<string | undefined> {
    for (let tries = 1; ; tries += 1) {
      const found = await this.at(path, (place) => readOnce(place, path)).catch((error: unknown) =>
        storeError(path, error),
      );
      // The app writes in place: what it has open may have been read in the middle.
      if (tries <= MAX_READS && this.isOpen(path)) {
        await this.locked(path, () => Promise.resolve());
      } else if (found instanceof StoreError) {
        throw found;
      } else if (tries > MAX_READS || found.whole) {
        return found.text;
      }
    }
  }

  async update(
    path: string,
    edit: (text: string | undefined) => string | undefined,
  ): Promise<string | undefined> {
    let thrown: { error: unknown } | undefined;
    const text = await this.locked(path, async (place) => {
      const guard = linkGuard(place.check);
      for (let tries = 0; tries < MAX_TRIES; tries += 1) {
        const before = place.file && (await readWhole(place.file, path, guard));
        let after: string | undefined;
        try {
          after = edit(before);
        } catch (error) {
          thrown = { error };
        }
        if (after === undefined || after === before) return before;
        const file = place.make();
        // What the programs remember for convenience need not outlive a power cut; notes and settings do.
        const lasting = !isState(path);
        if (!lasting && extend(file, before, after, guard)) return after;
        if (await replaceWhole(file, path, { before, after, lasting }, guard)) return after;
      }
      throw refusal('busy', path);
    });
    if (thrown !== undefined) throw thrown.error;
    return text;
  }

  async list(folder: string): Promise<readonly Entry[]> {
    try {
      const entries = await placeEntries(this.places, folder, (name) => !isTemporary(name));
      return [...(entries ?? [])].sort((a, b) => (a.name < b.name ? -1 : 1));
    } catch (error) {
      throw storeError(folder, error);
    }
  }

  stat(path: string): Promise<Stat | undefined> {
    return this.at(path, async (place) => {
      const there = await found(place);
      return there?.isFile() === true ? { mtime: there.mtimeMs, size: there.size } : undefined;
    });
  }

  async remove(path: string): Promise<void> {
    await this.locked(path, async (place) => {
      const there = await found(place);
      if (there === undefined || place.file === undefined) return;
      place.check();
      unlinkSync(place.file);
    });
  }

  private isOpen(path: string): boolean {
    return pathFault(path) === undefined && this.journal.isOpen(path);
  }

  private async at<T>(path: string, task: (place: Place) => Promise<T>): Promise<T> {
    try {
      return await this.places.file(path, task);
    } catch (error) {
      throw storeError(path, error);
    }
  }

  /** In the order of the calls; the path is resolved under the lock, since a link may change. */
  private locked<T>(path: string, task: (place: Place) => Promise<T>): Promise<T> {
    const work = (over: boolean): Promise<T> =>
      this.places.file(path, async (place) => {
        const dirty = over || !this.clean.has(path);
        if (dirty && place.file !== undefined) await cleanBeside(place.file);
        this.clean.add(path);
        if (this.journal.isOpen(path)) {
          const kept = await this.journal.recover(path);
          if (kept !== undefined) this.options.onKept?.(kept);
        }
        return task(place);
      });
    return this.queue.run(path, async () => {
      try {
        return await this.places.file(lockPath(path), (lock) =>
          withLock(lock.make(), work, this.options.waitMs),
        );
      } catch (error) {
        throw storeError(path, error);
      }
    });
  }
}

async function readOnce(place: Place, path: string): Promise<{ text?: string; whole: boolean }> {
  const { file } = place;
  if (file === undefined) return { whole: true };
  const text = await readWhole(file, path, linkGuard(place.check));
  return { ...(text !== undefined && { text }), whole: isWhole(file, text) };
}

/** Whether a text has the length of its file; one that was read while it was filled has not. */
function isWhole(file: string, text: string | undefined): boolean {
  const size = lstatSync(file, { throwIfNoEntry: false })?.size;
  return size === (text === undefined ? undefined : Buffer.byteLength(text));
}
