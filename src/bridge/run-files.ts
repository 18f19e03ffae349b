import { mkdir, readdir, readFile, rename, unlink, writeFile } from 'node:fs/promises';
import { readFileSync, unlinkSync } from 'node:fs';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { parseRunFile, RUN_FOLDER, type RunFile } from '../protocol/run-file';

/**
 * Leaves word how to reach this bridge, readable for this user alone, and out of git.
 * @param directory the vault, absolute
 * @returns takes the word back; may be called twice, never throws
 */
export async function writeRunFile(directory: string, run: RunFile): Promise<() => void> {
  const folder = join(directory, RUN_FOLDER);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await writeFile(join(folder, '.gitignore'), '*\n');
  const file = join(folder, `${run.pid}.json`);
  const fresh = join(folder, `.${run.pid}.${randomUUID()}.tmp`);
  await writeFile(fresh, `${JSON.stringify(run)}\n`, { mode: 0o600, flag: 'wx' });
  await rename(fresh, file);
  return () => {
    try {
      // A later bridge of this process may have put its own in the place.
      if (parseRunFile(readFileSync(file, 'utf8'))?.token === run.token) unlinkSync(file);
    } catch {
      // Gone already: the next start would do no more.
    }
  };
}

/** Removes what bridges left here that died on this machine without a word. */
export async function removeStaleRunFiles(
  directory: string,
  host: string,
  isAlive: (pid: number) => boolean,
): Promise<void> {
  const folder = join(directory, RUN_FOLDER);
  const names = await readdir(folder).catch((): string[] => []);
  for (const name of names.filter((entry) => /^\d+\.json$/.test(entry))) {
    const file = join(folder, name);
    const run = parseRunFile(await readFile(file, 'utf8').catch(() => ''));
    if (run?.host === host && !isAlive(run.pid)) await unlink(file).catch(() => undefined);
  }
}
