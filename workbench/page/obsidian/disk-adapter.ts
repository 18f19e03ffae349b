import type { DataWriteOptions, ListedFiles } from 'obsidian';
import { ask, readBytes, type DiskStat } from '../vault-client';

/** The app's adapter over the server's disk: hidden folders work here, as in the app. */
export class DiskAdapter {
  readonly #turns = new Map<string, Promise<unknown>>();
  /** texts of files that are in the vault for the app, but come from the build here */
  readonly #built = new Map<string, string>();

  constructor(
    readonly vaultName: string,
    readonly basePath: string,
  ) {}

  /** Adds a file of the plugin's own folder, which is not in the vault on disk. */
  putBuilt(path: string, text: string): void {
    this.#built.set(path, text);
  }

  getName(): string {
    return this.vaultName;
  }

  async exists(path: string, _sensitive?: boolean): Promise<boolean> {
    return (await this.stat(path)) !== null;
  }

  stat(path: string): Promise<DiskStat | null> {
    return ask('stat', { path });
  }

  list(path: string): Promise<ListedFiles> {
    return ask('list', { path });
  }

  /** Keeps a byte order mark, as Node does; bytes that are not UTF-8 become U+FFFD. */
  async read(path: string): Promise<string> {
    const built = this.#built.get(path);
    if (built !== undefined) return built;
    return new TextDecoder('utf-8', { ignoreBOM: true }).decode(await readBytes(path));
  }

  readBinary(path: string): Promise<ArrayBuffer> {
    return readBytes(path);
  }

  write(path: string, data: string, options?: DataWriteOptions): Promise<void> {
    return this.#inTurn(path, () => put('write', path, data, options));
  }

  writeBinary(path: string, data: ArrayBuffer, options?: DataWriteOptions): Promise<void> {
    return this.#inTurn(path, () => put('write', path, data, options));
  }

  append(path: string, data: string, options?: DataWriteOptions): Promise<void> {
    return this.#inTurn(path, () => put('append', path, data, options));
  }

  appendBinary(path: string, data: ArrayBuffer, options?: DataWriteOptions): Promise<void> {
    return this.#inTurn(path, () => put('append', path, data, options));
  }

  /** Reads, changes and writes a file without other writes of this page to it in between. */
  process(
    path: string,
    change: (data: string) => string,
    options?: DataWriteOptions,
  ): Promise<string> {
    return this.#inTurn(path, async () => {
      const text = change(await this.read(path));
      await put('write', path, text, options);
      return text;
    });
  }

  mkdir(path: string): Promise<void> {
    return ask('mkdir', { path });
  }

  rmdir(path: string, recursive: boolean): Promise<void> {
    return ask('rmdir', { path, recursive: String(recursive) });
  }

  remove(path: string): Promise<void> {
    return this.#inTurn(path, () => ask('remove', { path }));
  }

  rename(path: string, to: string): Promise<void> {
    return this.#inTurn(path, () => ask('rename', { path, to }));
  }

  copy(path: string, to: string): Promise<void> {
    return this.#inTurn(to, () => ask('copy', { path, to }));
  }

  /** Returns false, as the app does on a system without trash. */
  trashSystem(_path: string): Promise<boolean> {
    return Promise.resolve(false);
  }

  trashLocal(path: string): Promise<void> {
    return this.#inTurn(path, () => ask('trash', { path }));
  }

  getResourcePath(path: string): string {
    return `/vault/${path.split('/').map(encodeURIComponent).join('/')}`;
  }

  getFullPath(path: string): string {
    return `${this.basePath}/${path}`;
  }

  #inTurn<T>(path: string, run: () => Promise<T>): Promise<T> {
    const before = this.#turns.get(path) ?? Promise.resolve();
    const mine = before.then(run, run);
    this.#turns.set(path, mine);
    return mine;
  }
}

function put(
  operation: 'write' | 'append',
  path: string,
  data: string | ArrayBuffer,
  options?: DataWriteOptions,
): Promise<void> {
  const mtime = options?.mtime === undefined ? {} : { mtime: String(options.mtime) };
  return ask(operation, { path, ...mtime }, data);
}
