import { spawn, type ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Reaper } from './reaper';

export interface LaunchOptions {
  readonly binary: string;
  /** OpenCode's working folder; absolute */
  readonly vault: string;
  readonly env: Readonly<Record<string, string>>;
  /** 0: any free port */
  readonly port: number;
  readonly reaper: Reaper;
  /** password of the server; without one, the server needs none */
  readonly password?: string;
  /** called with each line of OpenCode's standard output and error */
  readonly onLine?: (line: string) => void;
}

export interface OpencodeProcess {
  /** `http://127.0.0.1:<port>` */
  readonly url: string;
  readonly port: number;
  readonly pid: number;
  /** as in `GET /global/health` */
  readonly version: string;
  /** resolves when the process exits, with a description of how */
  readonly exited: Promise<string>;
  /** Terminates the process, and kills it after 3 s. May be called twice. */
  stop(): Promise<void>;
  /** Sends SIGKILL and waits for the exit. */
  kill(): Promise<void>;
}

const START_LIMIT_MS = 60_000;
const STOP_LIMIT_MS = 3_000;
/** In a vault without its packages, OpenCode may first wait for its own install: up to 70 s. */
const PLUGINS_LIMIT_MS = 120_000;

/**
 * Starts `opencode serve`; resolves when it listens and has loaded the plugins of the vault.
 * @throws Error with a sentence if it does not come up; the process is then gone
 */
export async function launchOpencode(options: LaunchOptions): Promise<OpencodeProcess> {
  const child = spawn(
    options.binary,
    ['serve', '--port', String(options.port), '--hostname', '127.0.0.1'],
    {
      cwd: options.vault,
      env: {
        ...options.env,
        ...(options.password !== undefined && { OPENCODE_SERVER_PASSWORD: options.password }),
      },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: process.platform !== 'win32',
    },
  );
  const exited = waitForExit(child);
  const forget = child.pid === undefined ? () => {} : options.reaper.addProcess(child.pid);
  void exited.then(forget);
  const kill = async (): Promise<void> => {
    signal(child, 'SIGKILL');
    await exited;
  };
  try {
    const url = await withTimeout(
      waitForAddress(child, exited, options.onLine),
      START_LIMIT_MS,
      'listen',
    );
    const version = await withTimeout(loadPlugins(url, options), PLUGINS_LIMIT_MS, 'load plugins');
    const stop = (): Promise<void> => stopGracefully(child, exited, kill);
    const port = Number(new URL(url).port);
    return { url, port, pid: child.pid ?? 0, version, exited, stop, kill };
  } catch (error) {
    await kill();
    throw error;
  }
}

function waitForExit(child: ChildProcess): Promise<string> {
  return new Promise((resolve) => {
    child.once('error', (error) => resolve(`OpenCode could not be started: ${error.message}.`));
    child.once('exit', (code, name) => resolve(`OpenCode ended (${name ?? `exit code ${code}`}).`));
  });
}

/** Resolves with the address that it prints when it is ready. */
function waitForAddress(
  child: ChildProcess,
  exited: Promise<string>,
  onLine: LaunchOptions['onLine'],
): Promise<string> {
  return new Promise((resolve, reject) => {
    const last: string[] = [];
    for (const stream of [child.stdout, child.stderr]) {
      if (!stream) continue;
      createInterface({ input: stream }).on('line', (line) => {
        onLine?.(line);
        last.push(line);
        if (last.length > 5) last.shift();
        const address = /listening on (http:\/\/[\w.:]+)/.exec(line)?.[1];
        if (address) resolve(address);
      });
    }
    void exited.then((how) => reject(new Error([how, ...last].join(' '))));
  });
}

/** Sends a first request for the folder, since OpenCode loads plugins only then. */
async function loadPlugins(url: string, { vault, password }: LaunchOptions): Promise<string> {
  const secret = Buffer.from(`opencode:${password ?? ''}`).toString('base64');
  const headers = password === undefined ? {} : { authorization: `Basic ${secret}` };
  const config = await fetchWithRetry(
    `${url}/config?directory=${encodeURIComponent(vault)}`,
    headers,
  );
  if (!config.ok) throw new Error(`OpenCode refused its configuration (${config.status}).`);
  const health: unknown = await (await fetch(`${url}/global/health`, { headers })).json();
  const version = health && typeof health === 'object' && 'version' in health && health.version;
  if (typeof version !== 'string') throw new Error('OpenCode did not say its version.');
  return version;
}

/**
 * Repeats a failed request once: an earlier process may have had the same port, and a kept-alive
 * connection to it breaks at its next use.
 */
function fetchWithRetry(address: string, headers: Record<string, string>): Promise<Response> {
  return fetch(address, { headers }).catch(() => fetch(address, { headers }));
}

async function stopGracefully(
  child: ChildProcess,
  exited: Promise<string>,
  kill: () => Promise<void>,
): Promise<void> {
  signal(child, 'SIGTERM');
  const timer = setTimeout(() => signal(child, 'SIGKILL'), STOP_LIMIT_MS);
  await exited;
  clearTimeout(timer);
  // Its child processes (a shell, npm) are in its group and must not outlive it.
  await kill();
}

/** Signals the whole process group where there are groups, so that no shell of a tool is left over. */
function signal(child: ChildProcess, name: NodeJS.Signals): void {
  if (child.pid === undefined) return;
  try {
    if (process.platform === 'win32') child.kill(name);
    else process.kill(-child.pid, name);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}

function withTimeout<T>(work: Promise<T>, ms: number, what: string): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`OpenCode did not ${what} in ${ms / 1000} s.`)), ms);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}
