import { lstatSync, readdirSync, statSync, type Stats } from 'node:fs';
import type { PathResolver } from '../../core/permission/path-resolver';
import { VaultTarget } from '../../core/permission/vault-target';
import { StoreError, type Clock, type NoteStore } from '../../core/ports';
import type { VaultEntry } from '../../core/tool/note/vault-notes';
import { supportsHandlePaths, FileLocator } from '../file-locator';
import { systemCode } from '../store-error';
import { isTemporary } from '../whole-file';
import { FolderWatch } from './folder-watch';

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

/** ms after which everything is looked at again, in case the system dropped reports of changes. */
const RECHECK_MS = 60_000;

/** Paths of the entries directly in a folder. */
interface Listed {
  readonly folders: string[];
  readonly notes: string[];
  readonly others: string[];
  readonly links: string[];
}

/** A folder's own state. It changes when an entry is added or removed. */
interface FolderStamp extends Omit<Stamp, 'size'> {
  readonly inode: number;
}

interface CachedFolder {
  /** undefined if entries may change without a change of it */
  readonly stamp: FolderStamp | undefined;
  readonly listed: Listed;
  /** those that are no links */
  readonly notes: readonly ListedFile[];
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
  private watch: FolderWatch | undefined;
  private isRecheck = true;
  private checkedAt = 0;

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
   * Lists the paths of all files that are not hidden, and the stat of each note as it is now. Only
   * folders that changed are listed again, and only notes in folders where anything may have
   * changed are looked at again.
   */
  async all(): Promise<{
    readonly files: readonly string[];
    readonly notes: readonly ListedFile[];
  }> {
    const files: string[] = [];
    const found: ListedFile[] = [];
    const before = this.cache;
    await this.beginPass(before);
    const open = [{ folder: '', isKnown: false }];
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      const { folder, isKnown } = next;
      const unchanged = this.unchanged(folder, before.get(folder), isKnown);
      const now = unchanged ?? (await this.look(folder, before.get(folder)));
      if (now === undefined) continue;
      this.cache.set(folder, now);
      const { listed } = now;
      for (const path of listed.folders)
        if (!this.deps.hidden(new VaultTarget(path)))
          open.push({ folder: path, isKnown: unchanged !== undefined });
      for (const path of listed.others) files.push(path);
      for (const note of now.notes) {
        files.push(note.path);
        found.push(note);
      }
      for (const file of await this.linkedFiles(listed.links)) {
        files.push(file.path);
        if (isNote(file.path)) found.push(file);
      }
    }
    for (const folder of before.keys())
      if (!this.cache.has(folder)) this.watch?.end(this.absolute(folder));
    return { files, notes: found };
  }

  private async beginPass(before: ReadonlyMap<string, CachedFolder>): Promise<void> {
    this.cache = new Map();
    // A program that lists a vault only once does not need to watch it.
    if (before.size > 0 && FolderWatch.isSupported()) this.watch ??= new FolderWatch();
    await this.watch?.receiveChanges();
    const now = this.deps.clock.now();
    this.isRecheck = Math.abs(now - this.checkedAt) > RECHECK_MS;
    if (this.isRecheck) this.checkedAt = now;
  }

  /**
   * The folder as it was before, if nothing in it changed.
   * @param isKnown whether it is the folder that it was, since the one above is unchanged
   */
  private unchanged(
    folder: string,
    before: CachedFolder | undefined,
    isKnown: boolean,
  ): CachedFolder | undefined {
    if (this.isRecheck || this.watch?.isUnchanged(this.absolute(folder)) !== true) return undefined;
    const isSame = isKnown || this.folderStamp(folder)?.inode === before?.stamp?.inode;
    return isSame ? before : undefined;
  }

  /** Looks at a folder's notes, and lists it again if it changed. */
  private async look(
    folder: string,
    before: CachedFolder | undefined,
  ): Promise<CachedFolder | undefined> {
    const now = this.deps.clock.now();
    const stamp = this.folderStamp(folder);
    if (stamp !== undefined) this.watch?.begin(this.absolute(folder), stamp.inode);
    const listed = isSameStamp(stamp, before?.stamp) ? before?.listed : await this.list(folder);
    if (listed === undefined) return undefined;
    const stats = listed.notes.flatMap((path) => {
      const found = this.stat(lstatSync, path);
      return found === undefined ? [] : { path, found };
    });
    // A change under a name in another folder is not reported in this one.
    if (stats.some(({ found }) => found.nlink > 1)) this.watch?.end(this.absolute(folder));
    const notes = stats.map(({ path, found }) => {
      return { path, size: found.size, mtime: found.mtimeMs, ctime: found.ctimeMs };
    });
    const isReliable = stamp !== undefined && isSettled(stamp, now);
    return { stamp: isReliable ? stamp : undefined, listed, notes };
  }

  /**
   * The folder's state; undefined on systems where its times may not reflect added and removed
   * entries.
   */
  private folderStamp(folder: string): FolderStamp | undefined {
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

  private absolute(path: string): string {
    return `${this.deps.vault}/${path}`;
  }

  /**
   * Stats a file by its name, which is faster than by handle and safe, since nothing is read
   * through it. Returns undefined if it is missing or inaccessible, so that one closed folder
   * doesn't end every search.
   */
  private stat(by: typeof lstatSync, path: string): Stats | undefined {
    try {
      return by(this.absolute(path), { throwIfNoEntry: false });
    } catch (error) {
      if (systemCode(error) === undefined) throw error;
      return undefined;
    }
  }
}

function isSameStamp(a: FolderStamp | undefined, b: FolderStamp | undefined): boolean {
  if (a === undefined || b === undefined) return false;
  return a.inode === b.inode && a.mtime === b.mtime && a.ctime === b.ctime;
}

export function isNote(path: string): boolean {
  return path.toLowerCase().endsWith('.md');
}
