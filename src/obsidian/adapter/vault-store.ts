import { KeyedQueue } from '../../core/keyed-queue';
import {
  JOURNAL_FOLDER,
  journalPath,
  foldedPath,
  recover,
  decideRecovery,
  writeEntry,
  type JournalFile,
  type KeptText,
  type RecoveryAction,
} from '../../core/board/journal';
import { isStateFile } from '../../core/board/state-file';
import { notAFolderError } from '../../core/board/vault-path';
import { utf8Length } from '../../protocol/frame-limits';
import { StoreError, type Entry, type NoteLock, type NoteStore, type Stat } from '../../core/ports';
import { storeRefusal } from '../../core/fault/store-faults';
import { decodeText, entriesOf, withStoreErrors, VaultSteps, type VaultFiles } from './vault-files';

/** Maximum bytes of a note that is read; a board of 5,000 tasks has about 1 MB. */
const MAX_BYTES = 16 * 1024 * 1024;

/** Maximum attempts of a write when other writers interfere. */
const MAX_TRIES = 8;

const NEWLINE = 10;

interface VaultStoreOptions {
  /**
   * Renames a file through the app, which updates links and creates the new folder.
   * @returns false if the app does not know the file
   */
  readonly rename?: ((from: string, to: string) => Promise<boolean>) | undefined;
  /**
   * shared with the other programs of the machine; without it, this store must be the vault's only
   * writer
   */
  readonly lock?: NoteLock | undefined;
  /** called for a text that was kept beside its note, since another writer has changed the note */
  readonly onKept?: ((kept: KeptText) => void) | undefined;
}

/**
 * The NoteStore over a vault's adapter. Keeps bytes exactly and serializes the writes of each path.
 * The adapter writes in place, so each write is recorded in the journal first.
 */
export class VaultStore implements NoteStore {
  private readonly queue = new KeyedQueue();
  private readonly steps: VaultSteps;
  private readonly lock: NoteLock;
  /** Notes whose last write failed, so that their journal entry may be left. */
  private readonly mayNeedRecovery = new Set<string>();
  /** State files that end with a whole line, with their bytes after this store's last write. */
  private readonly sizes = new Map<string, number>();

  constructor(
    private readonly files: VaultFiles,
    private readonly options: VaultStoreOptions = {},
  ) {
    this.steps = new VaultSteps(files);
    this.lock = options.lock ?? inProcessLock();
  }

  /** Queued with the writes, since the file is incomplete during a write. */
  read(path: string): Promise<string | undefined> {
    return this.queue.run(foldedPath(path), async () => {
      if (this.mayNeedRecovery.has(path)) await this.withLock(path, () => Promise.resolve());
      this.mayNeedRecovery.delete(path);
      return this.readNow(path);
    });
  }

  async update(
    path: string,
    edit: (text: string | undefined) => string | undefined,
  ): Promise<string | undefined> {
    let thrown: { readonly error: unknown } | undefined;
    const tried = (text: string | undefined): string | undefined => {
      try {
        return edit(text);
      } catch (error) {
        thrown = { error };
        return undefined;
      }
    };
    const text = await this.queue.run(foldedPath(path), () =>
      this.withLock(path, (key) => this.updateNow(path, key, tried)),
    );
    if (thrown !== undefined) throw thrown.error;
    return text;
  }

  /** Since an adapter reads only whole files, only after a write of this store. */
  append(path: string, lines: string, most: number): Promise<boolean> {
    if (!this.sizes.has(path)) return Promise.resolve(false);
    return this.queue.run(foldedPath(path), () =>
      this.withLock(path, async () => {
        const size = this.sizes.get(path);
        if (size === undefined || size + utf8Length(lines) > most) return false;
        if ((await this.files.stat(path))?.size !== size) return false;
        return (await this.appendNow(path, size, lines)) !== undefined;
      }),
    );
  }

