import { lstat, realpath } from 'node:fs/promises';
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
export async function resolveInVault(vault: string, path: string): Promise<string> {
  const full = nameInVault(vault, path);
  await mustBeInside(vault, full);
  return full;
}

/**
 * Of an absolute path, by where it really leads, or would if it were there.
 * @throws VaultFault `EACCES`
 */
export async function mustBeInside(vault: string, full: string): Promise<void> {
  const real = await realpath(await nearestExisting(vault, full));
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

async function nearestExisting(vault: string, full: string): Promise<string> {
  let at = full;
  while (at !== vault && !(await exists(at))) at = dirname(at);
  return at;
}

const exists = (path: string): Promise<boolean> =>
  lstat(path).then(
    () => true,
    () => false,
  );

/** The app indexes no file with a segment that starts with a dot. */
export const isHidden = (path: string): boolean =>
  path.split('/').some((segment) => segment.startsWith('.'));
