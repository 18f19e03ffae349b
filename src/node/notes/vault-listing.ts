import { lstatSync, readdirSync, statSync, type Stats } from 'node:fs';
import type { PathResolver } from '../../core/permission/path-resolver';
import { VaultTarget } from '../../core/permission/vault-target';
import { StoreError, type Clock, type NoteStore } from '../../core/ports';
import type { VaultEntry } from '../../core/tool/note/vault-notes';
import { supportsHandlePaths, FileLocator } from '../file-locator';
import { systemCode } from '../store-error';
import { isTemporary } from '../whole-file';

export interface VaultListingDeps {
  /** absolute */
  readonly vault: string;
  readonly store: Pick<NoteStore, 'stat'>;
  readonly resolver: PathResolver;
  /** Whether no rule can allow reading the file or folder. Such files are never read. */
  readonly hidden: (target: VaultTarget) => boolean;
  readonly clock: Pick<Clock, 'now'>;
}

/** The state of a note's file on disk. */
export interface Stamp {
  /** bytes */
  readonly size: number;
  /** ms since the epoch */
  readonly mtime: number;
  readonly ctime: number;
}

/** ms before a check within which a file may change again without a change of its times. */
const SETTLE_MS = 2_000;

/**
 * Whether any later change will be visible in the file's times.
 * @param now time of the check, or earlier
 */
export function isSettled({ mtime, ctime }: Omit<Stamp, 'size'>, now: number): boolean {
  return Math.max(mtime, ctime) < now - SETTLE_MS;
}

/** Paths of the entries directly in a folder. */
interface Listed {
  readonly folders: string[];
  readonly notes: string[];
  readonly others: string[];
  readonly links: string[];
}

/** The entries of a folder, valid while its own state is unchanged. */
interface CachedFolder extends Omit<Stamp, 'size'> {
  readonly inode: number;
  readonly listed: Listed;
}

/** A file with its state on disk. */
export interface ListedFile extends Stamp {
  readonly path: string;
}

/**
 * Lists a vault's folder as Obsidian shows it: without hidden files, and without folders that are
 * links.
 */
export class VaultListing {
  private readonly locator: FileLocator;
  private cache = new Map<string, CachedFolder>();

  constructor(private readonly deps: VaultListingDeps) {
    this.locator = new FileLocator(deps.vault);
  }

  /**
   * The notes and folders directly in a folder; undefined if it doesn't exist.
   * @param folder "" for the vault
   */
  async entriesIn(folder: string): Promise<readonly VaultEntry[] | undefined> {
    const listed = await this.list(folder);
    if (listed === undefined) return undefined;
    const { notes, folders, links } = listed;
    const linked = (await this.linkedFiles(links)).filter(({ path }) => isNote(path));
    const files = [...notes, ...linked.map(({ path }) => path)];
    return [
      ...folders.map((path) => ({ path, kind: 'folder' as const })),
      ...files.map((path) => ({ path, kind: 'file' as const })),
    ];
  }

  /**
   * Lists the paths of all files that are not hidden, and the stat of each note. Every note is checked each
   * time; a folder is only listed again if it changed, which happens whenever an entry is added or removed.
   */
  async all(): Promise<{
    readonly files: readonly string[];
    readonly notes: readonly ListedFile[];
  }> {
    const files: string[] = [];
    const found: ListedFile[] = [];
    const before = this.cache;
    this.cache = new Map();
    const open = [''];
    for (let folder = open.pop(); folder !== undefined; folder = open.pop()) {
      const listed = this.cachedListing(folder, before) ?? (await this.listAndCache(folder));
      if (listed === undefined) continue;
      for (const path of listed.folders)
        if (!this.deps.hidden(new VaultTarget(path))) open.push(path);
      for (const path of listed.others) files.push(path);
      for (const path of listed.notes) {
        files.push(path);
        const note = this.statNote(path);
        if (note !== undefined) found.push(note);
      }
      for (const file of await this.linkedFiles(listed.links)) {
        files.push(file.path);
        if (isNote(file.path)) found.push(file);
      }
    }
    return { files, notes: found };
  }

