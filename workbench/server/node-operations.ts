import { createHash } from 'node:crypto';
import * as sync from 'node:fs';
import { constants } from 'node:fs';
import * as fs from 'node:fs/promises';
import { hostname, uptime } from 'node:os';
import { dirname, join, relative, isAbsolute, sep } from 'node:path';
import { isAlive } from '../../src/node/lock';
import { toFileFacts, kindOf } from './file-facts';
import type { PageHandles } from './page-handles';
import type { PageProcesses } from './page-processes';
import type { PagePrograms } from './page-programs';
import { assertInside, joinVaultPath, resolveInVault, VaultFault } from './vault-path';

/** The page that calls, and what it may use. */
export interface NodeCaller {
  /** the vault's folder, absolute, without links */
  readonly root: string;
  /** id of the page */
  readonly page: string;
  readonly processes: PageProcesses;
  readonly programs: PagePrograms;
  readonly handles: PageHandles;
}

type Operation = (caller: NodeCaller, args: readonly unknown[]) => unknown;

/** The Node calls that our plugin uses as a desktop plugin, limited to the vault. */
const OPERATIONS: ReadonlyMap<string, Operation> = new Map<string, Operation>([
  ['machine', ({ root, page, processes }) => machineInfo(processes.pidOf(page), root)],
  ['alive', (_, [pid]) => Number.isSafeInteger(pid) && isAlive(Number(pid))],
  ['sha256', (_, [text]) => createHash('sha256').update(String(text), 'utf8').digest('hex')],
  ['readlink', (_, [path]) => readPidNamespace(path)],
  ['access', (caller, [path, mode]) => sync.accessSync(resolveProgram(caller, path), Number(mode))],
  [
    'spawn',
    ({ programs, page }, [file, args, options]) => programs.start(page, file, args, options),
  ],
  ['kill', ({ programs }, [pid, signal]) => programs.kill(pid, signal)],
  ['readFile', (caller, [path]) => fs.readFile(resolvePath(caller, path), 'utf8')],
  ['writeFile', (caller, [path, text, options]) => write(resolvePath(caller, path), text, options)],
  [
    'stat',
    (caller, [path]) => toFileFacts(sync.statSync(resolveProgram(caller, path, resolveForStat))),
  ],
  // Returns the target of a link without reading it.
  ['lstat', (caller, [path]) => toFileFacts(sync.lstatSync(resolveUnlinked(caller, path)))],
  [
    'realpath',
    (caller, [path]) => sync.realpathSync.native(resolveProgram(caller, path, resolveUnlinked)),
  ],
  ['readdir', (caller, [path]) => entries(resolvePath(caller, path))],
  [
    'mkdir',
    (caller, [path, options]) =>
      void sync.mkdirSync(resolvePath(caller, path), folderOptions(options)),
  ],
  [
    'open',
    (caller, [path, flags, mode]) =>
      caller.handles.open(caller.page, resolveForOpen(caller, path, flags), flags, mode),
  ],
  ['handle', ({ handles, page }, [id, task, ...rest]) => handles.run(page, id, task, ...rest)],
  [
    'link',
    (caller, [from, to]) => sync.linkSync(resolvePath(caller, from), resolvePath(caller, to)),
  ],
  [
    'rename',
    (caller, [from, to]) => sync.renameSync(resolvePath(caller, from), resolvePath(caller, to)),
  ],
  ['unlink', (caller, [path]) => sync.unlinkSync(resolvePath(caller, path))],
  [
    'utimes',
    (caller, [path, a, m]) => sync.utimesSync(resolvePath(caller, path), toDate(a), toDate(m)),
  ],
]);

/** Runs a call of a page's stand-in for Node. @throws VaultFault, or Node's own error with a code */
export async function runNodeOperation(
  caller: NodeCaller,
  operation: string,
  body: string,
): Promise<{ readonly value: unknown }> {
  const run = OPERATIONS.get(operation);
  const args: unknown = JSON.parse(body);
  if (run === undefined || !Array.isArray(args)) {
    throw new VaultFault('EINVAL', `No operation "${operation}"`);
  }
  return { value: (await run(caller, args)) ?? null };
}

