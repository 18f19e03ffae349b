import type { Clock, Ids, NoteLock } from '../../core/ports';
import type { Digest } from '../../core/permission/audit/audit-chain';
import type { RealPathLookup } from '../../core/permission/path-resolver';

/** The Clock of a running app: system time and the window's timers. */
export const windowClock: Clock = {
  now: () => Date.now(),
  today: () => isoDate(new Date()),
  after: (ms, task) => {
    const timer = window.setTimeout(task, ms);
    return () => window.clearTimeout(timer);
  },
};

/** `YYYY-MM-DD`, in local time. */
export function isoDate(date: Date): string {
  const month = String(date.getMonth() + 1).padStart(2, '0');
  const day = String(date.getDate()).padStart(2, '0');
  return `${date.getFullYear()}-${month}-${day}`;
}

/** Ids from the system's random source. */
export const randomIds: Ids = {
  unique: () => crypto.randomUUID(),
  random: () => {
    const [word = 0] = crypto.getRandomValues(new Uint32Array(1));
    return word / 2 ** 32;
  },
};

/** SHA-256 by Web Crypto. */
export const webSha256: Digest = (text) => hexDigest(new TextEncoder().encode(text));

/** SHA-256 in hexadecimal digits. */
export async function hexDigest(bytes: BufferSource): Promise<string> {
  const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
  return [...hash].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** Loads a value on first use and caches it. After a failure the next call tries again. */
function lazy<T>(load: () => Promise<T>): () => Promise<T> {
  let loading: Promise<T> | undefined;
  return () =>
    (loading ??= load().catch((error: unknown) => {
      loading = undefined;
      throw error;
    }));
}

/**
 * A lock whose code is loaded on first use. If that fails, nothing is written, since another
 * program's edit could be lost without the lock; the next write tries again.
 */
export function lazyLock(load: () => Promise<NoteLock>): NoteLock {
  const lock = lazy(load);
  return { hold: async (key, task) => (await lock()).hold(key, task) };
}

/**
 * Resolves links with code that is loaded on first use. If that fails it rejects, so no path counts
 * as inside.
 */
export function lazyRealPaths(load: () => Promise<RealPathLookup>): RealPathLookup {
  const realPaths = lazy(load);
  return async (path) => (await realPaths())(path);
}
