import { constants } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { toFileFacts } from './file-facts';
import { VaultFault } from './vault-path';

/** Open flags that a page may use. */
const ALLOWED_FLAGS =
  constants.O_APPEND |
  constants.O_CREAT |
  constants.O_DIRECTORY |
  constants.O_WRONLY |
  constants.O_RDWR |
  constants.O_NOFOLLOW |
  constants.O_NONBLOCK;

type Task = (handle: FileHandle, what: unknown, at: unknown) => Promise<unknown>;

const TASKS: ReadonlyMap<unknown, Task> = new Map<unknown, Task>([
  ['readFile', (handle) => handle.readFile('utf8')],
  ['readBytes', (handle) => handle.readFile('base64')],
  ['writeFile', (handle, text) => handle.writeFile(String(text), 'utf8')],
  ['appendFile', (handle, text) => handle.appendFile(String(text), 'utf8')],
  ['read', (handle, length, at) => read(handle, Number(length), at)],
  ['write', (handle, bytes, at) => write(handle, String(bytes), at)],
  ['truncate', (handle, length) => handle.truncate(Number(length))],
  ['datasync', (handle) => handle.datasync()],
  ['stat', async (handle) => toFileFacts(await handle.stat())],
]);

/** Open files of pages: each page has its own, and they are closed when it is gone. */
export class PageHandles {
  readonly #open = new Map<string, FileHandle>();
  #last = 0;

  async open(page: string, file: string, flags: unknown, mode: unknown): Promise<number> {
    const known = flags === 'wx' || (typeof flags === 'number' && (flags & ~ALLOWED_FLAGS) === 0);
    if (!known) throw new VaultFault('EINVAL', 'A page does not open files that way');
    const handle = await open(file, flags, typeof mode === 'number' ? mode : 0o666);
    this.#last += 1;
    this.#open.set(keyOf(page, this.#last), handle);
    return this.#last;
  }

  async run(
    page: string,
    id: unknown,
    task: unknown,
    ...[what, at]: readonly unknown[]
  ): Promise<unknown> {
    const handle = this.#handle(page, id);
    if (task === 'close') {
      this.#open.delete(keyOf(page, id));
      return handle.close();
    }
    const run = TASKS.get(task);
    if (run === undefined) throw new VaultFault('EINVAL', `No operation "${String(task)}"`);
    return run(handle, what, at);
  }

  /** Path of a page's open file, as seen from this process. @throws VaultFault `EBADF` */
  pathOf(page: string, id: unknown): string {
    return `/proc/self/fd/${this.#handle(page, id).fd}`;
  }

  #handle(page: string, id: unknown): FileHandle {
    const handle = this.#open.get(keyOf(page, id));
    if (handle === undefined) throw new VaultFault('EBADF', 'This file is not open');
    return handle;
  }

  /** Closes the files of a page that is gone. */
  async end(page: string): Promise<void> {
    for (const [key, handle] of [...this.#open]) {
      if (!key.startsWith(`${page} `)) continue;
      this.#open.delete(key);
      await handle.close();
    }
  }
}

function keyOf(page: string, id: unknown): string {
  return `${page} ${String(id)}`;
}

/** @param at position in the file; null: the current position */
async function read(handle: FileHandle, length: number, at: unknown): Promise<string> {
  const position = typeof at === 'number' ? at : null;
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, position);
  return buffer.toString('base64', 0, bytesRead);
}

/** @param at position in the file; null: the current position, or the end when appending */
async function write(handle: FileHandle, base64: string, at: unknown): Promise<number> {
  const bytes = Buffer.from(base64, 'base64');
  const position = typeof at === 'number' ? at : null;
  return (await handle.write(bytes, 0, bytes.length, position)).bytesWritten;
}
