import { KeyedQueue } from '../../core/board/keyed-queue';
import type { NoteLock } from '../../core/ports';

/** The lock of a program that is alone with the vault: those who share it come one after another. */
export function ownLock(): NoteLock {
  const queue = new KeyedQueue();
  return { hold: (key, task) => queue.run(key, task) };
}
