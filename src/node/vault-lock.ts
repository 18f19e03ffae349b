import type { NoteLock } from '../core/ports';
import { canHold, Places } from './places';
import { keyLockFile, keyLockPath, withLock } from './lock';

/** The lock files of a vault, for a store that doesn't write through Node. */
export function vaultLock(root: string, waitMs?: number): NoteLock {
  if (!canHold()) {
    return { hold: (key, task) => withLock(keyLockFile(root, key), () => task(), waitMs) };
  }
  const places = new Places(root);
  return {
    hold: (key, task) =>
      places.file(keyLockPath(key), (lock) => withLock(lock.make(), () => task(), waitMs)),
  };
}
