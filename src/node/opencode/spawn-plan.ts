import { posix, win32 } from 'node:path';
import { programFolders, type Surroundings } from './detect-opencode';

/** How a program is started, for `child_process.spawn`. */
export interface SpawnPlan {
  readonly file: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** the arguments are quoted for `cmd.exe` already */
  readonly verbatim: boolean;
}

/** A free port, and no other machine. */
const SERVE = ['serve', '--port', '0', '--hostname', '127.0.0.1'];

/**
 * The program is never looked up and never read by a shell, but for the scripts that npm makes on
 * Windows: those only `cmd.exe` runs.
 * @returns a sentence where the path can't be used
 */
export function spawnPlan(
  path: string,
  password: string,
  around: Surroundings,
): SpawnPlan | { readonly problem: string } {
  const windows = around.platform === 'win32';
  if (!(windows ? win32 : posix).isAbsolute(path) || path.includes('\0')) {
    return { problem: 'The path of OpenCode must be a whole one, from the root of the disk.' };
  }
  const env = environment(path, password, around);
  if (!windows || !/\.(cmd|bat)$/i.test(path)) {
    return { file: path, args: SERVE, env, verbatim: false };
  }
  // Between quotes, these are what `cmd.exe` still reads.
  if (/["%!\r\n]/.test(path)) {
    return { problem: 'The path of OpenCode holds a character that Windows would read.' };
  }
  const shell = around.env.ComSpec ?? 'C:\\Windows\\System32\\cmd.exe';
  const line = `"${[`"${path}"`, ...SERVE].join(' ')}"`;
  return { file: shell, args: ['/d', '/s', '/v:off', '/c', line], env, verbatim: true };
}

/** That of this app, with the folders of a shell, the program's own among them, and a password. */
function environment(path: string, password: string, around: Surroundings): Record<string, string> {
  const windows = around.platform === 'win32';
  const own = (windows ? win32 : posix).dirname(path);
  const env: Record<string, string> = {};
  for (const [name, value] of Object.entries(around.env)) {
    if (value !== undefined && name.toUpperCase() !== 'PATH') env[name] = value;
  }
  env.PATH = [...new Set([...programFolders(around), own])].join(windows ? ';' : ':');
  env.OPENCODE_SERVER_PASSWORD = password;
  return env;
}
