import type { StoreError } from '../ports';
import { storeRefusal, storeSentence } from '../fault/store-faults';

/**
 * Why a path may not be used in a vault; undefined if it may. A vault path is relative, separated
 * by "/", and names a file or folder inside the vault; no part of it can lead outside on any
 * system.
 */
export function pathFault(path: string): ReturnType<typeof storeSentence> | undefined {
  if (path === '') return storeSentence('pathEmpty');
  if (path.includes('\0')) return storeSentence('pathNul');
  if (path.includes('\\')) return storeSentence('pathBackslash');
  if (path.startsWith('/') || /^[A-Za-z]:/.test(path)) {
    return storeSentence('pathAbsolute');
  }
  const segments = path.split('/');
  if (segments.includes('..') || segments.includes('.')) return storeSentence('pathDots');
  if (segments.includes('')) return storeSentence('pathSegment');
  return undefined;
}

/** Error for a file in place of a folder. */
export function notAFolderError(path: string): StoreError {
  return storeRefusal('io', 'isFile', { path });
}
