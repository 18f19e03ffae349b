import { childProcess, readline } from './child-process';
import { toNodeResult, makeFileHandle } from './file-objects';
import { handleCalls, handleCallsWithoutProc } from './handle-calls';
import { httpModule } from './http-module';
import { callNode, callNodeSync } from './server-call';

interface MachineInfo {
  readonly pid: number;
  readonly hostname: string;
  /** a folder of the vault, since a page reads nothing outside of it */
  readonly home: string;
  /** ms since the epoch */
  readonly booted: number;
  /** constants of the machine's file system */
  readonly constants: Readonly<Record<string, number>>;
}

let cachedMachine: MachineInfo | undefined;

function machine(): MachineInfo {
  return (cachedMachine ??= callNodeSync<MachineInfo>('machine'));
}

const CALLS = [
  ...['access', 'readFile', 'writeFile', 'stat', 'readdir', 'mkdir'],
  ...['link', 'rename', 'unlink', 'utimes', 'readlink', 'lstat', 'realpath'],
];

const promises = {
  ...Object.fromEntries(
    CALLS.map((name) => [
      name,
      async (...args: unknown[]) => toNodeResult(name, args, await callNode(name, ...args)),
    ]),
  ),
  open: async (...args: unknown[]) => makeFileHandle(await callNode<number>('open', ...args)),
};

const syncCalls = Object.fromEntries(
  CALLS.map((name) => [
    `${name}Sync`,
    (...args: unknown[]) => toNodeResult(name, args, callNodeSync(name, ...args)),
  ]),
);

/** Returns undefined for a missing file if `throwIfNoEntry` is false. */
function lstatSync(file: string, options?: { readonly throwIfNoEntry?: boolean }): unknown {
  try {
    return toNodeResult('lstat', [file], callNodeSync('lstat', file));
  } catch (error) {
    const missing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    if (missing && options?.throwIfNoEntry === false) return undefined;
    throw error;
  }
}

const realpathSync = (file: string): string => callNodeSync<string>('realpath', file);
realpathSync.native = realpathSync;

/**
 * Like `process.kill`: signal 0 only checks; others are sent to programs of the page. Throws if
 * there is no such process.
 */
function kill(pid: number, signal: unknown): true {
  if (signal !== 0) {
    callNodeSync('kill', pid, signal);
    return true;
  }
  if (callNodeSync<boolean>('alive', pid)) return true;
  throw Object.assign(new Error(`kill ESRCH ${pid}`), { code: 'ESRCH' });
}

const process = {
  platform: 'linux',
  env: {},
  get pid(): number {
    return machine().pid;
  },
  kill,
  once: (event: string, task: () => void): void => {
    if (event === 'exit') window.addEventListener('pagehide', task, { once: true });
  },
};

const path = {
  sep: '/',
  isAbsolute: (file: string): boolean => file.startsWith('/'),
  relative,
  /** The working directory of a page is the root. */
  resolve: (file: string): string => (file.startsWith('/') ? file : `/${file}`),
  join: (...parts: string[]): string => parts.filter((part) => part !== '').join('/'),
  dirname: (file: string): string =>
    file.includes('/') ? file.slice(0, file.lastIndexOf('/')) || '/' : '.',
  basename: (file: string): string => file.slice(file.lastIndexOf('/') + 1),
};

/** Supports only SHA-256 of texts, with a hexadecimal digest. */
function createHash(name: string) {
  if (name !== 'sha256') throw new Error(`No hash "${name}"`);
  let all = '';
  const hash = {
    update: (text: string) => {
      all += text;
      return hash;
    },
    digest: () => callNodeSync<string>('sha256', all),
  };
  return hash;
}

/** Random bytes that can only be converted to text. */
function randomBytes(size: number) {
  const bytes = crypto.getRandomValues(new Uint8Array(size));
  return { toString: () => btoa(String.fromCharCode(...bytes)).replace(/[+/=]/g, '-') };
}

function isUtf8(bytes: Uint8Array): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return true;
  } catch (error) {
    if (error instanceof TypeError) return false;
    throw error;
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => window.setTimeout(resolve, ms));
}

/** Expects two absolute paths. */
function relative(from: string, to: string): string {
  const [here, there] = [from, to].map((one) => one.split('/').filter((name) => name !== ''));
  const [start = [], end = []] = [here, there];
  const same = start.findIndex((name, at) => name !== end[at]);
  const shared = same === -1 ? start.length : same;
  return [...start.slice(shared).map(() => '..'), ...end.slice(shared)].join('/');
}

const fs = {
  ...syncCalls,
  lstatSync,
  realpathSync,
  promises,
  get constants() {
    return machine().constants;
  },
};

/**
 * The Node modules that the desktop app's `require` provides, with what the plugin uses. They work
 * on the served vault and on the server's machine. A phone has none of them.
 */
const NODE_MODULES: ReadonlyMap<string, unknown> = new Map<string, unknown>([
  ['node:fs/promises', promises],
  ['node:fs', fs],
  [
    'node:os',
    {
      hostname: () => machine().hostname,
      homedir: () => machine().home,
      uptime: () => (Date.now() - machine().booted) / 1000,
    },
  ],
  ['node:crypto', { randomUUID: () => crypto.randomUUID(), createHash, randomBytes }],
  ['node:child_process', childProcess],
  ['node:readline', readline],
  ['node:util', { stripVTControlCharacters: (text: string) => text }],
  ['node:path', { ...path, posix: path }],
  ['node:process', process],
  ['node:buffer', { isUtf8 }],
  ['node:timers/promises', { setTimeout: pause }],
  ['node:http', httpModule],
  ['node:https', httpModule],
]);

/** @param handles whether paths may go through open folders, as on Linux */
export function nodeModules(handles: boolean): ReadonlyMap<string, unknown> {
  const calls = handles ? handleCalls : handleCallsWithoutProc;
  // The constants stay a getter: a phone's page has none.
  const withHandles = Object.create(fs, Object.getOwnPropertyDescriptors(calls)) as unknown;
  return new Map(NODE_MODULES).set('node:fs', withHandles);
}
