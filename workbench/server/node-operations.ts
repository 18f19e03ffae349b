import { createHash } from 'node:crypto';
import * as sync from 'node:fs';
import { constants } from 'node:fs';
import * as fs from 'node:fs/promises';
import { hostname, uptime } from 'node:os';
import { dirname, join, relative, isAbsolute, sep } from 'node:path';
import { isAlive } from '../../src/node/lock';
import { factsOf, kindOf } from './file-facts';
import type { PageHandles } from './page-handles';
import type { PageProcesses } from './page-processes';
import type { PagePrograms } from './page-programs';
import { mustBeInside, nameInVault, resolveInVault, VaultFault } from './vault-path';

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
  ['machine', ({ root, page, processes }) => machine(processes.pidOf(page), root)],
  ['alive', (_, [pid]) => Number.isSafeInteger(pid) && isAlive(Number(pid))],
  ['sha256', (_, [text]) => createHash('sha256').update(String(text), 'utf8').digest('hex')],
  ['readlink', (_, [path]) => processTable(path)],
  ['access', (caller, [path, mode]) => sync.accessSync(program(caller, path), Number(mode))],
  [
    'spawn',
    ({ programs, page }, [file, args, options]) => programs.start(page, file, args, options),
  ],
  ['kill', ({ programs }, [pid, signal]) => programs.kill(pid, signal)],
  ['readFile', (caller, [path]) => fs.readFile(at(caller, path), 'utf8')],
  ['writeFile', (caller, [path, text, options]) => write(at(caller, path), text, options)],
  ['stat', (caller, [path]) => factsOf(sync.statSync(program(caller, path, seen)))],
  // Returns the target of a link without reading it.
  ['lstat', (caller, [path]) => factsOf(sync.lstatSync(named(caller, path)))],
  ['realpath', (caller, [path]) => sync.realpathSync.native(program(caller, path, named))],
  ['readdir', (caller, [path]) => entries(at(caller, path))],
  [
    'mkdir',
    (caller, [path, options]) => void sync.mkdirSync(at(caller, path), folderOptions(options)),
  ],
  [
    'open',
    (caller, [path, flags, mode]) =>
      caller.handles.open(caller.page, opened(caller, path, flags), flags, mode),
  ],
  ['handle', ({ handles, page }, [id, task, ...rest]) => handles.run(page, id, task, ...rest)],
  ['link', (caller, [from, to]) => sync.linkSync(at(caller, from), at(caller, to))],
  ['rename', (caller, [from, to]) => sync.renameSync(at(caller, from), at(caller, to))],
  ['unlink', (caller, [path]) => sync.unlinkSync(at(caller, path))],
  ['utimes', (caller, [path, a, m]) => sync.utimesSync(at(caller, path), time(a), time(m))],
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

function machine(pid: number, root: string) {
  return {
    pid,
    hostname: hostname(),
    home: join(root, '.home'),
    booted: Date.now() - uptime() * 1000,
    constants,
  };
}

/** The only link outside the vault that may be read: the namespace of the process ids. */
function processTable(path: unknown): Promise<string> {
  const own = '/proc/self/ns/pid';
  if (path !== own) throw new VaultFault('EACCES', `${String(path)} is not read`);
  return fs.readlink(own);
}

type InVault = Pick<NodeCaller, 'root' | 'page' | 'handles'>;

/** Allows the path of a permitted program outside the vault; resolves all others inside it. */
function program(
  caller: NodeCaller,
  path: unknown,
  inVault: (caller: InVault, path: unknown) => string = at,
): string {
  return caller.programs.allows(path) ? path : inVault(caller, path);
}

/** Resolves a path, following links. */
function at(caller: InVault, path: unknown): string {
  const { root } = caller;
  const held = throughHandle(caller, path);
  if (held === undefined) return resolveInVault(root, below(root, path));
  mustBeInside(root, held);
  return held;
}

/** Resolves a path without following a link at its end. An open handle resolves to its target. */
function named(caller: InVault, path: unknown): string {
  const { root } = caller;
  const held = throughHandle(caller, path);
  if (held === undefined) return nameInVault(root, below(root, path));
  mustBeInside(root, isHandle(path) ? held : dirname(held));
  return held;
}

/** Allows a look at any open handle. */
function seen(caller: InVault, path: unknown): string {
  return (isHandle(path) ? throughHandle(caller, path) : undefined) ?? at(caller, path);
}

function isHandle(path: unknown): boolean {
  return /^\/proc\/self\/fd\/\d+$/.test(String(path));
}

/** Also allows `/proc/self`, by which programs detect whether paths can go through open folders. */
function opened(caller: InVault, path: unknown, flags: unknown): string {
  if (path === '/proc/self') return path;
  const links = typeof flags !== 'number' || (flags & constants.O_NOFOLLOW) === 0;
  return links ? at(caller, path) : named(caller, path);
}

/** Translates `/proc/self/fd/<n>/<rest>` of a page to the path of its open file in this process. */
function throughHandle({ page, handles }: InVault, path: unknown): string | undefined {
  const [, id, rest = ''] = /^\/proc\/self\/fd\/(\d+)(\/.+)?$/.exec(String(path)) ?? [];
  return id === undefined ? undefined : handles.pathOf(page, id) + rest;
}

function below(root: string, path: unknown): string {
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
function time(value: unknown): Date {
  return new Date(value as string);
}