  async list(folder: string): Promise<readonly Entry[]> {
    const found = await withStoreErrors(folder, () => this.files.stat(folder));
    if (found === null) await this.throwIfParentIsFile(folder);
    if (found?.type === 'file') throw notAFolderError(folder);
    if (found === null) return [];
    return withStoreErrors(folder, () =>
      this.ifExists(folder, () => entriesOf(this.files, folder), []),
    );
  }

  async stat(path: string): Promise<Stat | undefined> {
    const found = await withStoreErrors(path, () => this.files.stat(path));
    return found?.type === 'file' ? { mtime: found.mtime, size: found.size } : undefined;
  }

  remove(path: string): Promise<void> {
    return this.queue.run(foldedPath(path), () =>
      this.withLock(path, async () => {
        if ((await this.stat(path)) !== undefined) await this.files.remove(path);
      }),
    );
  }

  async rename(from: string, to: string): Promise<boolean> {
    const keys = [await this.steps.keyOf(from), await this.steps.keyOf(to)] as const;
    const runExclusively = <T>(path: string, task: () => Promise<T>): Promise<T> =>
      this.queue.run(foldedPath(path), () => this.withLock(path, task));
    const task = () => withStoreErrors(to, () => this.renameNow(from, to, keys[0] === keys[1]));
    if (keys[0] === keys[1]) return runExclusively(from, task);
    // Locks in a fixed order: otherwise two opposite renames could deadlock.
    const [first, second] = keys[0] < keys[1] ? [from, to] : [to, from];
    return runExclusively(first, () => runExclusively(second, task));
  }

  private async renameNow(from: string, to: string, isSame: boolean): Promise<boolean> {
    const { files } = this;
    if ((await files.stat(from))?.type !== 'file') return false;
    // On a case-insensitive file system, a name that differs only in case is the same file.
    if (!isSame && (await files.stat(to)) !== null) return false;
    if ((await this.options.rename?.(from, to)) !== true) {
      await this.steps.makeFolders(to);
      await files.rename(from, to);
    }
    const folder = from.slice(0, Math.max(0, from.lastIndexOf('/')));
    if (folder !== '' && (await entriesOf(files, folder)).length === 0) {
      await files.rmdir(folder, false);
    }
    return true;
  }

  /**
   * Completes all writes that a crash of the app interrupted. A crash during recovery does no harm.
   * @returns one sentence for each write that failed; it is tried again when its note is used
   */
  async recover(): Promise<readonly string[]> {
    const faults: string[] = [];
    for (const { name, kind } of await this.list(JOURNAL_FOLDER)) {
      const key = kind === 'file' ? /^([0-9a-f]+)\.json$/.exec(name)?.[1] : undefined;
      if (key === undefined) continue;
      const path = `${JOURNAL_FOLDER}/${name}`;
      try {
        await withStoreErrors(path, () => this.lock.hold(key, () => this.recoverEntry(key)));
      } catch (error) {
        if (!(error instanceof StoreError)) throw error;
        faults.push(error.message);
      }
    }
    return faults;
  }

  private async updateNow(
    path: string,
    key: string,
    edit: (text: string | undefined) => string | undefined,
  ): Promise<string | undefined> {
    for (let tries = 0; tries < MAX_TRIES; tries += 1) {
      const before = await this.readNow(path, true);
      const after = edit(before);
      if (after === undefined || after === before) return before;
      if (/\p{Surrogate}/u.test(after)) {
        throw storeRefusal('not_utf8', 'noUtf8Form', { path });
      }
      const extended = isStateFile(path) ? await this.extend(path, before, after) : undefined;
      if (extended !== undefined) return extended;
      this.mayNeedRecovery.add(path);
      const written = await journaledWrite(this.steps, { key, path, before, after });
      this.mayNeedRecovery.delete(path);
      if (written) {
        this.remember(path, after, utf8Length(after));
        return after;
      }
    }
    throw storeRefusal('busy', 'keepsChanging', { path });
  }

