import { constants } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { factsOf } from './file-facts';
import { VaultFault } from './vault-path';

/** Ways of opening that a page may ask for. */
const MAY =
  constants.O_APPEND |
  constants.O_CREAT |
  constants.O_WRONLY |
  constants.O_NOFOLLOW |
  constants.O_NONBLOCK;

type Task = (handle: FileHandle, text: unknown) => Promise<unknown>;

const TASKS: ReadonlyMap<unknown, Task> = new Map<unknown, Task>([
  ['readFile', (handle) => handle.readFile('utf8')],
  ['writeFile', (handle, text) => handle.writeFile(String(text), 'utf8')],
  ['appendFile', (handle, text) => handle.appendFile(String(text), 'utf8')],
  ['datasync', (handle) => handle.datasync()],
  ['stat', async (handle) => factsOf(await handle.stat())],
]);

/** Files that pages have open: each its own, and none when it is gone. */
export class PageHandles {
  readonly #open = new Map<string, FileHandle>();
  #last = 0;

  async open(page: string, file: string, flags: unknown, mode: unknown): Promise<number> {
    const known = flags === 'wx' || (typeof flags === 'number' && (flags & ~MAY) === 0);
    if (!known) throw new VaultFault('EINVAL', 'A page does not open files that way');
    const handle = await open(file, flags, typeof mode === 'number' ? mode : 0o666);
    this.#last += 1;
    this.#open.set(`${page} ${this.#last}`, handle);
    return this.#last;
  }

  async run(page: string, id: unknown, task: unknown, text: unknown): Promise<unknown> {
    const key = `${page} ${String(id)}`;
    const handle = this.#open.get(key);
    if (handle === undefined) throw new VaultFault('EBADF', 'This file is not open');
    if (task === 'close') {
      this.#open.delete(key);
      return handle.close();
    }
    const run = TASKS.get(task);
    if (run === undefined) throw new VaultFault('EINVAL', `No operation "${String(task)}"`);
    return run(handle, text);
  }

  /** The page is gone. */
  async end(page: string): Promise<void> {
    for (const [key, handle] of [...this.#open]) {
      if (!key.startsWith(`${page} `)) continue;
      this.#open.delete(key);
      await handle.close();
    }
  }
}
