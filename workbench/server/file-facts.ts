import type { Dirent, Stats } from 'node:fs';

/** What the methods of Node's own objects tell, as data. */
export function factsOf(found: Stats) {
  return { ...kindOf(found), mtimeMs: found.mtimeMs, size: found.size };
}

export function kindOf(found: Stats | Dirent) {
  const [file, folder, link] = [found.isFile(), found.isDirectory(), found.isSymbolicLink()];
  return { file, folder, link };
}
