import type { Stat, Undo } from '../../src/core/ports';
import { linkPath, linksIn } from '../../src/core/tool/note/note-facts';
import type { WatchedNotes, VaultChange, VaultEntry } from '../../src/core/tool/note/vault-notes';
import { MemoryStore } from '../store/memory-store';

/** Notes in memory. Counts reads and reports changes. */
export class MemoryNotes implements WatchedNotes {
  readonly store = new MemoryStore();
  readonly reads: string[] = [];
  readonly lists: string[] = [];
  private readonly listeners = new Set<(change: VaultChange) => void>();

  constructor(notes: Readonly<Record<string, string>> = {}) {
    for (const [path, text] of Object.entries(notes)) this.store.put(path, text);
  }

  get listenerCount(): number {
    return this.listeners.size;
  }

  put(path: string, text: string): void {
    this.store.put(path, text);
    this.notify({ kind: 'note', path });
  }

  remove(path: string): void {
    for (const one of [...this.store.files.keys()]) {
      if (one === path || one.startsWith(`${path}/`)) this.store.files.delete(one);
    }
    this.notify({ kind: 'removed', path });
  }

  notify(change: VaultChange): void {
    for (const listener of this.listeners) listener(change);
  }

  list(folder: string): Promise<readonly VaultEntry[] | undefined> {
    this.lists.push(folder);
    const start = folder === '' ? '' : `${folder}/`;
    const found = new Map<string, VaultEntry>();
    for (const path of this.store.files.keys()) {
      if (!path.startsWith(start)) continue;
      const [name = '', ...rest] = path.slice(start.length).split('/');
      const kind = rest.length > 0 ? 'folder' : 'file';
      if (kind === 'folder' || name.endsWith('.md'))
        found.set(name, { path: `${start}${name}`, kind });
    }
    const entries = [...found.values()].sort((a, b) => (a.path < b.path ? -1 : 1));
    return Promise.resolve(entries.length === 0 && folder !== '' ? undefined : entries);
  }

  read(path: string): Promise<string | undefined> {
    this.reads.push(path);
    return this.store.read(path);
  }

  stat(path: string): Promise<Stat | undefined> {
    return this.store.stat(path);
  }

  leadsTo(link: string): Promise<string | undefined> {
    return Promise.resolve(this.findNote(link));
  }

  private findNote(link: string): string | undefined {
    const name = link.replace(/\.md$/, '').toLowerCase();
    return [...this.store.files.keys()].find((path) => {
      const whole = path.replace(/\.md$/, '').toLowerCase();
      return whole === name || whole.endsWith(`/${name}`);
    });
  }

  backlinks(path: string): Promise<readonly string[]> {
    const linking = [...this.store.files]
      .filter(([, { text }]) =>
        linksIn(text).some((link) => this.findNote(linkPath(link) ?? '?') === path),
      )
      .map(([from]) => from);
    return Promise.resolve(linking);
  }

  onChange(listener: (change: VaultChange) => void): Undo {
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  }
}
