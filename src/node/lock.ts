import { randomUUID } from 'node:crypto';
import { linkSync, realpathSync, statSync, unlinkSync, utimesSync } from 'node:fs';
import { mkdir, readdir, readlink, rename, utimes, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import process from 'node:process';
import { StoreError } from '../core/ports';
import { isMissing, systemCode } from './store-error';
import { hostname, uptime } from 'node:os';
import { FOLLOWING, readBytes } from './read-file';

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
export const NO_LINKS: ReadonlySet<string> = new Set([
  'EPERM',
  'ENOSYS',
  'ENOTSUP',
  'EOPNOTSUPP',
  'EMLINK',
  'EXDEV',
]);

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
export function unlinkQuietly(file: string): void {
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

/** Who holds a lock: the whole content of a lock file. */
export interface Holder {
  readonly pid: number;
  /** name of the machine and its table of processes: a pid means something only there */
  readonly host: string;
  /** drawn once per process; a pid is used again, this is not */
  readonly nonce: string;
}

/** A lock as found: `holder` is undefined where the content can't be read. */
interface FoundLock {
  readonly holder: Holder | undefined;
  /** ms since the epoch of the last sign of life */
  readonly heartbeat: number;
}

/** After this long without a heartbeat a lock of another machine counts as left behind, ms. */
const SILENCE = 60_000;

/** Clocks of a file system and of the process may differ by this much, ms. */
const SLACK = 5_000;

const shared = Symbol.for('agent-task-boards.lock-holder');

/** This process as a holder: the same for every copy of this module that the process has loaded. */
export function thisProcess(): Promise<Holder> {
  const place = globalThis as unknown as Record<symbol, Promise<Holder> | undefined>;
  return (place[shared] ??= describeProcess());
}

async function describeProcess(): Promise<Holder> {
  // Sandboxes (Flatpak, containers) may share the host name and yet count processes anew.
  const processes = await readlink('/proc/self/ns/pid').catch(() => '');
  return { pid: process.pid, host: `${hostname()} ${processes}`.trim(), nonce: randomUUID() };
}

/** The lock in `file`, undefined where there is none. @throws StoreError `io` where it is no file */
export function readLock(file: string): FoundLock | undefined {
  try {
    const text = readBytes(file, file, FOLLOWING).toString('utf8');
    const { mtimeMs } = statSync(file);
    return { holder: parseHolder(text), heartbeat: mtimeMs };
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined;
    if (!(error instanceof StoreError)) throw error;
    throw new StoreError(
      error.code,
      error.message.replace(file, () => realName(file)),
    );
  }
}

/**
 * Its folder may be named by a handle, which tells a person nothing. Whoever moves the folder
 * meanwhile takes the name away, not the lock: it would stay for ever if it counted as missing.
 */
function realName(file: string): string {
  try {
    return `${realpathSync(dirname(file))}/${basename(file)}`;
  } catch (error) {
    if (!isMissing(error)) throw error;
    return file;
  }
}

function parseHolder(text: string): Holder | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (typeof value !== 'object' || value === null) return undefined;
  const { pid, host, nonce } = value as Partial<Record<string, unknown>>;
  if (!Number.isSafeInteger(pid) || typeof host !== 'string' || typeof nonce !== 'string') {
    return undefined;
  }
  return { pid: pid as number, host, nonce };
}

/**
 * Whether the holder is gone for certain: dead on this machine, or silent for a minute where its
 * process can't be looked at. A live process on this machine keeps its lock however long it is silent.
 */
export function isLeftBehind(lock: FoundLock, self: Holder, now: number): boolean {
  const { holder, heartbeat } = lock;
  if (holder === undefined || holder.host !== self.host) return now - heartbeat > SILENCE;
  if (holder.pid === self.pid) return holder.nonce !== self.nonce;
  if (heartbeat < now - uptime() * 1000 - SLACK) return true;
  return !isAlive(holder.pid);
}

/** Whether a process of this machine runs. One that we may not signal does. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return systemCode(error) !== 'ESRCH';
  }
}
