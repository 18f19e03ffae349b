import { realpathSync } from 'node:fs';
import { basename, dirname, join, relative, isAbsolute, sep } from 'node:path';
import { pathFault } from '../core/board/vault-path';
import { StoreError } from '../core/ports';
import { isMissing } from './is-missing';

/**
 * The real place of a vault path. Links inside the vault are followed, so that a write changes
 * what the link names and leaves the link; one that leads out is refused.
 * @throws StoreError `denied`
 */
export function resolveInside(root: string, path: string): string {
  const fault = pathFault(path);
  if (fault !== undefined) throw new StoreError('denied', `${path}: ${fault}`);
  const real = deepestReal(join(root, path));
  const way = relative(realpathSync.native(root), real);
  if (way === '..' || way.startsWith(`..${sep}`) || isAbsolute(way)) {
    throw new StoreError('denied', `${path}: a link leads out of the vault.`);
  }
  return real;
}

/** The real path of the deepest ancestor that exists, with the rest of the path behind it. */
function deepestReal(file: string): string {
  try {
    return realpathSync.native(file);
  } catch (error) {
    if (!isMissing(error) || dirname(file) === file) throw error;
    return join(deepestReal(dirname(file)), basename(file));
  }
}
