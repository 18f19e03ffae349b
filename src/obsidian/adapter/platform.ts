import type { Clock, Ids, NoteLock } from '../../core/ports';
import type { Digest } from '../../core/permission/audit/audit-chain';
import type { RealPaths } from '../../core/permission/path-resolver';

/** The Clock of a running app: the system's time, the window's timers. */
export const windowClock: Clock = {
  now: () => Date.now(),
  today: () => isoDate(new Date()),
  after: (ms, task) => {
    const timer = window.setTimeout(task, ms);
    return () => window.clearTimeout(timer);
  },
};

/** `YYYY-MM-DD`, where the person is. */
export function isoDate(date: Date): string {
  const month = String(date.getMonth() + 1).padStart(2, '0');
  const day = String(date.getDate()).padStart(2, '0');
  return `${date.getFullYear()}-${month}-${day}`;
}

/** Ids from the system's source of chance. */
export const randomIds: Ids = {
  unique: () => crypto.randomUUID(),
  random: () => {
    const [word = 0] = crypto.getRandomValues(new Uint32Array(1));
    return word / 2 ** 32;
  },
};

/** By the platform itself. */
export const webSha256: Digest = (text) => hexDigest(new TextEncoder().encode(text));

/** SHA-256 in hexadecimal digits. */
export async function hexDigest(bytes: BufferSource): Promise<string> {
  const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
  return [...hash].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** What is loaded when it is first needed; where that fails the next one who needs it tries again. */
function lazy<T>(load: () => Promise<T>): () => Promise<T> {
  let loading: Promise<T> | undefined;
  return () =>
    (loading ??= load().catch((error: unknown) => {
      loading = undefined;
      throw error;
    }));
}

/**
 * A lock whose code is loaded when it is first needed. Where that fails nothing is written: without
 * it another program's edit could be lost. The next write tries again.
 */
export function lazyLock(load: () => Promise<NoteLock>): NoteLock {
  const lock = lazy(load);
  return { hold: async (key, task) => (await lock()).hold(key, task) };
}

/** Follows links by code that is loaded at the first path. Where that fails no path is known to be inside. */
export function lazyRealPaths(load: () => Promise<RealPaths>): RealPaths {
  const realPaths = lazy(load);
  return async (path) => (await realPaths())(path);
}
