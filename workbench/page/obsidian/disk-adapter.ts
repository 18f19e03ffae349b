import type { DataWriteOptions, ListedFiles } from 'obsidian';
import { callForJson, readBytes, type DiskStat } from '../vault-client';

/** The app's adapter over the server's disk: hidden folders work here, as in the app. */
export class DiskAdapter {
  readonly #queues = new Map<string, Promise<unknown>>();
  /** texts of files that are in the vault for the app, but come from the build here */
  readonly #builtFiles = new Map<string, string>();

  constructor(
    readonly vaultName: string,
    readonly basePath: string,
  ) {}

  /** Adds a file of the plugin's own folder, which is not in the vault on disk. */
  addBuiltFile(path: string, text: string): void {
    this.#builtFiles.set(path, text);
  }

  getName(): string {
    return this.vaultName;
  }

  async exists(path: string, _sensitive?: boolean): Promise<boolean> {
    return (await this.stat(path)) !== null;
  }

  stat(path: string): Promise<DiskStat | null> {
    return callForJson('stat', { path });
  }

  list(path: string): Promise<ListedFiles> {
    return callForJson('list', { path });
  }

  /** Keeps a byte order mark, as Node does; bytes that are not UTF-8 become U+FFFD. */
  async read(path: string): Promise<string> {
    const built = this.#builtFiles.get(path);
    if (built !== undefined) return built;
    return new TextDecoder('utf-8', { ignoreBOM: true }).decode(await readBytes(path));
  }

  readBinary(path: string): Promise<ArrayBuffer> {
    return readBytes(path);
  }

  write(path: string, data: string, options?: DataWriteOptions): Promise<void> {
    return this.#enqueue(path, () => writeData('write', path, data, options));
  }

  writeBinary(path: string, data: ArrayBuffer, options?: DataWriteOptions): Promise<void> {
    return this.#enqueue(path, () => writeData('write', path, data, options));
  }

  append(path: string, data: string, options?: DataWriteOptions): Promise<void> {
    return this.#enqueue(path, () => writeData('append', path, data, options));
  }

  appendBinary(path: string, data: ArrayBuffer, options?: DataWriteOptions): Promise<void> {
    return this.#enqueue(path, () => writeData('append', path, data, options));
  }

  /** Reads, changes and writes a file without other writes of this page to it in between. */
  process(
    path: string,
    change: (data: string) => string,
    options?: DataWriteOptions,
  ): Promise<string> {
    return this.#enqueue(path, async () => {
      const text = change(await this.read(path));
      await writeData('write', path, text, options);
      return text;
    });
  }

  mkdir(path: string): Promise<void> {
    return callForJson('mkdir', { path });
  }

  rmdir(path: string, recursive: boolean): Promise<void> {
    return callForJson('rmdir', { path, recursive: String(recursive) });
  }

  remove(path: string): Promise<void> {
    return this.#enqueue(path, () => callForJson('remove', { path }));
  }

  rename(path: string, to: string): Promise<void> {
    return this.#enqueue(path, () => callForJson('rename', { path, to }));
  }

  copy(path: string, to: string): Promise<void> {
    return this.#enqueue(to, () => callForJson('copy', { path, to }));
  }

  /** Returns false, as the app does on a system without trash. */
  trashSystem(_path: string): Promise<boolean> {
    return Promise.resolve(false);
  }

  trashLocal(path: string): Promise<void> {
    return this.#enqueue(path, () => callForJson('trash', { path }));
  }

  getResourcePath(path: string): string {
    return `/vault/${path.split('/').map(encodeURIComponent).join('/')}`;
  }

  getFullPath(path: string): string {
    return `${this.basePath}/${path}`;
  }

  #enqueue<T>(path: string, run: () => Promise<T>): Promise<T> {
    const before = this.#queues.get(path) ?? Promise.resolve();
    const next = before.then(run, run);
    this.#queues.set(path, next);
    return next;
  }
}

function writeData(
  operation: 'write' | 'append',
  path: string,
  data: string | ArrayBuffer,
  options?: DataWriteOptions,
): Promise<void> {
  const mtime = options?.mtime === undefined ? {} : { mtime: String(options.mtime) };
  return callForJson(operation, { path, ...mtime }, data);
}
