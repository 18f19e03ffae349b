import { StoreError } from '../ports';

/**
 * Why a path may not be used in a vault, or undefined where it may. A vault path is relative,
 * "/"-separated and names one file or folder inside; nothing in it can lead out on any system.
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

/** What stands in the place of a folder, by its path. */
export function noFolder(path: string): StoreError {
  const advice = 'Move it away or use another path, then try again.';
  return new StoreError('io', `${path} is a file, where a folder has to be. ${advice}`);
}
