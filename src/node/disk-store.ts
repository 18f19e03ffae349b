import {
  existsSync,
  lstatSync,
  realpathSync,
  renameSync,
  rmdirSync,
  statSync,
  unlinkSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { KeyedQueue } from '../core/keyed-queue';
import {
  journalPath,
  storeKeptText,
  KEY_LENGTH,
  foldedPath,
  recover,
  type JournalFile,
  type JournalFiles,
  type KeptText,
} from '../core/board/journal';
import { isStateFile } from '../core/board/state-file';
import { pathFault } from '../core/board/vault-path';
import { StoreError, type Entry, type NoteStore, type Stat } from '../core/ports';
import {
  statLocation,
  listEntries,
  FileLocator,
  type OpenRoot,
  type FileLocation,
} from './file-locator';
import { ifMissing, isMissing, pathRefusal, storeError, systemCode } from './store-error';
import { keyLockPath, withLock } from './lock';
import { decodeUtf8, linkGuard, readBytes, readNoteText } from './read-file';
import {
  appendLines,
  removeTemporaries,
  appendAddition,
  isTemporary,
  ReplacedFiles,
  replaceIfUnchanged,
  type ReplacedFile,
} from './whole-file';
import { lstat, unlink } from 'node:fs/promises';
import { createHash } from 'node:crypto';

/** How often a text is read again because its file was growing. */
const MAX_READS = 5;

/** How often an edit is repeated because a program without our lock wrote in between. */
const MAX_TRIES = 100;

/** ms after a write within which a removal by others is reported. */
const RECENT_MS = 5_000;

/** Error codes if a folder is not empty, or already gone. */
const NOT_REMOVED_CODES = new Set(['ENOTEMPTY', 'EEXIST', 'ENOENT', 'EPERM', 'EBUSY']);

interface DiskStoreOptions {
  /** ms that a write waits for another process that holds the note */
  readonly waitMs?: number | undefined;
  /**
   * called when a text was kept beside its note, because another program's write was interrupted
   */
  readonly onKept?: ((kept: KeptText) => void) | undefined;
  /** how the vault's folders are opened; by default, the safest way on this system */
  readonly openRoot?: OpenRoot | undefined;
}

/**
 * A vault folder as NoteStore. Writes are atomic. Writers of a note within this process are queued,
 * those of other processes wait for a lock file. If an editor without our lock writes meanwhile,
 * the edit is repeated on its text, so it may be called several times.
 * @throws StoreError from every method; `denied` also for a path that leads out of the vault
 */
export class DiskStore implements NoteStore {
  private readonly queue = new KeyedQueue();
  /** Notes beside which no temporary files of earlier processes can be left. */
  private readonly cleaned = new Set<string>();
  /** Notes written by this store, with the time in ms since the epoch. */
  private readonly written = new Map<string, number>();
  private readonly journal: DiskJournal;
  private readonly locator: FileLocator;
  private readonly replaced = new ReplacedFiles(this, (path, text) => this.keep(path, text));

  constructor(
    private readonly root: string,
    private readonly options: DiskStoreOptions = {},
  ) {
    this.locator = new FileLocator(root, options.openRoot);
    this.journal = new DiskJournal(root, this.locator);
  }

  async read(path: string): Promise<string | undefined> {
    for (let tries = 1; ; tries += 1) {
      const found = await this.withLocation(path, (place) => readOnce(place, path)).catch(
        (error: unknown) => storeError(path, error),
      );
      // The app writes in place, so a note that it is writing may have been read half-written.
      if (tries <= MAX_READS && this.isOpen(path)) {
        await this.runLocked(path, () => Promise.resolve());
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
    const text = await this.runLocked(path, async (place) => {
      const guard = linkGuard(place.check);
      for (let tries = 0; tries < MAX_TRIES; tries += 1) {
        const before = place.file && (await readNoteText(place.file, path, guard));
        let after: string | undefined;
        try {
          after = edit(before);
        } catch (error) {
          thrown = { error };
        }
        if (after === undefined || after === before) return before;
        const file = place.makeParents();
        // State kept for convenience need not survive a power cut; notes and settings must.
        const lasting = !isStateFile(path);
        if (!lasting && appendAddition(file, path, before, after, guard)) return after;
        // Windows doesn't replace open files, and no other program writes the state.
        const onReplaced =
          lasting && process.platform !== 'win32'
            ? (old: ReplacedFile) => this.replaced.watch(path, old)
            : undefined;
        const replacement = { before, after, lasting, onReplaced };
        if (await replaceIfUnchanged(file, path, replacement, guard)) {
          if (lasting) this.assertInPlace(path, file);
          if (lasting) this.written.set(path, Date.now());
          return after;
        }
      }
      throw pathRefusal('busy', path);
    });
    if (thrown !== undefined) throw thrown.error;
    return text;
  }

  append(path: string, lines: string, most: number): Promise<boolean> {
    const fits = (size: number): boolean => size + Buffer.byteLength(lines) <= most;
    return this.runLocked(
      path,
      ({ file, check }) =>
        file !== undefined && appendLines(file, path, lines, fits, linkGuard(check)),
    );
  }

  async list(folder: string): Promise<readonly Entry[]> {
    try {
      const entries = await listEntries(this.locator, folder, (name) => !isTemporary(name));
      return [...(entries ?? [])].sort((a, b) => (a.name < b.name ? -1 : 1));
    } catch (error) {
      // The folder disappeared while it was being listed, as its last file was renamed.
      if (isMissing(error)) return [];
      throw storeError(folder, error);
    }
  }

  stat(path: string): Promise<Stat | undefined> {
    return this.withLocation(path, (place) => {
      const there = statLocation(place);
      return there?.isFile() === true ? { mtime: there.mtimeMs, size: there.size } : undefined;
    });
  }

  async remove(path: string): Promise<void> {
    await this.runLocked(path, (place) => {
      const there = statLocation(place);
      if (there === undefined || place.file === undefined) return;
      place.check();
      unlinkSync(place.file);
      this.written.delete(path);
    });
  }

  async rename(from: string, to: string): Promise<boolean> {
    const renamed = await this.runWithBothLocks(from, to, (source, target) => {
      const [there, other] = [statLocation(source), statLocation(target)];
      if (source.file === undefined || there?.isFile() !== true) return false;
      // On a case-insensitive disk, a name that differs only in case is the file itself.
      if (other !== undefined && other.ino !== there.ino) return false;
      const file = target.makeParents();
      source.check();
      target.check();
      renameSync(source.file, file);
      return true;
    });
    if (!renamed) return false;
    this.replaced.renamed(from, to);
    this.written.delete(from);
    await this.removeEmpty(from.slice(0, Math.max(0, from.lastIndexOf('/'))));
    return true;
  }

  /** Takes both locks in a fixed order, since two opposite renames would otherwise deadlock. */
  private runWithBothLocks<T>(
    from: string,
    to: string,
    task: (source: FileLocation, target: FileLocation) => T,
  ): Promise<T> {
    const [a, b] = [noteKey(from), noteKey(to)];
    const at = (path: string, then: (place: FileLocation) => T): Promise<T> =>
      this.runLocked(path, then);
    if (a === b)
      return this.runLocked(from, (source) =>
        this.withLocation(to, (place) => task(source, place)),
      );
    return a < b
      ? this.runLocked(from, (source) => at(to, (target) => task(source, target)))
      : this.runLocked(to, (target) => at(from, (source) => task(source, target)));
  }

  private async removeEmpty(folder: string): Promise<void> {
    if (folder === '') return;
    await this.withLocation(folder, ({ file, check }) => {
      if (file === undefined) return;
      check();
      try {
        rmdirSync(file);
      } catch (error) {
        if (!NOT_REMOVED_CODES.has(systemCode(error) ?? '')) throw error;
      }
    });
  }

  /** Notes that this store has written within the last seconds and that are missing now. */
  async removedByOthers(): Promise<readonly string[]> {
    const since = Date.now() - RECENT_MS;
    const paths = [...this.written].flatMap(([path, at]) => (at > since ? [path] : []));
    const stats = await Promise.all(paths.map((path) => this.stat(path)));
    return paths.filter((_, at) => stats[at] === undefined);
  }

  /** Throws if the note's folder was moved meanwhile, as into the trash: the write went with it. */
  private assertInPlace(path: string, written: string): void {
    const named = statSync(dirname(realpathSync.native(join(this.root, path))));
    const held = statSync(dirname(written));
    if (named.ino !== held.ino || named.dev !== held.dev) throw movedAway(path);
  }

  private async keep(note: string, text: string): Promise<void> {
    const kept = await storeKeptText(this.journal, note, text).catch((error: unknown) => {
      throw storeError(note, error);
    });
    this.options.onKept?.({ note, kept });
  }

  private isOpen(path: string): boolean {
    return pathFault(path) === undefined && this.journal.isOpen(noteKey(path));
  }

  private async withLocation<T>(
    path: string,
    task: (place: FileLocation) => T | Promise<T>,
  ): Promise<T> {
    try {
      return await this.locator.file(path, task);
    } catch (error) {
      throw storeError(path, error);
    }
  }

  /**
   * Runs `task` under the note's lock, in the order of the calls. Resolves the path under the lock,
   * since links may change.
   */
  private runLocked<T>(path: string, task: (place: FileLocation) => T | Promise<T>): Promise<T> {
    const key = noteKey(path);
    const work = (over: boolean): Promise<T> =>
      this.locator.file(path, async (place) => {
        const dirty = over || !this.cleaned.has(path);
        if (dirty && place.file !== undefined) await removeTemporaries(place.file);
        this.cleaned.add(path);
        if (this.journal.isOpen(key)) {
          const kept = await recover(this.journal, key);
          if (kept !== undefined) this.options.onKept?.(kept);
        }
        return task(place);
      });
    return this.queue.run(path, async () => {
      try {
        return await this.locator.file(keyLockPath(key), (lock) =>
          withLock(lock.makeParents(), work, this.options.waitMs),
        );
      } catch (error) {
        // An existing file was just opened under the lock, so a missing one means its folder was
        // moved.
        throw isMissing(error) ? movedAway(path) : storeError(path, error);
      }
    });
  }
}

function movedAway(path: string): StoreError {
  const text = 'its folder was moved or removed meanwhile, so nothing was saved. Try again.';
  return new StoreError('io', `${path}: ${text}`);
}

async function readOnce(
  place: FileLocation,
  path: string,
): Promise<{ text?: string; whole: boolean }> {
  const { file } = place;
  if (file === undefined) return { whole: true };
  const text = await readNoteText(file, path, linkGuard(place.check));
  return { ...(text !== undefined && { text }), whole: isWhole(file, text) };
}

/**
 * Whether the text is as long as its file; it isn't if the file was being written during the read.
 */
function isWhole(file: string, text: string | undefined): boolean {
  const size = lstatSync(file, { throwIfNoEntry: false })?.size;
  return size === (text === undefined ? undefined : Buffer.byteLength(text));
}

/**
 * The journal of programs that write through the app. This store replaces notes atomically and
 * needs none, but before it uses a note, it completes writes that were interrupted.
 */
class DiskJournal implements JournalFiles {
  constructor(
    private readonly root: string,
    private readonly locator: FileLocator,
  ) {}

  /** Whether the app is writing the note with this key, or was interrupted. */
  isOpen(key: string): boolean {
    return existsSync(join(this.root, journalPath(key)));
  }

  keyOf(path: string): Promise<string> {
    return Promise.resolve(noteKey(path));
  }

  readFile(path: string): Promise<JournalFile | undefined> {
    return this.locator.file(path, async ({ file, check }) => {
      if (file === undefined) return undefined;
      try {
        const bytes = readBytes(file, path, linkGuard(check));
        const { mtimeMs } = await lstat(file);
        return { bytes, text: decodeUtf8(bytes), mtime: mtimeMs };
      } catch (error) {
        if (isMissing(error)) return undefined;
        throw error;
      }
    });
  }

  writeIfUnchanged(path: string, found: JournalFile | undefined, text: string): Promise<boolean> {
    return this.locator.file(path, (place) => {
      const replacement = { before: found?.bytes, after: text, lasting: true };
      return replaceIfUnchanged(place.makeParents(), path, replacement, linkGuard(place.check));
    });
  }

  remove(path: string): Promise<void> {
    return this.locator.file(path, async ({ file, check }) => {
      if (file === undefined) return;
      check();
      await unlink(file).catch(ifMissing(undefined));
    });
  }
}

/** The key of a note, which names its lock and its journal entry. */
export function noteKey(path: string): string {
  return createHash('sha256').update(foldedPath(path)).digest('hex').slice(0, KEY_LENGTH);
}
