import { constants, type Dirent } from 'node:fs';
import { lstat, mkdir, open, readdir, rename, unlink, type FileHandle } from 'node:fs/promises';
import {
  AUDIT_FOLDER,
  anyAuditFile,
  type AuditMark,
  type AuditStore,
  type MarkedEnd,
} from '../../core/permission/audit/audit-store';
import { ifMissing, notAFile, openError } from '../store-error';
import { dirname, join } from 'node:path';
import { canHold, Places } from '../places';
import { takeLock } from '../lock';
import { createHash, randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { STATE_ROOT } from '../../core/board/todo-manager';
import { StoreError } from '../../core/ports';

const { O_APPEND, O_CREAT, O_RDONLY, O_WRONLY } = constants;

/**
 * The audit as files of this user alone. Lines are added at the end and flushed, so that nothing that
 * stands there is written again.
 */
export function auditFolder(files: AuditFiles): AuditStore {
  return {
    list: () =>
      files.inFolder('', async (at) => {
        if (at === undefined) return [];
        const entries = await readdir(at, { withFileTypes: true }).catch(ifMissing([]));
        const other = entries.find((one) => isOther(one) && anyAuditFile(one.name) !== undefined);
        if (other !== undefined) throw notAFile(files.path(other.name), other);
        return entries.filter((entry) => entry.isFile()).map(({ name }) => name);
      }),
    read: (name) => readOwn(files, name),
    size: (name) =>
      files.onFile(name, async (at) => {
        const found = at === undefined ? undefined : await lstat(at).catch(ifMissing(undefined));
        return found?.size;
      }),
    append: (name, text) =>
      files.onNewFile(name, async (at) => {
        const file = await openOwn(at, files.path(name), O_APPEND | O_CREAT | O_WRONLY);
        await withFile(file, async () => {
          await file.appendFile(text, 'utf8');
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

/** The folder of the product's state in a vault, in the same way. @param vault absolute */
export function stateFolder(vault: string): AuditStore {
  return auditFolder(new AuditFiles(vault, STATE_ROOT));
}

/** Undefined where it is not there. */
function readOwn(files: AuditFiles, name: string): Promise<string | undefined> {
  return files.onFile(name, async (at) => {
    if (at === undefined) return undefined;
    const file = await openOwn(at, files.path(name), O_RDONLY).catch(ifMissing(undefined));
    return file && withFile(file, () => file.readFile('utf8'));
  });
}

/** A folder, a pipe, a device; a link is none of the audit. */
function isOther(entry: Dirent): boolean {
  return !entry.isFile() && !entry.isSymbolicLink();
}

async function withFile<T>(file: FileHandle, task: () => Promise<T>): Promise<T> {
  try {
    return await task();
  } finally {
    await file.close();
  }
}

/** The audit's folders are this user's alone. */
const OWN_FOLDER = 0o700;

/**
 * Where the files of an audit are. Where the system has paths through open folders, a folder that is
 * swapped for a link meanwhile leads nothing of the audit out of the vault.
 */
export class AuditFiles {
  private readonly places: Places | undefined;

  /**
   * @param vault absolute
   * @param folder of the audit, relative to the vault
   */
  constructor(
    private readonly vault: string,
    private readonly folder: string = AUDIT_FOLDER,
  ) {
    this.places = canHold() ? new Places(vault) : undefined;
  }

  /** Runs `task` on a folder of the audit, '' for itself; undefined where the system finds none. */
  async inFolder<T>(folder: string, task: (at: string | undefined) => Promise<T>): Promise<T> {
    const path = this.path(folder);
    if (this.places === undefined) return task(join(this.vault, path));
    return this.places.folder(path, task);
  }

  /** Runs `task` on a file as it is reached; undefined where its folder is missing. */
  onFile<T>(name: string, task: (file: string | undefined) => Promise<T>): Promise<T> {
    const [folder, own] = parted(name);
    return this.inFolder(folder, (at) => task(at === undefined ? undefined : `${at}/${own}`));
  }

  /** The same; folders that are missing are made first. */
  async onNewFile<T>(name: string, task: (file: string) => Promise<T>): Promise<T> {
    const [folder, own] = parted(name);
    const path = this.path(folder);
    if (this.places === undefined) {
      const at = join(this.vault, path);
      await mkdir(at, { recursive: true, mode: OWN_FOLDER });
      return task(`${at}/${own}`);
    }
    return this.places.madeFolder(path, OWN_FOLDER, (at) => task(`${at}/${own}`));
  }

  /**
   * Takes a lock for the life of a process.
   * @returns gives it back, at once
   * @throws StoreError `busy` where another process has it
   */
  hold(name: string): Promise<() => void> {
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

  /** Of a folder or file of the audit, relative to the vault. */
  path(name: string): string {
    return name === '' ? this.folder : `${this.folder}/${name}`;
  }
}

function parted(name: string): [folder: string, own: string] {
  const end = name.lastIndexOf('/');
  return [name.slice(0, Math.max(0, end)), name.slice(end + 1)];
}

/** What a process keeps beside its audit: its name as a writer, and how far it got. */
export const WRITERS_FOLDER = 'writers';

/** Processes of one kind that write audits of one vault at the same time on one machine. */
const MOST_WRITERS = 64;

/** A writer's name that this process alone has until it gives it back. */
export interface HeldWriter {
  readonly writer: string;
  readonly release: () => void;
}

/**
 * The first free name of this machine: `bridge-3f9a1c-1`, and `-2` while another process has that.
 * So many starts one after another go on with one chain, and the files don't get more.
 * @throws StoreError `busy` where all names are taken
 */
export async function holdWriter(files: AuditFiles, kind: string): Promise<HeldWriter> {
  for (let number = 1; number <= MOST_WRITERS; number += 1) {
    const writer = `${kind}-${machine()}-${number}`;
    const release = await holdNamed(files, writer);
    if (release !== undefined) return { writer, release };
  }
  throw new StoreError(
    'busy',
    `${MOST_WRITERS} processes write the audit already. End some of them.`,
  );
}

/** @returns gives the name back; undefined where another process has it */
export async function holdNamed(
  files: AuditFiles,
  writer: string,
): Promise<(() => void) | undefined> {
  try {
    return await files.hold(`${WRITERS_FOLDER}/${writer}.lock`);
  } catch (error) {
    if (!(error instanceof StoreError) || error.code !== 'busy') throw error;
    return undefined;
  }
}

/** Whether it is a name of a bridge, a command line or an MCP server here; the plugin's own marks are the app's. */
export function isOfThisMachine(writer: string): boolean {
  const [, kind, of] = /^(bridge|cli|mcp)-([0-9a-f]{6})-\d+$/.exec(writer) ?? [];
  return kind !== undefined && of === machine();
}

/** Names this machine by its host name's hash. */
export function machine(): string {
  return createHash('sha256').update(hostname()).digest('hex').slice(0, 6);
}

/** How far a writer's audit got, in a file beside it. One that can't be read is none. */
export function auditMark(files: AuditFiles, writer: string): AuditMark {
  const name = `${WRITERS_FOLDER}/${writer}.json`;
  return {
    load: async () => {
      const text = await readOwn(files, name);
      return text === undefined ? undefined : parse(text);
    },
    // One that is older than its audit promises less, and nothing wrong.
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
    return undefined; // written by somebody else
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

/** A link in the place of a file is not followed, nor a pipe waited for. Absent on Windows, and then nothing. */
const OWN_FLAGS = constants.O_NOFOLLOW | constants.O_NONBLOCK;

/**
 * Opens a file of this user alone, and nothing else.
 * @param path of the file, for a person
 * @throws StoreError `io` where it is no file
 */
export async function openOwn(file: string, path: string, how: number): Promise<FileHandle> {
  const handle = await open(file, how | OWN_FLAGS, 0o600).catch((error: unknown) => {
    throw openError(file, path, error);
  });
  const found = await handle.stat();
  if (found.isFile()) return handle;
  await handle.close();
  throw notAFile(path, found);
}

/**
 * Puts a text, or bytes, in the place of a file, whole or not at all; readable for this user alone.
 * @param path of the file, for a person
 * @param lasting flushed to the disk first, so that it stands after a power cut as well
 */
export async function replaceFile(
  file: string,
  path: string,
  text: string | Uint8Array,
  lasting: boolean,
): Promise<void> {
  const random = randomUUID().replaceAll('-', '');
  // A name by which the doctor knows what a process that died has left.
  const beside = join(dirname(file), `.atb-${random.slice(0, 12)}-${random.slice(12, 20)}.tmp`);
  try {
    const handle = await open(beside, 'wx', 0o600);
    try {
      await handle.writeFile(text, 'utf8');
      if (lasting) await handle.datasync();
    } finally {
      await handle.close();
    }
    await refuseOther(file, path);
    await rename(beside, file);
  } catch (error) {
    await unlink(beside).catch(() => undefined);
    throw error;
  }
}

/** A rename over a pipe would go through. */
async function refuseOther(file: string, path: string): Promise<void> {
  const found = await lstat(file).catch(ifMissing(undefined));
  if (found?.isFile() === false && !found.isSymbolicLink()) throw notAFile(path, found);
}
