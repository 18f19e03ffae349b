import type { Undo } from '../ports';
import { foldPath } from './vault-target';

/** Where it is kept which folders held boards: not in the vault, where agents might write. */
export interface KeptFolders {
  /** as it was saved; undefined: nothing was */
  load(): unknown;
  save(folders: readonly string[]): void;
}

export interface BoardFoldersDeps {
  readonly kept: KeptFolders;
  /** where the boards are now */
  readonly root: () => string;
  /** whether a folder is out of reach anyway */
  readonly covered: (folder: string) => boolean;
}

/**
 * The folders that held boards. The setting that names the folder stands in a file that others write as
 * well: a folder that it doesn't name any more stays out of reach until the person releases it.
 */
export class BoardFolders {
  /** the one that holds the boards now is the first */
  private all: readonly string[] = [];
  private readonly listeners = new Set<() => void>();

  constructor(private readonly deps: BoardFoldersDeps) {
    const saved = deps.kept.load();
    const folders: readonly unknown[] = Array.isArray(saved) ? saved : [];
    this.all = folders.filter((one) => typeof one === 'string');
    this.follow();
  }

  /** Those that the boards are not in any more, and that nothing else protects. */
  get left(): readonly string[] {
    const now = this.deps.root();
    return this.all.filter((folder) => folder !== now && !this.deps.covered(folder));
  }

  /** All that hold boards or held them. */
  get held(): readonly string[] {
    return this.all;
  }

  /** Other programs know of these as well. */
  add(folders: readonly string[]): void {
    const more = folders.filter((one) => !this.all.includes(one));
    if (more.length > 0) this.set([...this.all, ...more]);
  }

  /** The boards may be in another folder now. */
  follow(): void {
    const now = this.deps.root();
    if (this.all[0] !== now) this.set([now, ...this.all.filter((one) => one !== now)]);
  }

  /** The person moved the boards away, or says that agents may write there. */
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