  /**
   * Appends the part of the new text that follows the old text.
   * @returns the file's text; undefined if the new text does not extend the old one, or was not
   *   kept
   */
  private async extend(
    path: string,
    before: string | undefined,
    after: string,
  ): Promise<string | undefined> {
    if (before === undefined || before === '' || !after.startsWith(before)) return undefined;
    const size = await this.appendNow(path, utf8Length(before), after.slice(before.length));
    if (size === undefined) return undefined;
    return size === utf8Length(after) ? after : this.readNow(path);
  }

  private async appendNow(path: string, size: number, lines: string): Promise<number | undefined> {
    this.sizes.delete(path);
    const grown = await this.steps.append(path, size, lines);
    if (grown !== undefined) this.remember(path, lines, grown);
    return grown;
  }

  /** @param text how the file ends */
  private remember(path: string, text: string, size: number): void {
    if (isStateFile(path) && text.endsWith('\n')) this.sizes.set(path, size);
    else this.sizes.delete(path);
  }

  /** @param mends whether to remove a line of the state file that a crash cut within a character */
  private async readNow(path: string, mends = false): Promise<string | undefined> {
    const stat = await withStoreErrors(path, () => this.files.stat(path));
    if (stat === null) return this.throwIfParentIsFile(path);
    if (stat.type === 'folder') throw storeRefusal('io', 'isFolder', { path });
    if (stat.size > MAX_BYTES) {
      throw storeRefusal('too_large', 'tooLarge', { path });
    }
    const bytes = await withStoreErrors(path, () =>
      this.ifExists(path, () => this.files.readBinary(path), undefined),
    );
    if (bytes === undefined) return undefined;
    const text = decodeText(bytes);
    if (text !== undefined) return text;
    const lines = isStateFile(path) ? decodeText(wholeLines(bytes)) : undefined;
    if (lines === undefined || lines === '') {
      throw storeRefusal('not_utf8', 'notUtf8', { path });
    }
    if (mends) await this.files.write(path, lines);
    return lines;
  }

  /** Returns `gone` if another program removed or renamed the file meanwhile. */
  private async ifExists<T, G>(path: string, read: () => Promise<T>, gone: G): Promise<T | G> {
    try {
      return await read();
    } catch (error) {
      if ((await this.files.stat(path)) === null) return gone;
      throw error;
    }
  }

  /** Throws if a parent of the missing path is a file, so that the path can't be created either. */
  private async throwIfParentIsFile(path: string): Promise<undefined> {
    const end = path.lastIndexOf('/');
    if (end < 0) return;
    const above = path.slice(0, end);
    const found = await withStoreErrors(above, () => this.files.stat(above));
    if (found?.type === 'file') throw notAFolderError(above);
    if (found === null) await this.throwIfParentIsFile(above);
  }

  /** Holds the note's lock, and first settles a journal entry that a crash left. */
  private withLock<T>(path: string, task: (key: string) => Promise<T>): Promise<T> {
    return withStoreErrors(path, async () => {
      const key = await this.steps.keyOf(path);
      return this.lock.hold(key, async () => {
        if (await this.files.exists(journalPath(key))) await this.recoverEntry(key);
        return task(key);
      });
    });
  }

  private async recoverEntry(key: string): Promise<void> {
    const kept = await recover(this.steps, key);
    if (kept !== undefined) this.options.onKept?.(kept);
  }
}

function wholeLines(bytes: ArrayBuffer): ArrayBuffer {
  return bytes.slice(0, new Uint8Array(bytes).lastIndexOf(NEWLINE) + 1);
}

/** Maximum attempts of a write that the adapter reports as done without doing it. */
const MAX_CLAIMED_WRITES = 3;

/** A write to a note, with the text it is based on. */
interface Write {
  readonly key: string;
  readonly path: string;
  readonly before: string | undefined;
  readonly after: string;
}

