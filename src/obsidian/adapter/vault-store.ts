import { KeyedQueue } from '../../core/keyed-queue';
import {
  JOURNAL_FOLDER,
  journalPath,
  keyText,
  recover,
  settle,
  writeEntry,
  type JournalFile,
  type Kept,
  type Settlement,
} from '../../core/board/journal';
import { isState } from '../../core/board/state-file';
import { noFolder } from '../../core/board/vault-path';
import { StoreError, type Entry, type NoteLock, type NoteStore, type Stat } from '../../core/ports';
import { decodeText, entriesOf, asStoreError, VaultSteps, type VaultFiles } from './vault-files';

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
  readonly onKept?: ((kept: Kept) => void) | undefined;
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
  private readonly doubtful = new Set<string>();

  constructor(
    private readonly files: VaultFiles,
    private readonly options: VaultStoreOptions = {},
  ) {
    this.steps = new VaultSteps(files);
    this.lock = options.lock ?? ownLock();
  }

  /** Queued with the writes, since the file is incomplete during a write. */
  read(path: string): Promise<string | undefined> {
    return this.queue.run(keyText(path), async () => {
      if (this.doubtful.has(path)) await this.locked(path, () => Promise.resolve());
      this.doubtful.delete(path);
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
    const text = await this.queue.run(keyText(path), () =>
      this.locked(path, (key) => this.updateNow(path, key, tried)),
    );
    if (thrown !== undefined) throw thrown.error;
    return text;
  }

  /** Not supported: an adapter reads only whole files. */
  append(): Promise<boolean> {
    return Promise.resolve(false);
  }

  async list(folder: string): Promise<readonly Entry[]> {
    const found = await asStoreError(folder, () => this.files.stat(folder));
    if (found === null) await this.refuseFileAbove(folder);
    if (found?.type === 'file') throw noFolder(folder);
    if (found === null) return [];
    return asStoreError(folder, () =>
      this.ifThere(folder, () => entriesOf(this.files, folder), []),
    );
  }

  async stat(path: string): Promise<Stat | undefined> {
    const found = await asStoreError(path, () => this.files.stat(path));
    return found?.type === 'file' ? { mtime: found.mtime, size: found.size } : undefined;
  }

  remove(path: string): Promise<void> {
    return this.queue.run(keyText(path), () =>
      this.locked(path, async () => {
        if ((await this.stat(path)) !== undefined) await this.files.remove(path);
      }),
    );
  }

  async rename(from: string, to: string): Promise<boolean> {
    const keys = [await this.steps.keyOf(from), await this.steps.keyOf(to)] as const;
    const inTurn = <T>(path: string, task: () => Promise<T>): Promise<T> =>
      this.queue.run(keyText(path), () => this.locked(path, task));
    const task = () => asStoreError(to, () => this.renameNow(from, to, keys[0] === keys[1]));
    if (keys[0] === keys[1]) return inTurn(from, task);
    // Locks in a fixed order: otherwise two opposite renames could deadlock.
    const [first, second] = keys[0] < keys[1] ? [from, to] : [to, from];
    return inTurn(first, () => inTurn(second, task));
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
        await asStoreError(path, () => this.lock.hold(key, () => this.settle(key)));
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
        throw new StoreError('not_utf8', `The text for ${path} has no UTF-8 form.`);
      }
      const extended = isState(path) ? await this.steps.extend(path, before, after) : undefined;
      if (extended !== undefined) return extended;
      this.doubtful.add(path);
      const written = await journaledWrite(this.steps, { key, path, before, after });
      this.doubtful.delete(path);
      if (written) return after;
    }
    throw new StoreError('busy', `${path} keeps changing, so it was not saved. Try again.`);
  }

  /** @param mends whether to remove a line of the state file that a crash cut within a character */
  private async readNow(path: string, mends = false): Promise<string | undefined> {
    const stat = await asStoreError(path, () => this.files.stat(path));
    if (stat === null) return this.refuseFileAbove(path);
    if (stat.type === 'folder') throw new StoreError('io', isFolder(path));
    if (stat.size > MAX_BYTES) {
      throw new StoreError('too_large', `${path} is larger than 16 MB, so it is not read.`);
    }
    const bytes = await asStoreError(path, () =>
      this.ifThere(path, () => this.files.readBinary(path), undefined),
    );
    if (bytes === undefined) return undefined;
    const text = decodeText(bytes);
    if (text !== undefined) return text;
    const lines = isState(path) ? decodeText(wholeLines(bytes)) : undefined;
    if (lines === undefined || lines === '') {
      throw new StoreError('not_utf8', `${path} is not valid UTF-8 text, so it is left as it is.`);
    }
    if (mends) await this.files.write(path, lines);
    return lines;
  }

  /** Returns `gone` if another program removed or renamed the file meanwhile. */
  private async ifThere<T, G>(path: string, read: () => Promise<T>, gone: G): Promise<T | G> {
    try {
      return await read();
    } catch (error) {
      if ((await this.files.stat(path)) === null) return gone;
      throw error;
    }
  }

  /** Throws if a parent of the missing path is a file, so that the path can't be created either. */
  private async refuseFileAbove(path: string): Promise<undefined> {
    const end = path.lastIndexOf('/');
    if (end < 0) return;
    const above = path.slice(0, end);
    const found = await asStoreError(above, () => this.files.stat(above));
    if (found?.type === 'file') throw noFolder(above);
    if (found === null) await this.refuseFileAbove(above);
  }

  /** Holds the note's lock, and first settles a journal entry that a crash left. */
  private locked<T>(path: string, task: (key: string) => Promise<T>): Promise<T> {
    return asStoreError(path, async () => {
      const key = await this.steps.keyOf(path);
      return this.lock.hold(key, async () => {
        if (await this.files.exists(journalPath(key))) await this.settle(key);
        return task(key);
      });
    });
  }

  private async settle(key: string): Promise<void> {
    const kept = await recover(this.steps, key);
    if (kept !== undefined) this.options.onKept?.(kept);
  }
}

