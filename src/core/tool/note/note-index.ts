import { CacheMeter } from '../../cache';
import { KeyedQueue } from '../../keyed-queue';
import { StoreError, type Undo } from '../../ports';
import { noteFacts } from './note-facts';
import type { FollowedNotes, VaultChange } from './vault-notes';
import { WordIndex, type Candidate } from './word-index';

interface NoteIndexDeps {
  readonly notes: Pick<FollowedNotes, 'list' | 'read' | 'stat' | 'onChange'>;
  /** Whether a file or folder is out of reach whatever the rules say; such are never read. */
  hidden(path: string): boolean;
  /** Lets the app draw and take input. */
  pause(): Promise<void>;
}

/** Bytes of the largest note whose text is looked at; others are found by their title. */
export const MOST_INDEXED = 1024 * 1024;

/** Characters that are read into the index between two pauses. */
const SLICE = 50_000;

/** What a note costs, beside its characters. */
const NOTE_COST = 1_000;

/**
 * The words of all notes. It is made at the first search, in slices, and at each later one takes in
 * what changed since. It keeps words only, no texts.
 */
export class NoteIndex {
  private index: WordIndex | undefined;
  private readonly paths = new Set<string>();
  /** What happened since the last search, by path, in the order of its last time. */
  private readonly changes = new Map<string, VaultChange['kind']>();
  private readonly queue = new KeyedQueue();
  private unlisten: Undo | undefined;
  private cost = 0;
  /** A search that found the index made, or had to make it. */
  readonly meter = new CacheMeter('words of notes', () => this.paths.size);

  constructor(private readonly deps: NoteIndexDeps) {}

  /** All notes with a word of the query, or one like it; best first, equal ones by path. */
  async search(query: string): Promise<Iterable<Candidate>> {
    return (await this.queue.run('', () => this.current())).search(query);
  }

  /** Stops following the vault and forgets all; a later search begins anew. */
  close(): void {
    this.unlisten?.();
    this.unlisten = undefined;
    this.index = undefined;
    this.paths.clear();
    this.changes.clear();
  }

  private async current(): Promise<WordIndex> {
    this.meter.count(this.index !== undefined);
    try {
      const index = this.index ?? (await this.build());
      const changes = [...this.changes];
      this.changes.clear();
      for (const [path, kind] of changes) await this.follow(index, path, kind);
      return index;
    } catch (error) {
      this.close(); // half an index would look like a whole one
      throw error;
    }
  }

  private async build(): Promise<WordIndex> {
    const index = new WordIndex();
    const unlisten = this.deps.notes.onChange(({ path, kind }) => {
      this.changes.delete(path);
      this.changes.set(path, kind);
    });
    this.paths.clear();
    this.unlisten = unlisten;
    await this.addFolder(index, '');
    if (this.isOpen()) this.index = index;
    return index;
  }

  private async follow(index: WordIndex, path: string, kind: VaultChange['kind']): Promise<void> {
    if (kind === 'note') return this.add(index, path);
    const inside = [...this.paths].filter((one) => one === path || one.startsWith(`${path}/`));
    for (const one of inside) this.drop(index, one);
    if (kind === 'folder') await this.addFolder(index, path);
  }

  private async addFolder(index: WordIndex, folder: string): Promise<void> {
    if (!this.isOpen() || (folder !== '' && this.deps.hidden(folder))) return;
    for (const { path, kind } of (await this.deps.notes.list(folder)) ?? []) {
      if (kind === 'folder') await this.addFolder(index, path);
      else await this.add(index, path);
    }
  }

  private async add(index: WordIndex, path: string): Promise<void> {
    this.drop(index, path);
    if (!this.isOpen() || this.deps.hidden(path)) return;
    const text = await this.textOf(path);
    if (text === undefined) return;
    this.drop(index, path);
    index.add(path, text, noteFacts(text));
    this.paths.add(path);
    this.cost += text.length + NOTE_COST;
    if (this.cost < SLICE) return;
    this.cost = 0;
    await this.deps.pause();
  }

  /** A search may still be under way when the app closes it. */
  private isOpen(): boolean {
    return this.unlisten !== undefined;
  }

  private drop(index: WordIndex, path: string): void {
    if (this.paths.delete(path)) index.remove(path);
  }

  /** Empty for a note that is too large or no text; undefined where there is none. */
  private async textOf(path: string): Promise<string | undefined> {
    try {
      const stat = await this.deps.notes.stat(path);
      if (stat === undefined) return undefined;
      return stat.size > MOST_INDEXED ? '' : await this.deps.notes.read(path);
    } catch (error) {
      if (error instanceof StoreError) return '';
      throw error;
    }
  }
}
