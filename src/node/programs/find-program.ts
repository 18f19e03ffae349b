import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { posix, win32 } from 'node:path';
import process from 'node:process';

export interface HostEnvironment {
  /** as in `process.platform` */
  readonly platform: NodeJS.Platform;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** home folder of the user */
  readonly home: string;
}

/** The current surroundings on this machine. */
export function thisMachine(): HostEnvironment {
  return { platform: process.platform, env: process.env, home: homedir() };
}

/** Folders of programs that a shell usually finds, but apps on macOS don't. */
const USUAL_IN_HOME = ['.opencode/bin', '.local/bin', '.bun/bin', '.npm-global/bin', 'bin'];

const USUAL_EVERYWHERE = ['/opt/homebrew/bin', '/usr/local/bin', '/usr/bin', '/bin'];

/** Absolute folders to search for programs: those in the environment, then the usual ones. */
export function programFolders({ platform, env, home }: HostEnvironment): readonly string[] {
  const windows = platform === 'win32';
  const paths = windows ? win32 : posix;
  const given = (env.PATH ?? env.Path ?? '').split(windows ? ';' : ':');
  const usual = USUAL_IN_HOME.map((folder) => paths.join(home, folder));
  const npm = windows && env.APPDATA !== undefined ? [paths.join(env.APPDATA, 'npm')] : [];
  const all = [...given, ...usual, ...npm, ...(windows ? [] : USUAL_EVERYWHERE)];
  // A relative folder would depend on the working directory, which may be the vault.
  return [...new Set(all.filter((folder) => paths.isAbsolute(folder)))];
}

/** The first executable with this name; undefined if there is none. */
export async function findProgram(
  name: string,
  host: HostEnvironment,
): Promise<string | undefined> {
  const windows = host.platform === 'win32';
  const paths = windows ? win32 : posix;
  const isWhole = !windows || /\.(exe|cmd|bat)$/i.test(name);
  const files = isWhole ? [name] : [`${name}.exe`, `${name}.cmd`];
  for (const folder of programFolders(host)) {
    for (const file of files) {
      const path = paths.join(folder, file);
      if (await isProgram(path)) return path;
    }
  }
  return undefined;
}

/** Whether the file exists and this user may run it. */
export async function isProgram(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return (await stat(path)).isFile();
  } catch {
    return false; // missing or not permitted
  }
}
