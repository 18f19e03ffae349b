import { notAFolderError, pathFault } from '../../src/core/board/vault-path';
import { KeyedQueue } from '../../src/core/keyed-queue';
import { StoreError, type Entry, type NoteStore, type Stat } from '../../src/core/ports';

/** A NoteStore in memory. `writes` lists the written paths; `mtime` is a counter. */
export class MemoryStore implements NoteStore {
  readonly files = new Map<string, { text: string; mtime: number }>();
  readonly writes: string[] = [];
  readonly reads: string[] = [];
  /** thrown by the next write */
  fault: Error | undefined;
  private readonly queue = new KeyedQueue();
  private time = 1_000;

  async read(path: string): Promise<string | undefined> {
    check(path);
    await Promise.resolve();
    this.reads.push(path);
    this.refuseFileAbove(path);
    return this.files.get(path)?.text;
  }

  async update(
    path: string,
    edit: (text: string | undefined) => string | undefined,
  ): Promise<string | undefined> {
    check(path);
    return this.queue.run(path, async () => {
      await Promise.resolve();
      const before = this.files.get(path)?.text;
      const after = edit(before);
      if (after === undefined || after === before) return before;
      this.failOnce();
      if (/\p{Surrogate}/u.test(after)) throw new StoreError('not_utf8', `${path}: no UTF-8`);
      this.put(path, after);
      this.writes.push(path);
      return after;
    });
  }

  async append(path: string, lines: string, most: number): Promise<boolean> {
    let fits = false;
    await this.update(path, (text = '') => {
      fits = text.endsWith('\n') && new TextEncoder().encode(text + lines).length <= most;
      return fits ? text + lines : undefined;
    });
    return fits;
  }

  async list(folder: string): Promise<readonly Entry[]> {
    check(folder);
    await Promise.resolve();
    this.refuseFileAbove(`${folder}/`);
    const found = new Map<string, Entry>();
    for (const path of this.files.keys()) {
      if (!path.startsWith(`${folder}/`)) continue;
      const [name = '', ...rest] = path.slice(folder.length + 1).split('/');
      found.set(name, { name, kind: rest.length > 0 ? 'folder' : 'file' });
    }
    return [...found.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  async stat(path: string): Promise<Stat | undefined> {
    check(path);
    await Promise.resolve();
    const file = this.files.get(path);
    return file && { mtime: file.mtime, size: new TextEncoder().encode(file.text).length };
  }

  async remove(path: string): Promise<void> {
    check(path);
    await this.queue.run(path, async () => {
      await Promise.resolve();
      this.files.delete(path);
    });
  }

  async rename(from: string, to: string): Promise<boolean> {
    check(from);
    check(to);
    const [first, second] = from < to ? [from, to] : [to, from];
    return this.queue.run(first, () =>
      this.queue.run(second, async () => {
        await Promise.resolve();
        const file = this.files.get(from);
        if (file === undefined || this.files.has(to)) return false;
        this.failOnce();
        this.files.delete(from);
        this.files.set(to, file);
        return true;
      }),
    );
  }

  /** Writes as another program does. */
  put(path: string, text: string): void {
    this.files.set(path, { text, mtime: (this.time += 10) });
  }

  private refuseFileAbove(path: string): void {
    for (let end = path.indexOf('/'); end >= 0; end = path.indexOf('/', end + 1)) {
      if (this.files.has(path.slice(0, end))) throw notAFolderError(path.slice(0, end));
    }
  }

  private failOnce(): void {
    const { fault } = this;
    this.fault = undefined;
    if (fault !== undefined) throw fault;
  }
}

function check(path: string): void {
  const fault = pathFault(path);
  if (fault !== undefined) throw new StoreError('denied', `${path}: ${fault[0]}`);
}
