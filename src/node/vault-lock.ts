import type { NoteLock } from '../core/ports';
import { supportsHandlePaths, FileLocator } from './file-locator';
import { keyLockFile, keyLockPath, withLock } from './lock';

/** The lock files of a vault, for a store that doesn't write through Node. */
export function vaultLock(root: string, waitMs?: number): NoteLock {
  if (!supportsHandlePaths()) {
    return { hold: (key, task) => withLock(keyLockFile(root, key), () => task(), waitMs) };
  }
  const locator = new FileLocator(root);
  return {
    hold: (key, task) =>
      locator.file(keyLockPath(key), (lock) => withLock(lock.makeParents(), () => task(), waitMs)),
  };
}
