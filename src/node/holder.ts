import { randomUUID } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { readlink } from 'node:fs/promises';
import { hostname, uptime } from 'node:os';
import process from 'node:process';
import { systemCode } from './store-error';

/** Who holds a lock: the whole content of a lock file. */
export interface Holder {
  readonly pid: number;
  /** name of the machine and its table of processes: a pid means something only there */
  readonly host: string;
  /** drawn once per process; a pid is used again, this is not */
  readonly nonce: string;
}

/** A lock as found: `holder` is undefined where the content can't be read. */
export interface FoundLock {
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

/** The lock in `file`, undefined where there is none. */
export function readLock(file: string): FoundLock | undefined {
  try {
    const text = readFileSync(file, 'utf8');
    const { mtimeMs } = statSync(file);
    return { holder: parseHolder(text), heartbeat: mtimeMs };
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined;
    throw error;
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
