import type { Stats } from 'node:fs';
import { lstat, realpath, stat } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import type { RealPath, RealPathLookup } from '../core/permission/path-resolver';
import { isOutside } from './file-locator';
import { isMissing, systemCode } from './store-error';

/** How often a check is repeated because something was created or removed during it. */
const MAX_TRIES = 5;

/** A real path with its stat. `other`: inside, but neither file nor folder. */
export type RealEntry =
  | Exclude<RealPath, { readonly kind: 'inside' }>
  | { readonly kind: 'inside'; readonly path: string; readonly stats: Stats }
  | { readonly kind: 'other'; readonly path: string; readonly stats: Stats };

/**
 * Resolves vault paths as the system follows links. Anything but files and folders (a pipe, a
 * device) counts as outside, since opening it could hang or have effects.
 * @param root absolute path of the vault; if it is a link, it is followed once
 */
export function realPaths(root: string): RealPathLookup {
  const entryAt = realEntries(root);
  return async (path) => {
    const entry = await entryAt(path);
    if (entry.kind === 'other') return { kind: 'outside' };
    return entry.kind === 'inside' ? { kind: entry.kind, path: entry.path } : entry;
  };
}

export function realEntries(root: string): (path: string) => Promise<RealEntry> {
  let base: string | undefined;
  return async (path) => {
    base ??= await realpath(root).catch(() => undefined);
    for (let tries = 0; tries < MAX_TRIES && base !== undefined; tries += 1) {
      const found = await resolveEntry(base, join(root, path));
      if (found !== 'changed') return found;
    }
    return { kind: 'outside' };
  };
}

async function resolveEntry(base: string, file: string): Promise<RealEntry | 'changed'> {
  try {
    const real = await realpath(file);
    const relativePath = relative(base, real);
    if (isOutside(relativePath)) return { kind: 'outside' };
    const stats = await stat(real);
    const kind = stats.isFile() || stats.isDirectory() ? 'inside' : 'other';
    return { kind, path: relativePath.split(sep).join('/'), stats };
  } catch (error) {
    if (isMissing(error) || systemCode(error) === 'ELOOP') return checkBrokenLink(file);
    return systemCode(error) === 'EACCES' ? checkInaccessible(base, file) : { kind: 'outside' };
  }
}

/** The system found nothing, but there may be a broken link. */
async function checkBrokenLink(file: string): Promise<RealEntry | 'changed'> {
  try {
    return (await lstat(file)).isSymbolicLink() ? { kind: 'dangling' } : 'changed';
  } catch (error) {
    if (isMissing(error)) return { kind: 'missing' };
    return { kind: systemCode(error) === 'ELOOP' ? 'dangling' : 'outside' };
  }
}

/** The system denies access. Doesn't reveal whether a link leads to something outside. */
async function checkInaccessible(base: string, file: string): Promise<RealEntry | 'changed'> {
  const found = await lstat(file).catch(() => undefined);
  if (found?.isSymbolicLink() === true) return { kind: 'outside' };
  const folder = await resolveEntry(base, dirname(file));
  return folder !== 'changed' && folder.kind === 'inside' ? { kind: 'closed' } : folder;
}
