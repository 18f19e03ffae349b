import { watch, type FSWatcher } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { isHidden } from './vault-path';

/**
 * ms for which changes are collected before they are reported: an editor writes a file in several
 * steps.
 */
const COLLECT_MS = 40;

/**
 * Reports which paths in a vault may have changed, as the app notices them on Linux: visible
 * folders are watched, hidden ones are not. Hidden files in visible folders are reported, too.
 */
export class VaultWatch {
  readonly #watchers = new Map<string, FSWatcher>();
  readonly #changedPaths = new Set<string>();
  #timer: NodeJS.Timeout | undefined;
  #closed = false;

  /** @param root absolute; `onChange` gets paths relative to it */
  constructor(
    readonly root: string,
    readonly onChange: (paths: readonly string[]) => void,
  ) {}

  /** Watches a folder and its visible subfolders; ignores a path that is no folder. */
  async add(folder: string): Promise<void> {
    const full = join(this.root, folder);
    const entries = await readdir(full, { withFileTypes: true }).catch(() => undefined);
    if (entries === undefined || this.#closed || this.#watchers.has(folder)) return;
    try {
      const watcher = watch(full, (_event, name) => this.#changed(folder, name));
      watcher.on('error', () => this.#drop(folder));
      this.#watchers.set(folder, watcher);
    } catch {
      return; // removed between listing and watching: its parent reports it
    }
    const below = entries.filter((entry) => entry.isDirectory() && !entry.name.startsWith('.'));
    await Promise.all(below.map((entry) => this.add(pathIn(folder, entry.name))));
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
    for (const folder of [...this.#watchers.keys()]) this.#drop(folder);
  }

  #changed(folder: string, name: string | null): void {
    if (name === null || this.#closed) return;
    this.#changedPaths.add(pathIn(folder, name));
    this.#timer ??= setTimeout(() => void this.#flush(), COLLECT_MS);
  }

  async #flush(): Promise<void> {
    const paths = [...this.#changedPaths];
    this.#changedPaths.clear();
    this.#timer = undefined;
    const visible = paths.filter((path) => !isHidden(path));
    for (const path of visible) this.#drop(path); // renamed or replaced folders must be watched again
    await Promise.all(visible.map((path) => this.add(path)));
    if (!this.#closed) this.onChange(paths);
  }

  #drop(folder: string): void {
    for (const [path, watcher] of this.#watchers) {
      if (path !== folder && !path.startsWith(`${folder}/`)) continue;
      watcher.close();
      this.#watchers.delete(path);
    }
  }
}

const pathIn = (folder: string, name: string): string =>
  folder === '' ? name : `${folder}/${name}`;
