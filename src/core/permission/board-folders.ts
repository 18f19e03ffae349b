import type { Undo } from '../ports';
import { foldPath } from './vault-target';

/** Stores which folders held boards. Not kept in the vault, where agents could write. */
export interface BoardFolderStorage {
  /** the saved value, unchecked; undefined if nothing was saved */
  load(): unknown;
  save(folders: readonly string[]): void;
}

export interface BoardFoldersDeps {
  readonly kept: BoardFolderStorage;
  /** the current board folder */
  readonly root: () => string;
  /** whether a folder is protected for another reason */
  readonly isProtected: (folder: string) => boolean;
}

/**
 * The folders that hold or held boards. The setting that names the board folder is in a file that
 * other programs write too, so a folder stays protected after the setting changes, until the person
 * releases it.
 */
export class BoardFolders {
  /** the current board folder comes first */
  private all: readonly string[] = [];
  private readonly listeners = new Set<() => void>();

  constructor(private readonly deps: BoardFoldersDeps) {
    const saved = deps.kept.load();
    const folders: readonly unknown[] = Array.isArray(saved) ? saved : [];
    this.all = folders.filter((one) => typeof one === 'string');
    this.refresh();
  }

  /** Former board folders that nothing else protects. */
  get left(): readonly string[] {
    const now = this.deps.root();
    return this.all.filter((folder) => folder !== now && !this.deps.isProtected(folder));
  }

  /** All current and former board folders. */
  get currentAndFormer(): readonly string[] {
    return this.all;
  }

  /** Adds board folders that other programs reported. */
  add(folders: readonly string[]): void {
    const more = folders.filter((one) => !this.all.includes(one));
    if (more.length > 0) this.set([...this.all, ...more]);
  }

  /** Call when the board folder may have changed. */
  refresh(): void {
    const now = this.deps.root();
    if (this.all[0] !== now) this.set([now, ...this.all.filter((one) => one !== now)]);
  }

  /**
   * Removes the protection of former board folders: the person moved the boards away, or allows
   * agents to write there.
   */
  release(folders: readonly string[]): void {
    const now = this.deps.root();
    const gone = new Set(folders.map(foldPath));
    const kept = this.all.filter((one) => one === now || !gone.has(foldPath(one)));
    if (kept.length < this.all.length) this.set(kept);
  }

  onChange(listener: () => void): Undo {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  private set(all: readonly string[]): void {
    this.all = all;
    this.deps.kept.save(all);
    for (const listener of [...this.listeners]) listener();
  }
}