/**
 * Writes a note so that a crash at any moment is recoverable: writes the new text to the journal,
 * then to the note, reads the note back, then removes the entry. Requires the note's lock. If an
 * error leaves the note truncated, restores the old text; if that fails too, keeps the entry.
 * @returns false if another writer has changed the note; its text is kept then
 */
async function journaledWrite(steps: VaultSteps, write: Write): Promise<boolean> {
  await writeJournalEntry(steps, write);
  let written: boolean;
  try {
    written = await writeAndVerify(steps, write);
  } catch (error) {
    written = await verifyOrRestore(steps, write, error);
  }
  await removeJournalEntry(steps, write.key);
  return written;
}

/** Writes the journal entry and verifies it before the note is touched. */
async function writeJournalEntry(
  steps: VaultSteps,
  { key, path, before, after }: Write,
): Promise<void> {
  const entry = journalPath(key);
  const text = writeEntry(path, before, after);
  try {
    // This creates the folder too. Journals hold texts of notes, which nobody should commit.
    if (!storesWithGitignore.has(steps)) {
      if ((await steps.readFile(GITIGNORE_PATH)) === undefined)
        await steps.writeIfUnchanged(GITIGNORE_PATH, undefined, '*\n');
      else storesWithGitignore.add(steps);
    }
    await steps.overwrite(entry, text);
    if ((await steps.readFile(entry))?.text === text) return;
  } catch (error) {
    await removeJournalEntry(steps, key);
    throw error;
  }
  await removeJournalEntry(steps, key);
  throw storeRefusal('io', 'notKept', { path });
}

const GITIGNORE_PATH = `${JOURNAL_FOLDER}/.gitignore`;

/**
 * Stores whose journal folder was seen to have its `.gitignore`; for others it is checked at each
 * write.
 */
const storesWithGitignore = new WeakSet<VaultSteps>();

/**
 * Removes the entry. If that fails the entry stays: it matches the note, so a recovery has nothing
 * to do.
 */
async function removeJournalEntry(steps: VaultSteps, key: string): Promise<void> {
  try {
    await steps.remove(journalPath(key));
  } catch {
    return;
  }
}

async function writeAndVerify(steps: VaultSteps, write: Write): Promise<boolean> {
  const { path, before, after } = write;
  const put =
    before === undefined
      ? await steps.writeIfUnchanged(path, undefined, after)
      : await steps.replace(path, before, after);
  if (!put) return false;
  for (let tries = 1; ; tries += 1) {
    const now = await steps.readFile(path);
    const state = stateOf(write, now);
    // Another writer overwrote the note at once without seeing this write: the caller applies the
    // edit to that text again.
    if (state !== 'write') return state === 'done';
    if (tries === MAX_CLAIMED_WRITES) throw storeRefusal('io', 'notKept', { path });
    await steps.writeIfUnchanged(path, now, after);
  }
}

/**
 * After an error, returns true if the new text was written anyway. Otherwise restores the old text
 * and throws the error.
 */
async function verifyOrRestore(steps: VaultSteps, write: Write, error: unknown): Promise<true> {
  const { path, before, key } = write;
  const now = await steps.readFile(path);
  const state = stateOf(write, now);
  if (state === 'done') return true;
  if (state === 'write' && now?.text !== before) {
    if (before === undefined) await steps.remove(path);
    else await steps.writeIfUnchanged(path, now, before);
    if ((await steps.readFile(path))?.text !== before) throw error;
  }
  await removeJournalEntry(steps, key);
  throw error;
}

function stateOf({ path, before, after }: Write, now: JournalFile | undefined): RecoveryAction {
  const entry = { journal: 1 as const, path, before: before ?? null, after };
  return decideRecovery(entry, now && { ...now, lateMs: 0 });
}

/** The lock of a program that is the vault's only writer: serializes the users of each key. */
export function inProcessLock(): NoteLock {
  const queue = new KeyedQueue();
  return { hold: (key, task) => queue.run(key, task) };
}
