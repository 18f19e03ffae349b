import { randomUUID } from 'node:crypto';
import { linkSync, lstatSync, realpathSync, statSync, unlinkSync, utimesSync } from 'node:fs';
import { mkdir, readdir, readlink, rename, utimes, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import process from 'node:process';
import { StoreError } from '../core/ports';
import { isMissing, notAFile, systemCode } from './store-error';
import { hostname, uptime } from 'node:os';
import { FOLLOW_LINKS, readBytes } from './read-file';

/** Folder of the locks, relative to the vault. All programs that write notes use it. */
export const LOCK_FOLDER = '.opencode/agent-task-boards/locks';

/** ms to wait for a live holder. A write takes milliseconds, so this is generous. */
const MAX_WAIT = 15_000;

/** ms between heartbeats; a sixth of the silence after which others consider a lock abandoned. */
const HEARTBEAT = 10_000;

/** The lock file of the note with this key. */
export function keyLockFile(root: string, key: string): string {
  return join(root, keyLockPath(key));
}

/** Path of that file, relative to the vault. */
export function keyLockPath(key: string): string {
  return `${LOCK_FOLDER}/${key}.lock`;
}

/**
 * Runs `task` while this process holds the lock `file`, among all processes on all machines that
 * see the folder. `over` is true if the lock was taken over from a holder that is gone, which may
 * have left temporary files. Not reentrant.
 * @throws StoreError `busy` if a live holder keeps it longer than `waitMs`, `io` if something else
 * is in the lock's place
 */
export async function withLock<T>(
  file: string,
  task: (over: boolean) => Promise<T>,
  waitMs = MAX_WAIT,
): Promise<T> {
  const { over, release } = await takeLock(file, waitMs);
  try {
    return await task(over);
  } finally {
    release();
  }
}

/**
 * Takes a lock for longer than a task, such as for the life of a process.
 * @returns `release` is synchronous, so that a process can call it when it ends
 * @throws StoreError `busy` as above
 */
export async function takeLock(
  file: string,
  waitMs = MAX_WAIT,
): Promise<{ readonly over: boolean; readonly release: () => void }> {
  const over = await acquire(file, waitMs);
  const self = await thisProcess();
  const beat = setInterval(() => void touch(file), HEARTBEAT);
  // In the app's window, a timer is a number, which keeps no process alive.
  (beat as Partial<NodeJS.Timeout>).unref?.();
  const release = (): void => {
    clearInterval(beat);
    releaseLock(file, self);
  };
  return { over, release };
}

async function acquire(file: string, waitMs: number): Promise<boolean> {
  const self = await thisProcess();
  const until = performance.now() + waitMs;
  let over = false;
  while (!(await createLock(file, self))) {
    const found = readLock(file);
    if (found === undefined) {
      // A link to nowhere can be neither read nor replaced, so trying again would never end.
      const there = lstatSync(file, { throwIfNoEntry: false });
      if (there?.isSymbolicLink() === true) throw notAFile(realName(file), there);
    } else if (isAbandoned(found, self, Date.now())) {
      await removeAbandoned(file, self, waitMs);
      over = true;
    } else if (performance.now() >= until) {
      throw new StoreError('busy', busyMessage(found));
    } else {
      await pause(1 + Math.random() * 15);
    }
  }
  return over;
}

/**
 * Creates the lock as a hard link to a file that describes this process, so that it appears whole
 * or not at all. That file is created once per process; its time is updated before each link.
 */
async function createLock(file: string, self: Holder): Promise<boolean> {
  const holderFile = join(dirname(file), `${self.nonce}.holder`);
  for (;;) {
    try {
      const now = new Date();
      utimesSync(holderFile, now, now);
      linkSync(holderFile, file);
      return true;
    } catch (error) {
      const code = systemCode(error);
      if (code === 'EEXIST') return false;
      if (code === 'ENOENT') await makeHolderFile(holderFile, self);
      else if (NO_LINK_CODES.has(code ?? '')) return createLockWithoutLinks(file, self);
      else throw error;
    }
  }
}

/** Error codes of file systems without hard links. */
export const NO_LINK_CODES: ReadonlySet<string> = new Set([
  'EPERM',
  'ENOSYS',
  'ENOTSUP',
  'EOPNOTSUPP',
  'EMLINK',
  'EXDEV',
]);

async function createLockWithoutLinks(file: string, self: Holder): Promise<boolean> {
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
  // Keeps the state out of git. The system resolves "..", since the folder may be named by its
  // handle.
  const ignore = `${folder}/../.gitignore`;
  await writeFile(ignore, '*\n', { flag: 'wx' }).catch((error: unknown) => {
    if (systemCode(error) !== 'EEXIST') throw error;
  });
  await removeStaleHolders(folder, self);
  // Two calls in this process may do this at once, and neither may empty a file the other has
  // linked.
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

/** Holder files created by this process, one for each vault; removed when it exits. */
const atExit = new Set<string>();

/** Removes holder files of processes that are gone, but not locks. */
async function removeStaleHolders(folder: string, self: Holder): Promise<void> {
  for (const name of await readdir(folder)) {
    if (!name.includes('.holder')) continue;
    const file = join(folder, name);
    const found = readLock(file);
    if (found === undefined || found.holder?.host !== self.host) continue;
    if (isAbandoned(found, self, Date.now())) unlinkIfThere(file);
  }
}

/**
 * Removes an abandoned lock while holding a lock on it. Otherwise another process that had judged
 * the old lock as abandoned could remove the one that a third has just placed.
 */
async function removeAbandoned(file: string, self: Holder, waitMs: number): Promise<void> {
  const guard = `${file}.takeover`;
  await acquire(guard, waitMs);
  try {
    const found = readLock(file);
    if (found !== undefined && isAbandoned(found, self, Date.now())) unlinkIfThere(file);
  } finally {
    releaseLock(guard, self);
  }
}

/** Releases a lock, unless another machine has taken it over meanwhile. */
function releaseLock(file: string, self: Holder): void {
  const found = readLock(file);
  if (found?.holder?.nonce === self.nonce) unlinkIfThere(file);
}

async function touch(file: string): Promise<void> {
  const now = new Date();
  // If someone removed the lock, no heartbeat is needed; `release` notices.
  await utimes(file, now, now).catch(() => undefined);
}

function unlinkIfThere(file: string): void {
  try {
    unlinkSync(file);
  } catch (error) {
    if (systemCode(error) !== 'ENOENT') throw error;
  }
}

/**
 * Ignores errors: when the process ends there is nobody to tell, and the next process cleans up.
 */
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

/** The holder of a lock: the content of a lock file. */
export interface Holder {
  readonly pid: number;
  /** the machine and its process namespace, within which the pid is valid */
  readonly host: string;
  /** random value of the process; unlike a pid, it is never reused */
  readonly nonce: string;
}

/** A lock that was found. `holder` is undefined if its content can't be read. */
interface FoundLock {
  readonly holder: Holder | undefined;
  /** time of the last heartbeat; ms since the epoch */
  readonly heartbeat: number;
}

/** ms without a heartbeat after which a lock of another machine counts as abandoned. */
const ABANDONED_AFTER = 60_000;

/** ms by which the clocks of a file system and the process may differ. */
const CLOCK_TOLERANCE = 5_000;

const HOLDER_KEY = Symbol.for('agent-task-boards.lock-holder');

/** This process as a holder. Shared by all copies of this module that the process has loaded. */
export function thisProcess(): Promise<Holder> {
  const place = globalThis as unknown as Record<symbol, Promise<Holder> | undefined>;
  return (place[HOLDER_KEY] ??= describeProcess());
}

async function describeProcess(): Promise<Holder> {
  // Sandboxes (Flatpak, containers) may share the host name but have their own process ids.
  const processes = await readlink('/proc/self/ns/pid').catch(() => '');
  return { pid: process.pid, host: `${hostname()} ${processes}`.trim(), nonce: randomUUID() };
}

/**
 * The lock in `file`; undefined if there is none.
 * @throws StoreError `io` if it is not a regular file
 */
export function readLock(file: string): FoundLock | undefined {
  try {
    const text = readBytes(file, file, FOLLOW_LINKS).toString('utf8');
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
 * The lock's name for messages, since its folder may be given by a handle. If the folder was moved
 * meanwhile, returns the name as it is: treating the lock as missing would leave it there forever.
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
 * Whether the holder is certainly gone: dead on this machine, or silent for a minute if its process
 * can't be checked. A live process on this machine keeps its lock however long it is silent.
 */
export function isAbandoned(lock: FoundLock, self: Holder, now: number): boolean {
  const { holder, heartbeat } = lock;
  if (holder === undefined || holder.host !== self.host) return now - heartbeat > ABANDONED_AFTER;
  if (holder.pid === self.pid) return holder.nonce !== self.nonce;
  if (heartbeat < now - uptime() * 1000 - CLOCK_TOLERANCE) return true;
  return !isAlive(holder.pid);
}

/** Whether a process of this machine is running; true also if we may not signal it. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return systemCode(error) !== 'ESRCH';
  }
}
