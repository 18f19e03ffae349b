import type { NoteLock } from '../core/ports';
import { keyLockFile, withLock } from './lock';

/** The lock files of a vault, for a store that does not write through Node. */
export function vaultLock(root: string, waitMs?: number): NoteLock {
  return {
    hold: (key, task) => withLock(keyLockFile(root, key), () => task(), waitMs),
  };
}
