import { realpathSync } from 'node:fs';
import { basename, dirname, join, relative, isAbsolute, sep } from 'node:path';
import { StoreError } from '../core/ports';
import { isMissing } from './is-missing';

/**
 * The names on the real way to a vault path. Links inside the vault are followed, so that a write
 * changes what the link names and leaves the link; one that leads out is refused.
 * @throws StoreError `denied`
 */
export function realNames(root: string, path: string): readonly string[] {
  const real = deepestReal(join(root, path));
  const way = relative(realpathSync.native(root), real);
  if (way === '..' || way.startsWith(`..${sep}`) || isAbsolute(way)) {
    throw new StoreError('denied', `${path}: a link leads out of the vault.`);
  }
  return way.split(sep);
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
