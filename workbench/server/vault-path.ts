import { lstatSync, realpathSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';

/** A failure of a file operation, with the code that Node (and so the app) would give. */
export class VaultFault extends Error {
  constructor(
    readonly code: string,
    message: string,
  ) {
    super(message);
    this.name = 'VaultFault';
  }
}

/**
 * The absolute path of a vault path. It never leaves the vault: not by `..`, as an absolute path,
 * or through a symbolic link.
 * @throws VaultFault `EACCES`
 */
export function resolveInVault(vault: string, path: string): string {
  const full = joinVaultPath(vault, path);
  assertInside(vault, full);
  return full;
}

/**
 * Checks where an absolute path really leads, or would lead if it existed. Synchronous, since a
 * check takes microseconds, handing it to another thread costs more, and a page needs thousands.
 * @throws VaultFault `EACCES`
 */
export function assertInside(vault: string, full: string): void {
  const real = realpathSync.native(nearestExisting(vault, full));
  if (real === vault || real.startsWith(vault + sep)) return;
  throw new VaultFault('EACCES', `"${full}" leads out of the vault`);
}

/** The same by name only: the caller must check where links on the way lead. @throws VaultFault `EACCES` */
export function joinVaultPath(vault: string, path: string): string {
  const segments = path.split('/').filter((segment) => segment !== '' && segment !== '.');
  const odd = segments.some((segment) => segment === '..' || /[\\\0]/.test(segment));
  if (odd) throw new VaultFault('EACCES', `"${path}" is not a path inside the vault`);
  return join(vault, ...segments);
}

function nearestExisting(vault: string, full: string): string {
  let at = full;
  while (at !== vault && !exists(at)) at = dirname(at);
  return at;
}

function exists(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return false; // a file is where a parent folder should be
  }
}

/** The app indexes no file with a segment that starts with a dot. */
export const isHidden = (path: string): boolean =>
  path.split('/').some((segment) => segment.startsWith('.'));
