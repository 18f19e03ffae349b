import { randomUUID } from 'node:crypto';
import { linkSync, realpathSync, unlinkSync, utimesSync } from 'node:fs';
import { mkdir, readdir, rename, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { StoreError } from '../core/ports';
import { isLeftBehind, readLock, thisProcess, type FoundLock, type Holder } from './holder';
import { systemCode } from './store-error';

/** Where locks stand, relative to the vault; every program that writes notes uses the same. */
export const LOCK_FOLDER = '.opencode/agent-task-boards/locks';

/** How long a caller waits for a live holder, ms: a write takes milliseconds, so this is patience. */
const PATIENCE = 15_000;
/** A sixth of the silence after which others give a lock up, ms. */
const HEARTBEAT = 10_000;

/** The lock file of the note with this key. */
export function keyLockFile(root: string, key: string): string {
  return join(root, keyLockPath(key));
}

/** The same, relative to the vault. */
export function keyLockPath(key: string): string {
  return `${LOCK_FOLDER}/${key}.lock`;
}

/**
 * Runs `task` while this process holds the lock `file`, among all processes of all machines that
 * see the folder. `over` says that the lock was taken over from a holder that is gone, which may
 * have left temporary files. Not reentrant.
 * @throws StoreError `busy` where a live holder keeps it for longer than `waitMs`
 */
export async function withLock<T>(
  file: string,
  task: (over: boolean) => Promise<T>,
  waitMs = PATIENCE,
): Promise<T> {
  const { over, release } = await takeLock(file, waitMs);
  try {
    return await task(over);
  } finally {
    release();
  }
}

/**
 * Takes a lock for longer than a task, as for the life of a process.
 * @returns `release` gives it back; synchronous, so that a process can do it when it ends
 * @throws StoreError `busy` as above
 */
export async function takeLock(
  file: string,
  waitMs = PATIENCE,
): Promise<{ readonly over: boolean; readonly release: () => void }> {
  const over = await acquire(file, waitMs);
  const self = await thisProcess();
  const beat = setInterval(() => void touch(file), HEARTBEAT);
  // In the app's window a timer is a number, which keeps nothing alive.
  (beat as Partial<NodeJS.Timeout>).unref?.();
  const release = (): void => {
    clearInterval(beat);
    letGo(file, self);
  };
  return { over, release };
}

async function acquire(file: string, waitMs: number): Promise<boolean> {
  const self = await thisProcess();
  const until = Date.now() + waitMs;
  let over = false;
  while (!(await place(file, self))) {
    const found = readLock(file);
    if (found === undefined) continue;
    if (isLeftBehind(found, self, Date.now())) {
      await evict(file, self, waitMs);
      over = true;
    } else if (Date.now() >= until) {
      throw new StoreError('busy', busyMessage(found));
    } else {
      await pause(1 + Math.random() * 15);
    }
  }
  return over;
}

/**
 * The lock is a hard link to a file with this process's description, so that it appears whole or
 * not at all. That file is made once per process; its time is fresh whenever a link is made.
 */
async function place(file: string, self: Holder): Promise<boolean> {
  const own = join(dirname(file), `${self.nonce}.holder`);
  for (;;) {
    try {
      const now = new Date();
      utimesSync(own, now, now);
      linkSync(own, file);
      return true;
    } catch (error) {
      const code = systemCode(error);
      if (code === 'EEXIST') return false;
      if (code === 'ENOENT') await makeHolderFile(own, self);
      else if (NO_LINKS.has(code ?? '')) return placeWithoutLinks(file, self);
      else throw error;
    }
  }
}

/** What file systems without hard links answer. */
const NO_LINKS = new Set(['EPERM', 'ENOSYS', 'ENOTSUP', 'EOPNOTSUPP', 'EMLINK', 'EXDEV']);

async function placeWithoutLinks(file: string, self: Holder): Promise<boolean> {
  try {
    await writeFile(file, JSON.stringify(self), { flag: 'wx' });
    return true;
  } catch (error) {
    if (systemCode(error) === 'EEXIST') return false;
    throw error;
  }
}

async function makeHolderFile(own: string, self: Holder): Promise<void> {
  const folder = dirname(own);
  await mkdir(folder, { recursive: true });
  // The state beside the locks is no part of the vault's history. The system follows the dots: the
  // folder may be named by its handle.
  const ignore = `${folder}/../.gitignore`;
  await writeFile(ignore, '*\n', { flag: 'wx' }).catch((error: unknown) => {
    if (systemCode(error) !== 'EEXIST') throw error;
  });
  await sweep(folder, self);
  // Two calls of this process may make it at once: neither may empty what the other has linked.
  const whole = `${own}.${randomUUID()}`;
  try {
    await writeFile(whole, JSON.stringify(self));
    await rename(whole, own);
  } catch (error) {
    unlinkQuietly(whole);
    throw error;
  }
  if (atExit.size === 0) process.once('exit', () => atExit.forEach(unlinkQuietly));
  atExit.add(realpathSync(own));
}

/** What this process made beside its locks, one file for each vault. */
const atExit = new Set<string>();

/** Removes what processes that are gone left beside their locks; locks themselves stay. */
async function sweep(folder: string, self: Holder): Promise<void> {
  for (const name of await readdir(folder)) {
    if (!name.includes('.holder')) continue;
    const file = join(folder, name);
    const found = readLock(file);
    if (found === undefined || found.holder?.host !== self.host) continue;
    if (isLeftBehind(found, self, Date.now())) unlinkIfThere(file);
  }
}

/**
 * Removes a lock that was left behind. Only the holder of the lock's own lock may: else a second
 * process, which judged the old lock, could remove the one that a third has just placed.
 */
async function evict(file: string, self: Holder, waitMs: number): Promise<void> {
  const guard = `${file}.takeover`;
  await acquire(guard, waitMs);
  try {
    const found = readLock(file);
    if (found !== undefined && isLeftBehind(found, self, Date.now())) unlinkIfThere(file);
  } finally {
    letGo(guard, self);
  }
}

/** Another machine may have passed over us: a lock that is no longer ours stays. */
function letGo(file: string, self: Holder): void {
  const found = readLock(file);
  if (found?.holder?.nonce === self.nonce) unlinkIfThere(file);
}

async function touch(file: string): Promise<void> {
  const now = new Date();
  // A lock that someone removed needs no sign of life; release notices.
  await utimes(file, now, now).catch(() => undefined);
}

function unlinkIfThere(file: string): void {
  try {
    unlinkSync(file);
  } catch (error) {
    if (systemCode(error) !== 'ENOENT') throw error;
  }
}

/** At the end of the process there is no one left to tell; the next process sweeps. */
function unlinkQuietly(file: string): void {
  try {
    unlinkSync(file);
  } catch {
    return;
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

function busyMessage({ holder }: FoundLock): string {
  const who = holder === undefined ? 'Another program' : `Process ${holder.pid} on ${holder.host}`;
  return `${who} is writing this note. Try again in a moment.`;
}
