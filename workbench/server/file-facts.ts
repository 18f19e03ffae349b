import type { Dirent, Stats } from 'node:fs';

/** Converts the results of Node's methods to plain data. */
export function toFileFacts(found: Stats) {
  const { mtimeMs, birthtimeMs, size, ino, dev } = found;
  return { ...kindOf(found), mtimeMs, birthtimeMs, size, ino, dev };
}

export function kindOf(found: Stats | Dirent) {
  const [file, folder, link] = [found.isFile(), found.isDirectory(), found.isSymbolicLink()];
  return { file, folder, link };
}
