import type { DataWriteOptions } from 'obsidian';
import {
  TFile,
  TFolder,
  Vault as MockVault,
  type TAbstractFile,
} from 'obsidian-test-mocks/obsidian';
import type { DiskStat, VaultFacts } from '../vault-client';
import type { DiskAdapter } from './disk-adapter';
import { isHidden } from './hidden-path';
import { triggerIsolated } from './isolated-trigger';

/** Notes above this size are not parsed for the metadata cache, in bytes. */
const MAX_PARSED_BYTES = 256 * 1024;

/**
 * The vault over a real folder. Differs from its base class as the app does: hidden paths are not
 * indexed and fire no events; own and foreign changes both go through `reconcile`, sequentially, so
 * that each change fires once.
 */
export class Vault extends MockVault {
  readonly #texts = new Map<string, string>();
  #queue: Promise<unknown> = Promise.resolve();

  constructor(
    readonly disk: DiskAdapter,
    facts: VaultFacts,
  ) {
    super(disk);
    for (const entry of facts.entries) this.#index(entry.path, entry);
  }

  override trigger(name: string, ...data: unknown[]): void {
    triggerIsolated(this, name, data);
  }

  override getName(): string {
    return this.disk.vaultName;
  }

  override getResourcePath(file: TFile): string {
    return this.disk.getResourcePath(file.path);
  }

  /** Only for notes that the metadata cache is parsing; the app's API is asynchronous. */
  override readSync__(file: TFile): string {
    const text = this.#texts.get(file.path);
    if (text === undefined) throw new Error(`Not parsed: ${file.path}`);
    return text;
  }

  override getAllFolders(includeRoot = false): TFolder[] {
    return super.getAllFolders().filter((folder) => includeRoot || !folder.isRoot());
  }

  override async create(path: string, data: string, options?: DataWriteOptions): Promise<TFile> {
    await this.#assertFree(path);
    await this.#write(path, () => this.disk.write(path, data, options));
    return this.#expectFile(path);
  }

  override async createBinary(
    path: string,
    data: ArrayBuffer,
    options?: DataWriteOptions,
  ): Promise<TFile> {
    await this.#assertFree(path);
    await this.#write(path, () => this.disk.writeBinary(path, data, options));
    return this.#expectFile(path);
  }

  override async createFolder(path: string): Promise<TFolder> {
    if (this.getAbstractFileByPath(path)) throw new Error('Folder already exists.');
    const above = path.split('/').map((_, at, all) => all.slice(0, at + 1).join('/'));
    await this.#write(above, () => this.disk.mkdir(path));
    const folder = this.getFolderByPath(path);
    if (folder === null) throw new Error(`The folder ${path} is hidden, so it is not in the index`);
    return folder;
  }

  override modify(file: TFile, data: string, options?: DataWriteOptions): Promise<void> {
    return this.#write(file.path, () => this.disk.write(file.path, data, options));
  }

  override modifyBinary(file: TFile, data: ArrayBuffer, options?: DataWriteOptions): Promise<void> {
    return this.#write(file.path, () => this.disk.writeBinary(file.path, data, options));
  }

  override append(file: TFile, data: string, options?: DataWriteOptions): Promise<void> {
    return this.#write(file.path, () => this.disk.append(file.path, data, options));
  }

  override process(
    file: TFile,
    change: (data: string) => string,
    options?: DataWriteOptions,
  ): Promise<string> {
    return this.#write(file.path, () => this.disk.process(file.path, change, options));
  }

  override async copy<T extends TAbstractFile>(file: T, newPath: string): Promise<T> {
    await this.#write(newPath, () => this.disk.copy(file.path, newPath));
    return this.#expectFile(newPath) as unknown as T;
  }

  override rename(file: TAbstractFile, newPath: string): Promise<void> {
    return this.#enqueue(() => super.rename(file, newPath));
  }

  override async delete(file: TAbstractFile, force = false): Promise<void> {
    const { path } = file;
    const folder = file instanceof TFolder;
    await this.#write(path, () =>
      folder ? this.disk.rmdir(path, force || true) : this.disk.remove(path),
    );
  }

  override async trash(file: TAbstractFile, system: boolean): Promise<void> {
    const { path } = file;
    await this.#write(path, async () => {
      if (!(system && (await this.disk.trashSystem(path)))) await this.disk.trashLocal(path);
    });
  }

  /** Updates the index from the disk at these paths and fires the changes. */
  reconcile(paths: readonly string[]): Promise<void> {
    return this.#enqueue(async () => {
      for (const path of paths) await this.#reconcileOne(path);
    });
  }

  /** Fills the metadata cache; the app does it while it starts. */
  async parseAll(parse: (file: TFile) => void): Promise<void> {
    for (const file of this.getMarkdownFiles()) {
      await this.#keepText(file.path, file.stat.size);
      parse(file);
    }
  }

  #write<T>(paths: string | readonly string[], run: () => Promise<T>): Promise<T> {
    return this.#enqueue(async () => {
      const result = await run();
      for (const path of [paths].flat()) await this.#reconcileOne(path);
      return result;
    });
  }

  #enqueue<T>(run: () => Promise<T>): Promise<T> {
    const next = this.#queue.then(run, run);
    this.#queue = next;
    return next;
  }

  async #reconcileOne(path: string): Promise<void> {
    if (path === '' || path === '/' || isHidden(path)) return;
    const stat = await this.disk.stat(path);
    const known = this.getAbstractFileByPath(path);
    if (stat === null) return known === null ? undefined : this.#forget(known);
    if (stat.type === 'file') await this.#keepText(path, stat.size);
    if (known === null) {
      this.trigger('create', this.#index(path, stat));
      if (stat.type === 'folder') await this.#reconcileBelow(path);
    } else if (known instanceof TFile && differs(known.stat, stat)) {
      known.stat = toFileStat(stat);
      this.trigger('modify', known);
    }
  }

  async #reconcileBelow(folder: string): Promise<void> {
    const { folders, files } = await this.disk.list(folder);
    for (const path of [...folders, ...files]) await this.#reconcileOne(path);
  }

  #forget(file: TAbstractFile): void {
    if (file instanceof TFolder) for (const child of [...file.children]) this.#forget(child);
    this.deleteVaultAbstractFile__(file.path);
    this.#texts.delete(file.path);
    this.trigger('delete', file);
  }

  #index(path: string, stat: DiskStat): TAbstractFile {
    const file = stat.type === 'folder' ? TFolder.create__(this, path) : TFile.create__(this, path);
    if (file instanceof TFile) file.stat = toFileStat(stat);
    this.setVaultAbstractFile__(path, file);
    return file;
  }

  async #keepText(path: string, size: number): Promise<void> {
    if (path.endsWith('.md') && size <= MAX_PARSED_BYTES) {
      this.#texts.set(path, await this.disk.read(path).catch(() => ''));
    }
  }

  async #assertFree(path: string): Promise<void> {
    if (await this.disk.exists(path)) throw new Error('File already exists.');
  }

  #expectFile(path: string): TFile {
    const file = this.getFileByPath(path);
    if (file === null) throw new Error(`The file ${path} is hidden, so it is not in the index`);
    return file;
  }
}

const differs = (a: TFile['stat'], b: DiskStat): boolean =>
  a.mtime !== b.mtime || a.size !== b.size;

const toFileStat = ({ ctime, mtime, size }: DiskStat): TFile['stat'] => ({ ctime, mtime, size });
