import { posix, win32 } from 'node:path';
import { findProgram, programFolders, type HostEnvironment } from './find-program';

/** How to start a program with `child_process.spawn`. */
export interface SpawnPlan {
  readonly file: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** whether the arguments are already quoted for `cmd.exe` */
  readonly verbatim: boolean;
}

interface ProgramSpec {
  /** the program's name, for messages */
  readonly name: string;
  readonly path: string;
  readonly args: readonly string[];
  /** added to the environment; undefined removes a variable */
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/**
 * Plans how to start a program without searching for it and without a shell, except for the scripts
 * that npm creates on Windows, which only `cmd.exe` can run.
 * @returns a sentence if the path or an argument can't be used
 */
export function spawnPlan(
  { name, path, args, env: own = {} }: ProgramSpec,
  host: HostEnvironment,
): SpawnPlan | { readonly problem: string } {
  const windows = host.platform === 'win32';
  if (
    !(windows ? win32 : posix).isAbsolute(path) ||
    [path, ...args].some((one) => one.includes('\0'))
  ) {
    return { problem: `The path of ${name} must be a whole one, from the root of the disk.` };
  }
  const env = environment(path, own, host);
  if (!windows || !/\.(cmd|bat)$/i.test(path)) {
    return { file: path, args, env, verbatim: false };
  }
  // `cmd.exe` interprets these even within quotes.
  if (/["%!\r\n]/.test(path)) {
    return { problem: `The path of ${name} holds a character that Windows would read.` };
  }
  if (args.some((one) => /["%!\r\n]/.test(one))) {
    return {
      problem: `The command of ${name} holds a character that Windows would read: ${path} is a script. Name the program that it starts instead, as in: node C:\\…\\agent.js`,
    };
  }
  const shell = host.env.ComSpec ?? 'C:\\Windows\\System32\\cmd.exe';
  // Backslashes before the closing quote are doubled, since the started program would read them as
  // escapes.
  const quoted = args.map((one) =>
    /^[\w.:/-]+$/.test(one) ? one : `"${one.replace(/\\+$/, '$&$&')}"`,
  );
  const line = `"${[`"${path}"`, ...quoted].join(' ')}"`;
  return { file: shell, args: ['/d', '/s', '/v:off', '/c', line], env, verbatim: true };
}

/**
 * Plans how to start a command that a person typed. Windows would search the working directory
 * first, and starts scripts only with their shell.
 * @returns a sentence if it can't be used
 */
export async function commandPlan(
  [command, ...args]: readonly [string, ...string[]],
  host: HostEnvironment,
  find = findProgram,
): Promise<Omit<SpawnPlan, 'env'> | { readonly problem: string }> {
  if (host.platform !== 'win32') return { file: command, args, verbatim: false };
  const isBare = !/[\\/:]/.test(command);
  const path = isBare ? await find(command, host) : command;
  if (path === undefined) {
    return { problem: `There is no program “${command}” in the folders of PATH. Name its path.` };
  }
  return spawnPlan({ name: command, path, args }, host);
}

/** The app's environment, with the folders of a shell and of the program itself in PATH. */
function environment(
  path: string,
  own: NonNullable<ProgramSpec['env']>,
  host: HostEnvironment,
): Record<string, string> {
  const windows = host.platform === 'win32';
  const folder = (windows ? win32 : posix).dirname(path);
  const env: Record<string, string> = {};
  for (const [name, value] of Object.entries({ ...host.env, ...own })) {
    if (value !== undefined && name.toUpperCase() !== 'PATH') env[name] = value;
  }
  env.PATH = [...new Set([...programFolders(host), folder])].join(windows ? ';' : ':');
  return env;
}
