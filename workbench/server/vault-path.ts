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
 * The absolute path of a vault path, which never leaves the vault: not by `..`, not absolute,
 * not through a symbolic link.
 * @throws VaultFault `EACCES`
 */
export function resolveInVault(vault: string, path: string): string {
  const full = nameInVault(vault, path);
  mustBeInside(vault, full);
  return full;
}

/**
 * Of an absolute path, by where it really leads, or would if it were there. Looks take microseconds:
 * to hand each to another thread costs more, and a page asks thousands of times.
 * @throws VaultFault `EACCES`
 */
export function mustBeInside(vault: string, full: string): void {
  const real = realpathSync.native(nearestExisting(vault, full));
  if (real === vault || real.startsWith(vault + sep)) return;
  throw new VaultFault('EACCES', `"${full}" leads out of the vault`);
}

/**
 * The same by its names alone: what a link on the way leads to is the caller's matter.
 * @throws VaultFault `EACCES`
 */
export function nameInVault(vault: string, path: string): string {
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
    return false; // a file stands in the place of a folder above it
  }
}

/** The app indexes no file with a segment that starts with a dot. */
export const isHidden = (path: string): boolean =>
  path.split('/').some((segment) => segment.startsWith('.'));
