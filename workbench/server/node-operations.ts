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

/** Whose call it is and on what. */
export interface NodeCaller {
  /** the vault's folder, absolute, without links */
  readonly root: string;
  /** the page's own name for itself */
  readonly page: string;
  readonly processes: PageProcesses;
  readonly programs: PagePrograms;
  readonly handles: PageHandles;
}

type Operation = (caller: NodeCaller, args: readonly unknown[]) => unknown;

/** What the desktop app's plugins may do through Node, as far as ours does: within the vault only. */
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
  // Where a link leads is told; what is there is not read.
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

/** The one link outside the vault that is asked for: which table of processes numbers are from. */
function processTable(path: unknown): Promise<string> {
  const own = '/proc/self/ns/pid';
  if (path !== own) throw new VaultFault('EACCES', `${String(path)} is not read`);
  return fs.readlink(own);
}

type InVault = Pick<NodeCaller, 'root' | 'page' | 'handles'>;

/** A program that may be run stands outside of the vault; all else is looked for in it. */
function program(
  caller: NodeCaller,
  path: unknown,
  inVault: (caller: InVault, path: unknown) => string = at,
): string {
  return caller.programs.allows(path) ? path : inVault(caller, path);
}

/** What a path really leads to. */
function at(caller: InVault, path: unknown): string {
  const { root } = caller;
  const held = throughHandle(caller, path);
  if (held === undefined) return resolveInVault(root, below(root, path));
  mustBeInside(root, held);
  return held;
}

/** The same, but for a link in its own place. What is open itself stands where it leads. */
function named(caller: InVault, path: unknown): string {
  const { root } = caller;
  const held = throughHandle(caller, path);
  if (held === undefined) return nameInVault(root, below(root, path));
  mustBeInside(root, isHandle(path) ? held : dirname(held));
  return held;
}

/** What is open may be looked at, whatever it is. */
function seen(caller: InVault, path: unknown): string {
  return (isHandle(path) ? throughHandle(caller, path) : undefined) ?? at(caller, path);
}

function isHandle(path: unknown): boolean {
  return /^\/proc\/self\/fd\/\d+$/.test(String(path));
}

/** By the first, a program finds out whether there are paths through open folders. */
function opened(caller: InVault, path: unknown, flags: unknown): string {
  if (path === '/proc/self') return path;
  const links = typeof flags !== 'number' || (flags & constants.O_NOFOLLOW) === 0;
  return links ? at(caller, path) : named(caller, path);
}

/** `/proc/self/fd/<n>/<rest>`, where the page has its file n open, as this process reaches it. */
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

/** JSON has made text of it. */
function time(value: unknown): Date {
  return new Date(value as string);
}