  private cachedListing(
    folder: string,
    before: ReadonlyMap<string, CachedFolder>,
  ): Listed | undefined {
    const kept = before.get(folder);
    if (kept === undefined) return undefined;
    const now = this.folderStamp(folder);
    if (now?.inode !== kept.inode || now.mtime !== kept.mtime || now.ctime !== kept.ctime)
      return undefined;
    this.cache.set(folder, kept);
    return kept.listed;
  }

  private async listAndCache(folder: string): Promise<Listed | undefined> {
    const now = this.deps.clock.now();
    const stamp = this.folderStamp(folder);
    const listed = await this.list(folder);
    if (listed !== undefined && stamp !== undefined && isSettled(stamp, now))
      this.cache.set(folder, { ...stamp, listed });
    return listed;
  }

  /**
   * The folder's state; undefined on systems where its times may not reflect added and removed
   * entries.
   */
  private folderStamp(folder: string): Omit<CachedFolder, 'listed'> | undefined {
    if (!supportsHandlePaths()) return undefined;
    const found = this.stat(statSync, folder);
    return found && { inode: found.ino, mtime: found.mtimeMs, ctime: found.ctimeMs };
  }

  private async list(folder: string): Promise<Listed | undefined> {
    const readFolder = (at: string | undefined): Promise<Listed | undefined> => {
      if (at === undefined) return Promise.resolve(undefined);
      const listed: Listed = { folders: [], notes: [], others: [], links: [] };
      // Synchronous: for many small folders, the thread pool costs more than the calls themselves.
      for (const entry of readdirSync(at, { withFileTypes: true })) {
        const { name } = entry;
        if (name.startsWith('.') || isTemporary(name)) continue;
        const path = folder === '' ? name : `${folder}/${name}`;
        if (entry.isDirectory()) listed.folders.push(path);
        else if (entry.isSymbolicLink()) listed.links.push(path);
        else if (entry.isFile()) (isNote(name) ? listed.notes : listed.others).push(path);
      }
      return Promise.resolve(listed);
    };
    try {
      const { locator: places } = this;
      return await (folder === '' ? places.vault(readFolder) : places.folder(folder, readFolder));
    } catch (error) {
      if (error instanceof StoreError || systemCode(error) !== undefined) return undefined;
      throw error;
    }
  }

  /** Links that lead to accessible files in the vault. */
  private async linkedFiles(links: readonly string[]): Promise<readonly ListedFile[]> {
    const found = await Promise.all(links.map((path) => this.statLinked(path)));
    return found.flatMap((file) => file ?? []);
  }

  private async statLinked(path: string): Promise<ListedFile | undefined> {
    try {
      const target = await this.deps.resolver.resolve(path);
      if (!(target instanceof VaultTarget) || this.deps.hidden(target)) return undefined;
      const stat = await this.deps.store.stat(target.real);
      return stat && { path, ...stat, ctime: 0 };
    } catch (error) {
      if (error instanceof StoreError) return undefined;
      throw error;
    }
  }

  private statNote(path: string): ListedFile | undefined {
    const found = this.stat(lstatSync, path);
    return found && { path, size: found.size, mtime: found.mtimeMs, ctime: found.ctimeMs };
  }

  /**
   * Stats a file by its name, which is faster than by handle and safe, since nothing is read
   * through it. Returns undefined if it is missing or inaccessible, so that one closed folder
   * doesn't end every search.
   */
  private stat(by: typeof lstatSync, path: string): Stats | undefined {
    try {
      return by(`${this.deps.vault}/${path}`, { throwIfNoEntry: false });
    } catch (error) {
      if (systemCode(error) === undefined) throw error;
      return undefined;
    }
  }
}

export function isNote(path: string): boolean {
  return path.toLowerCase().endsWith('.md');
}
