import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { posix, win32 } from 'node:path';
import process from 'node:process';

export interface HostSurroundings {
  /** as `process.platform` says it */
  readonly platform: NodeJS.Platform;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** home folder of the user */
  readonly home: string;
}

/** This machine, as it is now. */
export function thisMachine(): HostSurroundings {
  return { platform: process.platform, env: process.env, home: homedir() };
}

/** Folders that programs of a user's shell are in; apps on macOS are started without them. */
const USUAL = ['.opencode/bin', '.local/bin', '.bun/bin', '.npm-global/bin', 'bin'];

const USUAL_EVERYWHERE = ['/opt/homebrew/bin', '/usr/local/bin', '/usr/bin', '/bin'];

/** Absolute folders to look for programs in: those of the environment, then the usual ones. */
export function programFolders({ platform, env, home }: HostSurroundings): readonly string[] {
  const windows = platform === 'win32';
  const paths = windows ? win32 : posix;
  const given = (env.PATH ?? env.Path ?? '').split(windows ? ';' : ':');
  const usual = USUAL.map((folder) => paths.join(home, folder));
  const npm = windows && env.APPDATA !== undefined ? [paths.join(env.APPDATA, 'npm')] : [];
  const all = [...given, ...usual, ...npm, ...(windows ? [] : USUAL_EVERYWHERE)];
  // A relative folder would mean another program in every folder, the vault's own too.
  return [...new Set(all.filter((folder) => paths.isAbsolute(folder)))];
}

/** The first program of that name that can be run, or undefined. */
export async function findProgram(
  name: string,
  around: HostSurroundings,
): Promise<string | undefined> {
  const windows = around.platform === 'win32';
  const paths = windows ? win32 : posix;
  const isWhole = !windows || /\.(exe|cmd|bat)$/i.test(name);
  const files = isWhole ? [name] : [`${name}.exe`, `${name}.cmd`];
  for (const folder of programFolders(around)) {
    for (const file of files) {
      const path = paths.join(folder, file);
      if (await isProgram(path)) return path;
    }
  }
  return undefined;
}

/** Whether a file is there that this user may run. */
export async function isProgram(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return (await stat(path)).isFile();
  } catch {
    return false; // not there, or not for us: both mean no
  }
}