function machineInfo(pid: number, root: string) {
  return {
    pid,
    hostname: hostname(),
    home: join(root, '.home'),
    booted: Date.now() - uptime() * 1000,
    constants,
  };
}

/** The only link outside the vault that may be read: the namespace of the process ids. */
function readPidNamespace(path: unknown): Promise<string> {
  const own = '/proc/self/ns/pid';
  if (path !== own) throw new VaultFault('EACCES', `${String(path)} is not read`);
  return fs.readlink(own);
}

type PathCaller = Pick<NodeCaller, 'root' | 'page' | 'handles'>;

/** Allows the path of a permitted program outside the vault; resolves all others inside it. */
function resolveProgram(
  caller: NodeCaller,
  path: unknown,
  resolveInside: (caller: PathCaller, path: unknown) => string = resolvePath,
): string {
  return caller.programs.allows(path) ? path : resolveInside(caller, path);
}

/** Resolves a path, following links. */
function resolvePath(caller: PathCaller, path: unknown): string {
  const { root } = caller;
  const held = resolveHandle(caller, path);
  if (held === undefined) return resolveInVault(root, toVaultPath(root, path));
  assertInside(root, held);
  return held;
}

/** Resolves a path without following a link at its end. An open handle resolves to its target. */
function resolveUnlinked(caller: PathCaller, path: unknown): string {
  const { root } = caller;
  const held = resolveHandle(caller, path);
  if (held === undefined) return joinVaultPath(root, toVaultPath(root, path));
  assertInside(root, isHandle(path) ? held : dirname(held));
  return held;
}

/** Allows a look at any open handle. */
function resolveForStat(caller: PathCaller, path: unknown): string {
  return (isHandle(path) ? resolveHandle(caller, path) : undefined) ?? resolvePath(caller, path);
}

function isHandle(path: unknown): boolean {
  return /^\/proc\/self\/fd\/\d+$/.test(String(path));
}

/** Also allows `/proc/self`, by which programs detect whether paths can go through open folders. */
function resolveForOpen(caller: PathCaller, path: unknown, flags: unknown): string {
  if (path === '/proc/self') return path;
  const links = typeof flags !== 'number' || (flags & constants.O_NOFOLLOW) === 0;
  return links ? resolvePath(caller, path) : resolveUnlinked(caller, path);
}

/** Translates `/proc/self/fd/<n>/<rest>` of a page to the path of its open file in this process. */
function resolveHandle({ page, handles }: PathCaller, path: unknown): string | undefined {
  const [, id, rest = ''] = /^\/proc\/self\/fd\/(\d+)(\/.+)?$/.exec(String(path)) ?? [];
  return id === undefined ? undefined : handles.pathOf(page, id) + rest;
}

function toVaultPath(root: string, path: unknown): string {
  const inside = typeof path === 'string' && isAbsolute(path) ? relative(root, path) : '..';
  return inside.split(sep).join('/');
}

async function entries(folder: string) {
  const found = await fs.readdir(folder, { withFileTypes: true });
  return found.map((entry) => ({ name: entry.name, ...kindOf(entry) }));
}

function folderOptions(options: unknown): { readonly recursive: boolean; readonly mode: number } {
  const { recursive, mode } = (options ?? {}) as { recursive?: unknown; mode?: unknown };
  return { recursive: recursive === true, mode: typeof mode === 'number' ? mode : 0o777 };
}

async function write(file: string, text: unknown, options: unknown): Promise<void> {
  if (typeof text !== 'string') throw new VaultFault('EINVAL', 'Only text is written');
  const flag = (options as { flag?: unknown } | undefined)?.flag === 'wx' ? 'wx' : 'w';
  await fs.writeFile(file, text, { flag });
}

/** Parses a date that JSON turned into text. */
function toDate(value: unknown): Date {
  return new Date(value as string);
}
