import { createHash } from 'node:crypto';
import { KEY_LENGTH, keyText } from '../core/board/journal/journal-entry';
import { keyLockFile } from './lock';

/** The key of a note: names its lock and its journal entry. */
export function noteKey(path: string): string {
  return createHash('sha256').update(keyText(path)).digest('hex').slice(0, KEY_LENGTH);
}

/** The lock file of a note. */
export function lockFile(root: string, path: string): string {
  return keyLockFile(root, noteKey(path));
}