function isFolder(path: string): string {
  return `${path} is a folder, where a file has to be. Move it away or remove it, then try again.`;
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
  await openEntry(steps, write);
  let written: boolean;
  try {
    written = await putAndCheck(steps, write);
  } catch (error) {
    written = await standsAfterAll(steps, write, error);
  }
  await closeEntry(steps, write.key);
  return written;
}

/** Writes the journal entry and verifies it before the note is touched. */
async function openEntry(steps: VaultSteps, { key, path, before, after }: Write): Promise<void> {
  const entry = journalPath(key);
  const text = writeEntry(path, before, after);
  try {
    // This creates the folder too. Journals hold texts of notes, which nobody should commit.
    if (!ignoring.has(steps)) {
      if ((await steps.look(IGNORE)) === undefined) await steps.put(IGNORE, undefined, '*\n');
      else ignoring.add(steps);
    }
    await steps.overwrite(entry, text);
    if ((await steps.look(entry))?.text === text) return;
  } catch (error) {
    await closeEntry(steps, key);
    throw error;
  }
  await closeEntry(steps, key);
  throw notKept(path);
}

const IGNORE = `${JOURNAL_FOLDER}/.gitignore`;

/**
 * Stores whose journal folder was seen to have its `.gitignore`; for others it is checked at each
 * write.
 */
const ignoring = new WeakSet<VaultSteps>();

/**
 * Removes the entry. If that fails the entry stays: it matches the note, so a recovery has nothing
 * to do.
 */
async function closeEntry(steps: VaultSteps, key: string): Promise<void> {
  try {
    await steps.remove(journalPath(key));
  } catch {
    return;
  }
}

async function putAndCheck(steps: VaultSteps, write: Write): Promise<boolean> {
  const { path, before, after } = write;
  const put =
    before === undefined
      ? await steps.put(path, undefined, after)
      : await steps.replace(path, before, after);
  if (!put) return false;
  for (let tries = 1; ; tries += 1) {
    const now = await steps.look(path);
    const state = stateOf(write, now);
    // Another writer overwrote the note at once without seeing this write: the caller applies the
    // edit to that text again.
    if (state !== 'write') return state === 'done';
    if (tries === MAX_CLAIMED_WRITES) throw notKept(path);
    await steps.put(path, now, after);
  }
}

/**
 * After an error, returns true if the new text was written anyway. Otherwise restores the old text
 * and throws the error.
 */
async function standsAfterAll(steps: VaultSteps, write: Write, error: unknown): Promise<true> {
  const { path, before, key } = write;
  const now = await steps.look(path);
  const state = stateOf(write, now);
  if (state === 'done') return true;
  if (state === 'write' && now?.text !== before) {
    if (before === undefined) await steps.remove(path);
    else await steps.put(path, now, before);
    if ((await steps.look(path))?.text !== before) throw error;
  }
  await closeEntry(steps, key);
  throw error;
}

function stateOf({ path, before, after }: Write, now: JournalFile | undefined): Settlement {
  const entry = { journal: 1 as const, path, before: before ?? null, after };
  return settle(entry, now && { ...now, lateMs: 0 });
}

function notKept(path: string): StoreError {
  const message = `${path} was not saved: the disk does not keep what is written to it.`;
  return new StoreError('io', message);
}

/** The lock of a program that is the vault's only writer: serializes the users of each key. */
export function ownLock(): NoteLock {
  const queue = new KeyedQueue();
  return { hold: (key, task) => queue.run(key, task) };
}
