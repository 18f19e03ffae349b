import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { KEY_LENGTH, keyText } from '../core/board/journal/journal-entry';
import { keyLockPath } from './lock';

/** The key of a note: names its lock and its journal entry. */
export function noteKey(path: string): string {
  return createHash('sha256').update(keyText(path)).digest('hex').slice(0, KEY_LENGTH);
}

/** The lock file of a note. */
export function lockFile(root: string, path: string): string {
  return join(root, lockPath(path));
}

/** The same, relative to the vault. */
export function lockPath(path: string): string {
  return keyLockPath(noteKey(path));
}
