import { constants, type Dirent } from 'node:fs';
import { lstat, mkdir, open, readdir, rename, unlink, type FileHandle } from 'node:fs/promises';
import {
  AUDIT_FOLDER,
  parseAuditFileName,
  type AuditMark,
  type AuditStore,
  type MarkedEnd,
} from '../../core/permission/audit/audit-store';
import { ifMissing, notAFile, openError } from '../store-error';
import { dirname, join } from 'node:path';
import { supportsHandlePaths, FileLocator } from '../file-locator';
import { takeLock } from '../lock';
import { createHash, randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { STATE_ROOT } from '../../core/board/todo-manager';
import { StoreError } from '../../core/ports';

const { O_APPEND, O_CREAT, O_RDONLY, O_RDWR } = constants;

/**
 * Stores the audit in files that only this user can read. Appends lines and flushes them, so that
 * existing lines are never rewritten.
 */
export function auditFolder(files: AuditFiles): AuditStore {
  return {
    list: () =>
      files.inFolder('', async (at) => {
        if (at === undefined) return [];
        const entries = await readdir(at, { withFileTypes: true }).catch(ifMissing([]));
        const other = entries.find(
          (one) => isSpecialFile(one) && parseAuditFileName(one.name) !== undefined,
        );
        if (other !== undefined) throw notAFile(files.path(other.name), other);
        return entries.filter((entry) => entry.isFile()).map(({ name }) => name);
      }),
    read: (name) => readPrivate(files, name),
    size: (name) =>
      files.onFile(name, async (at) => {
        const found = at === undefined ? undefined : await lstat(at).catch(ifMissing(undefined));
        return found?.size;
      }),
    append: (name, text) =>
      files.onNewFile(name, async (at) => {
        const file = await openPrivate(at, files.path(name), O_APPEND | O_CREAT | O_RDWR);
        await withFile(file, async () => {
          await file.appendFile((await endsWithLine(file)) ? text : `\n${text}`, 'utf8');
          await file.datasync();
        });
      }),
    replace: (name, text) =>
      files.onNewFile(name, (at) => replaceFile(at, files.path(name), text, true)),
    remove: (name) =>
      files.onFile(name, async (at) => {
        if (at !== undefined) await unlink(at).catch(ifMissing(undefined));
      }),
  };
}

/**
 * The folder of our state in a vault, stored in the same way.
 * @param vault absolute path
 */
export function stateFolder(vault: string): AuditStore {
  return auditFolder(new AuditFiles(vault, STATE_ROOT));
}

/** Whether a file ends with a whole line, or is empty. */
async function endsWithLine(file: FileHandle): Promise<boolean> {
  const { size } = await file.stat();
  if (size === 0) return true;
  const { buffer } = await file.read(new Uint8Array(1), 0, 1, size - 1);
  return buffer[0] === 0x0a;
}

/** Returns undefined if the file is missing. */
function readPrivate(files: AuditFiles, name: string): Promise<string | undefined> {
  return files.onFile(name, async (at) => {
    if (at === undefined) return undefined;
    const file = await openPrivate(at, files.path(name), O_RDONLY).catch(ifMissing(undefined));
    return file && withFile(file, () => file.readFile('utf8'));
  });
}

/**
 * Whether an entry is neither a file nor a link, but a folder, pipe or device. Links are ignored.
 */
function isSpecialFile(entry: Dirent): boolean {
  return !entry.isFile() && !entry.isSymbolicLink();
}

async function withFile<T>(file: FileHandle, task: () => Promise<T>): Promise<T> {
  try {
    return await task();
  } finally {
    await file.close();
  }
}

/** Mode of the audit's folders: accessible to this user only. */
const PRIVATE_FOLDER_MODE = 0o700;

/**
 * Locates the files of an audit. On systems with paths through open folders, a folder that is
 * replaced by a link meanwhile can't lead writes out of the vault.
 */
export class AuditFiles {
  private readonly locator: FileLocator | undefined;

  /**
   * @param vault absolute path
   * @param folder of the audit, relative to the vault
   */
  constructor(
    private readonly vault: string,
    private readonly folder: string = AUDIT_FOLDER,
  ) {
    this.locator = supportsHandlePaths() ? new FileLocator(vault) : undefined;
  }

  /**
   * Runs `task` with the path of a folder of the audit ('' for the root); undefined if it is
   * missing.
   */
  async inFolder<T>(folder: string, task: (at: string | undefined) => Promise<T>): Promise<T> {
    const path = this.path(folder);
    if (this.locator === undefined) return task(join(this.vault, path));
    return this.locator.folder(path, task);
  }

  /** Runs `task` with the path of a file; undefined if its folder is missing. */
  onFile<T>(name: string, task: (file: string | undefined) => Promise<T>): Promise<T> {
    const [folder, own] = splitName(name);
    return this.inFolder(folder, (at) => task(at === undefined ? undefined : `${at}/${own}`));
  }

  /** Like `onFile`, but creates missing folders first. */
  async onNewFile<T>(name: string, task: (file: string) => Promise<T>): Promise<T> {
    const [folder, own] = splitName(name);
    const path = this.path(folder);
    if (this.locator === undefined) {
      const at = join(this.vault, path);
      await mkdir(at, { recursive: true, mode: PRIVATE_FOLDER_MODE });
      return task(`${at}/${own}`);
    }
    return this.locator.createFolder(path, PRIVATE_FOLDER_MODE, (at) => task(`${at}/${own}`));
  }

  /**
   * Takes a lock for the life of the process.
   * @returns a synchronous function that releases it
   * @throws StoreError `busy` if another process holds it
   */
  holdLock(name: string): Promise<() => void> {
    return new Promise((taken, failed) => {
      const held = this.onNewFile(name, async (file) => {
        const { release } = await takeLock(file, 0);
        await new Promise<void>((end) => {
          taken(() => {
            release();
            end();
          });
        });
      });
      held.catch(failed);
    });
  }

  /** Path of a folder or file of the audit, relative to the vault. */
  path(name: string): string {
    return name === '' ? this.folder : `${this.folder}/${name}`;
  }
}

function splitName(name: string): [folder: string, own: string] {
  const end = name.lastIndexOf('/');
  return [name.slice(0, Math.max(0, end)), name.slice(end + 1)];
}

/** Folder of what a process stores besides its audit: the lock on its writer name, and its mark. */
export const WRITERS_FOLDER = 'writers';

/**
 * Most processes of one kind that can write the audit of a vault at the same time on one machine.
 */
const MAX_WRITERS = 64;

/** A writer name reserved for this process until it is released. */
export interface ReservedWriter {
  readonly writer: string;
  readonly release: () => void;
}

/**
 * Reserves the first free name on this machine: `bridge-3f9a1c-1`, or `-2` if another process has
 * that. Reusing names lets successive processes continue one chain, so that the number of files
 * doesn't grow.
 * @throws StoreError `busy` if all names are taken
 */
export async function reserveWriter(files: AuditFiles, kind: string): Promise<ReservedWriter> {
  for (let number = 1; number <= MAX_WRITERS; number += 1) {
    const writer = `${kind}-${machineId()}-${number}`;
    const release = await reserveName(files, writer);
    if (release !== undefined) return { writer, release };
  }
  throw new StoreError(
    'busy',
    `${MAX_WRITERS} processes write the audit already. End some of them.`,
  );
}

/**
 * Reserves a name.
 * @returns a function that releases it; undefined if another process has it
 */
export async function reserveName(
  files: AuditFiles,
  writer: string,
): Promise<(() => void) | undefined> {
  try {
    return await files.holdLock(`${WRITERS_FOLDER}/${writer}.lock`);
  } catch (error) {
    if (!(error instanceof StoreError) || error.code !== 'busy') throw error;
    return undefined;
  }
}

/**
 * Whether this is the name of a bridge, command line or MCP server on this machine. The plugin's
 * marks are stored by the app.
 */
export function isOfThisMachine(writer: string): boolean {
  const [, kind, of] = /^(bridge|cli|mcp)-([0-9a-f]{6})-\d+$/.exec(writer) ?? [];
  return kind !== undefined && of === machineId();
}

/** Identifies this machine by a hash of its host name. */
export function machineId(): string {
  return createHash('sha256').update(hostname()).digest('hex').slice(0, 6);
}

/** Stores a writer's mark in a file beside its audit. An unreadable mark counts as missing. */
export function auditMark(files: AuditFiles, writer: string): AuditMark {
  const name = `${WRITERS_FOLDER}/${writer}.json`;
  return {
    load: async () => {
      const text = await readPrivate(files, name);
      return text === undefined ? undefined : parse(text);
    },
    // Not flushed: a mark older than its audit promises less, which is not an error.
    save: (end) =>
      files.onNewFile(name, (file) => {
        const text = `${JSON.stringify(end)}\n`;
        return replaceFile(file, files.path(name), text, false);
      }),
  };
}

function parse(text: string): MarkedEnd | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined; // not written by us
  }
  if (typeof value !== 'object' || value === null) return undefined;
  const { n, hash, from } = value as Partial<Record<string, unknown>>;
  const isMark = isCount(n) && typeof hash === 'string' && isCount(from) && from > 0;
  return isMark ? { n, hash, from } : undefined;
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

