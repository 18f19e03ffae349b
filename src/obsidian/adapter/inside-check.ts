import { StoreError } from '../../core/ports';
import type { RealPaths } from '../../core/permission/path-resolver';

/**
 * Looks where a path leads, by the deepest of its folders that is there.
 * @returns whether something stands at the path
 * @throws StoreError `denied` for a path that leads out of the vault, or nowhere
 */
export type InsideCheck = (path: string) => Promise<boolean>;

export function insideCheck(realPaths: RealPaths): InsideCheck {
  return async (path) => {
    const names = path.split('/');
    for (let depth = names.length; depth > 0; depth -= 1) {
      const { kind } = await realPaths(names.slice(0, depth).join('/'));
      if (kind === 'inside') return depth === names.length;
      if (kind === 'missing') continue;
      throw new StoreError('denied', `${path}: a link leads out of the vault, or nowhere.`);
    }
    return false;
  };
}
