import { readdirSync, readFileSync, type Dirent } from 'node:fs';
import { join, relative } from 'node:path';

/**
 * Paths of all files below a folder, relative to it. Running programs put locks and temporary files
 * there: files that vanish meanwhile are skipped, here and in `textsBelow`.
 */
export function filesBelow(folder: string): readonly string[] {
  return walk(folder).map((file) => relative(folder, file));
}

/** The contents of each file below a folder, as latin1, by relative path. */
export function textsBelow(folder: string): ReadonlyMap<string, string> {
  const texts = walk(folder).map((file) => {
    const text = ignoreMissing(() => readFileSync(file, 'latin1'));
    return text === undefined ? [] : [[relative(folder, file), text] as const];
  });
  return new Map(texts.flat());
}

function walk(folder: string): readonly string[] {
  const entries = ignoreMissing((): Dirent[] => readdirSync(folder, { withFileTypes: true })) ?? [];
  return entries.flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return walk(path);
    return entry.isFile() ? [path] : [];
  });
}

function ignoreMissing<T>(look: () => T): T | undefined {
  try {
    return look();
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}
