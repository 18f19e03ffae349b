import { StoreError } from '../ports';

/**
 * Why a path may not be used in a vault; undefined if it may. A vault path is relative, separated
 * by "/", and names a file or folder inside the vault; no part of it can lead outside on any
 * system.
 */
export function pathFault(path: string): string | undefined {
  if (path === '') return 'The path is empty.';
  if (path.includes('\0')) return 'The path contains a NUL character.';
  if (path.includes('\\')) return 'The path contains a backslash; use "/".';
  if (path.startsWith('/') || /^[A-Za-z]:/.test(path)) {
    return 'The path is absolute; it must be relative to the vault.';
  }
  const segments = path.split('/');
  if (segments.includes('..') || segments.includes('.')) return 'The path contains "." or "..".';
  if (segments.includes('')) return 'The path contains an empty segment.';
  return undefined;
}

/** Error for a file in place of a folder. */
export function notAFolderError(path: string): StoreError {
  const advice = 'Move it away or use another path, then try again.';
  return new StoreError('io', `${path} is a file, where a folder has to be. ${advice}`);
}