export { isMissing } from '../store-error';

/**
 * Doesn't follow a link in place of a file, nor wait on a pipe. Undefined on Windows, where it has
 * no effect.
 */
const SAFE_OPEN_FLAGS = constants.O_NOFOLLOW | constants.O_NONBLOCK;

/**
 * Opens a regular file that only this user can access.
 * @param path of the file, for messages
 * @throws StoreError `io` if it is not a regular file
 */
export async function openPrivate(file: string, path: string, flags: number): Promise<FileHandle> {
  const handle = await open(file, flags | SAFE_OPEN_FLAGS, 0o600).catch((error: unknown) => {
    throw openError(file, path, error);
  });
  const found = await handle.stat();
  if (found.isFile()) return handle;
  await handle.close();
  throw notAFile(path, found);
}

/**
 * Replaces a file atomically. Only this user can read the new one.
 * @param path of the file, for messages
 * @param lasting whether to flush it to disk first, so that it survives a power cut
 */
export async function replaceFile(
  file: string,
  path: string,
  text: string | Uint8Array,
  lasting: boolean,
): Promise<void> {
  const random = randomUUID().replaceAll('-', '');
  // The doctor recognises this name as the leftover of a process that died.
  const temporary = join(dirname(file), `.atb-${random.slice(0, 12)}-${random.slice(12, 20)}.tmp`);
  try {
    const handle = await open(temporary, 'wx', 0o600);
    try {
      await handle.writeFile(text, 'utf8');
      if (lasting) await handle.datasync();
    } finally {
      await handle.close();
    }
    await assertReplaceable(file, path);
    await rename(temporary, file);
  } catch (error) {
    await unlink(temporary).catch(() => undefined);
    throw error;
  }
}

/** Throws if the target is not a regular file or link, since a rename would replace it. */
async function assertReplaceable(file: string, path: string): Promise<void> {
  const found = await lstat(file).catch(ifMissing(undefined));
  if (found?.isFile() === false && !found.isSymbolicLink()) throw notAFile(path, found);
}
