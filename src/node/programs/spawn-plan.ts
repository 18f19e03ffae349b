import { posix, win32 } from 'node:path';
import { findProgram, programFolders, type HostSurroundings } from './find-program';

/** How a program is started, for `child_process.spawn`. */
export interface SpawnPlan {
  readonly file: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** the arguments are quoted for `cmd.exe` already */
  readonly verbatim: boolean;
}

interface Planned {
  /** of the program, for a person */
  readonly name: string;
  readonly path: string;
  readonly args: readonly string[];
  /** added to the environment; undefined: taken out of it */
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/**
 * The program is never looked up and never read by a shell, but for the scripts that npm makes on
 * Windows: those only `cmd.exe` runs.
 * @returns a sentence where the path or an argument can't be used
 */
export function spawnPlan(
  { name, path, args, env: own = {} }: Planned,
  around: HostSurroundings,
): SpawnPlan | { readonly problem: string } {
  const windows = around.platform === 'win32';
  if (
    !(windows ? win32 : posix).isAbsolute(path) ||
    [path, ...args].some((one) => one.includes('\0'))
  ) {
    return { problem: `The path of ${name} must be a whole one, from the root of the disk.` };
  }
  const env = environment(path, own, around);
  if (!windows || !/\.(cmd|bat)$/i.test(path)) {
    return { file: path, args, env, verbatim: false };
  }
  // Between quotes, these are what `cmd.exe` still reads.
  if (/["%!\r\n]/.test(path)) {
    return { problem: `The path of ${name} holds a character that Windows would read.` };
  }
  if (args.some((one) => /["%!\r\n]/.test(one))) {
    return {
      problem: `The command of ${name} holds a character that Windows would read: ${path} is a script. Name the program that it starts instead, as in: node C:\\…\\agent.js`,
    };
  }
  const shell = around.env.ComSpec ?? 'C:\\Windows\\System32\\cmd.exe';
  // A backslash in front of the quote would take that along, for the program that the script starts.
  const quoted = args.map((one) =>
    /^[\w.:/-]+$/.test(one) ? one : `"${one.replace(/\\+$/, '$&$&')}"`,
  );
  const line = `"${[`"${path}"`, ...quoted].join(' ')}"`;
  return { file: shell, args: ['/d', '/s', '/v:off', '/c', line], env, verbatim: true };
}

/**
 * How a command that a person typed is started. Windows would look in the folder that it starts in first, and
 * starts no script without its shell.
 * @returns a sentence where it can't be used
 */
export async function commandPlan(
  [command, ...args]: readonly [string, ...string[]],
  around: HostSurroundings,
  find = findProgram,
): Promise<Omit<SpawnPlan, 'env'> | { readonly problem: string }> {
  if (around.platform !== 'win32') return { file: command, args, verbatim: false };
  const isBare = !/[\\/:]/.test(command);
  const path = isBare ? await find(command, around) : command;
  if (path === undefined) {
    return { problem: `There is no program “${command}” in the folders of PATH. Name its path.` };
  }
  return spawnPlan({ name: command, path, args }, around);
}

/** That of this app, with the folders of a shell, the program's own among them. */
function environment(
  path: string,
  own: NonNullable<Planned['env']>,
  around: HostSurroundings,
): Record<string, string> {
  const windows = around.platform === 'win32';
  const folder = (windows ? win32 : posix).dirname(path);
  const env: Record<string, string> = {};
  for (const [name, value] of Object.entries({ ...around.env, ...own })) {
    if (value !== undefined && name.toUpperCase() !== 'PATH') env[name] = value;
  }
  env.PATH = [...new Set([...programFolders(around), folder])].join(windows ? ';' : ':');
  return env;
}
