import { spawn, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { access, realpath, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { posix, sep, win32 } from 'node:path';
import { createInterface } from 'node:readline';
import type {
  OpenCodeHost,
  StartedOpenCode,
  StartFault,
  StartRequest,
} from '../../core/session/opencode-host';
import { constants } from 'node:fs';
import { request } from 'node:http';
import { stripVTControlCharacters } from 'node:util';
import { killTree, sweepGroup } from '../processes';

/** This machine, as it is now. */
export function thisMachine(): HostSurroundings {
  return { platform: process.platform, env: process.env, home: homedir() };
}

/** Runs `opencode serve` as a child of this process. */
export function nodeOpenCodeHost(around: () => HostSurroundings = thisMachine): OpenCodeHost {
  return {
    detect: () => detectOpenCode(around()),
    start: (request) => new Served(request, around()),
  };
}

type Ready = Awaited<StartedOpenCode['ready']>;

class Served implements StartedOpenCode {
  readonly ready: Promise<Ready>;
  private child: ChildProcess | undefined;
  private killed = false;

  constructor(
    private readonly request: StartRequest,
    private readonly around: HostSurroundings,
  ) {
    this.ready = this.begin();
  }

  kill(): void {
    this.killed = true;
    if (this.child !== undefined) killTree(this.child, this.around.platform);
  }

  private async begin(): Promise<Ready> {
    const { path, folder } = this.request;
    // The person's own, where they have set one: other programs of theirs may need it.
    const own = this.around.env.OPENCODE_SERVER_PASSWORD;
    const password = own === undefined || own === '' ? randomBytes(24).toString('base64url') : own;
    const plan = spawnPlan(path, password, this.around);
    if ('problem' in plan) return fault('not_found', plan.problem);
    if (!(await isProgram(path))) {
      return fault('not_found', `There is no program at ${path}. Set the path, or use Detect.`);
    }
    if (await isInside(path, folder)) {
      return fault('not_found', 'A program inside the vault is not started. Install it elsewhere.');
    }
    if (this.killed) return fault('not_started', 'It was stopped.');
    const url = await this.listening(plan);
    if (typeof url !== 'string') return url;
    return this.loaded(url, password);
  }

  /** It prints one line with its address when it is ready. */
  private listening(plan: SpawnPlan): Promise<string | StartFault> {
    const { folder, onLine, onExit } = this.request;
    const clean = lineCleaner(plan.env);
    return new Promise((resolve) => {
      const child = spawn(plan.file, plan.args, {
        cwd: folder,
        env: plan.env,
        stdio: ['ignore', 'pipe', 'pipe'],
        windowsHide: true,
        windowsVerbatimArguments: plan.verbatim,
        detached: this.around.platform !== 'win32',
      });
      this.child = child;
      for (const stream of [child.stdout, child.stderr]) {
        createInterface({ input: stream }).on('line', (line) => {
          onLine(clean(line));
          const address = /listening on (http:\/\/127\.0\.0\.1:\d+)/.exec(line)?.[1];
          if (address !== undefined) resolve(address);
        });
      }
      child.once('error', (error) => {
        resolve(fault('not_started', `OpenCode could not be started: ${error.message}`));
      });
      child.once('exit', () => sweepGroup(child, this.around.platform));
      // Its last words come before `close`.
      child.once('close', (code, signal) => {
        const how = signal ?? `exit code ${code ?? 'unknown'}`;
        resolve(fault('not_started', `OpenCode ended before it was ready (${how}).`));
        if (child.pid !== undefined) onExit(`OpenCode ended (${how}).`);
      });
    });
  }

  private async loaded(url: string, password: string): Promise<Ready> {
    try {
      const status = await loadFolder(url, this.request.folder, password);
      if (status === 200) return { ok: true, url };
      return fault('refused', `OpenCode runs, but did not open this vault (status ${status}).`);
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      return fault('refused', `OpenCode ended while it opened this vault: ${why}`);
    }
  }
}

async function isInside(path: string, folder: string): Promise<boolean> {
  const [program, root] = await Promise.all([realpath(path), realpath(folder)]);
  return program.startsWith(root.endsWith(sep) ? root : root + sep);
}

function fault(code: StartFault['code'], message: string): StartFault {
  return { ok: false, code, message };
}

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
  around: HostSurroundings,
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
function environment(
  path: string,
  password: string,
  around: HostSurroundings,
): Record<string, string> {
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

export interface HostSurroundings {
  /** as `process.platform` says it */
  readonly platform: NodeJS.Platform;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** home folder of the user */
  readonly home: string;
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

/** The first `opencode` that can be run, or undefined. */
export async function detectOpenCode(around: HostSurroundings): Promise<string | undefined> {
  const windows = around.platform === 'win32';
  const paths = windows ? win32 : posix;
  const names = windows ? ['opencode.exe', 'opencode.cmd'] : ['opencode'];
  for (const folder of programFolders(around)) {
    for (const name of names) {
      const path = paths.join(folder, name);
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

/**
 * The first request for a folder: only then `opencode serve` loads the plugins of it. It waits for
 * as long as OpenCode takes, which installs its packages into a new folder first.
 * @returns the status of the answer; rejects where there was none
 */
export function loadFolder(url: string, folder: string, password: string): Promise<number> {
  const target = new URL('/config', url);
  target.searchParams.set('directory', folder);
  const auth = `opencode:${password}`;
  return new Promise((resolve, reject) => {
    const asked = request(target, { auth, agent: false }, (answer) => {
      answer.resume();
      answer.once('end', () => resolve(answer.statusCode ?? 0));
      answer.once('error', reject);
    });
    asked.once('error', reject);
    asked.end();
  });
}

/** Characters of a line that are kept. */
const LONGEST_LINE = 2_000;

/** Shorter values are words that stand everywhere. */
const SHORTEST_SECRET = 6;

/** Removes colours and control characters from a line, and every secret of an environment. */
export function lineCleaner(
  env: Readonly<Record<string, string | undefined>>,
): (line: string) => string {
  const secrets = Object.entries(env)
    .filter(([name]) => /KEY|TOKEN|SECRET|PASS|AUTH|CREDENTIAL/i.test(name))
    .flatMap(([, value = '']) => value.split(/[\r\n]+/)) // a key may have several lines
    .flatMap((value) => [value, encodeURIComponent(value)])
    .filter((value) => value.length >= SHORTEST_SECRET)
    .sort((a, b) => b.length - a.length);
  return (line) => {
    let text = stripVTControlCharacters(line).replace(/\p{Cc}+/gu, ' ');
    for (const secret of secrets) text = text.replaceAll(secret, '•••');
    text = text.replace(/\b(Bearer|Basic)\s+[\w+/=.~-]+/gi, '$1 •••');
    return text.length > LONGEST_LINE ? `${text.slice(0, LONGEST_LINE)}…` : text;
  };
}
