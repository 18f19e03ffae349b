import { mkdir, readdir, readFile, rename, unlink, writeFile } from 'node:fs/promises';
import { readFileSync, unlinkSync } from 'node:fs';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { parseRunFile, RUN_FILE_NAME, RUN_FOLDER, type RunFile } from '../protocol/run-file';

/**
 * Leaves word how to reach this bridge, readable for this user alone, and out of git.
 * @param directory the vault, absolute
 * @returns takes the word back; may be called twice, never throws
 */
export async function writeRunFile(directory: string, run: RunFile): Promise<() => void> {
  const folder = join(directory, RUN_FOLDER);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await writeFile(join(folder, '.gitignore'), '*\n');
  const file = await freeName(folder, run);
  const fresh = join(folder, `.${run.pid}.${randomUUID()}.tmp`);
  try {
    await writeFile(fresh, `${JSON.stringify(run)}\n`, { mode: 0o600, flag: 'wx' });
    await rename(fresh, file);
  } catch (error) {
    // On a full disk half of it may stand there, the token in it.
    await unlink(fresh).catch(() => undefined);
    await unlink(file).catch(() => undefined);
    throw error;
  }
  return () => {
    try {
      // A later bridge of this process may have put its own in the place.
      if (parseRunFile(readFileSync(file, 'utf8'))?.token === run.token) unlinkSync(file);
    } catch {
      // Gone already: the next start would do no more.
    }
  };
}

/**
 * `<pid>.json`, or `<pid>-2.json` and so on where this process serves the vault from more folders
 * than one; that of an earlier bridge of the same folder is taken over. A new name is taken with an
 * empty file, which nobody takes for a bridge.
 */
async function freeName(folder: string, { pid, host, directory }: RunFile): Promise<string> {
  for (let number = 1; ; number++) {
    const file = join(folder, number === 1 ? `${pid}.json` : `${pid}-${number}.json`);
    try {
      await writeFile(file, '', { mode: 0o600, flag: 'wx' });
      return file;
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
      const there = parseRunFile(await readFile(file, 'utf8').catch(() => ''));
      if (there?.host === host && there.directory === directory) return file;
    }
  }
}

/** Removes what bridges left here that died on this machine without a word. */
export async function removeStaleRunFiles(
  directory: string,
  host: string,
  isAlive: (pid: number) => boolean,
): Promise<void> {
  const folder = join(directory, RUN_FOLDER);
  const names = await readdir(folder).catch((): string[] => []);
  for (const name of names.filter((entry) => RUN_FILE_NAME.test(entry))) {
    const file = join(folder, name);
    const run = parseRunFile(await readFile(file, 'utf8').catch(() => ''));
    if (run?.host === host && !isAlive(run.pid)) await unlink(file).catch(() => undefined);
  }
}
