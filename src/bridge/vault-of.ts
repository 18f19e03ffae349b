import { dirname, relative, sep, isAbsolute } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * The vault that this bridge serves: the one whose `.opencode/plugin` it was loaded from, where
 * OpenCode runs in it or in a folder of it; else (installed for all folders) where OpenCode runs.
 * @param moduleUrl the bridge's own `import.meta.url`
 */
export function vaultOf(moduleUrl: string, directory: string): string {
  if (!moduleUrl.startsWith('file:')) return directory;
  const plugins = dirname(fileURLToPath(moduleUrl));
  if (!/[\\/]\.opencode[\\/]plugins?$/.test(plugins)) return directory;
  const vault = dirname(dirname(plugins));
  const inside = relative(vault, directory);
  const isInside = !isAbsolute(inside) && inside !== '..' && !inside.startsWith(`..${sep}`);
  return isInside ? vault : directory;
}
