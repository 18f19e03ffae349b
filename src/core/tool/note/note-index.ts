import { CacheMeter } from '../../cache';
import { KeyedQueue } from '../../keyed-queue';
import { StoreError, type Undo } from '../../ports';
import { noteFacts } from './note-facts';
import type { WatchedNotes, VaultChange } from './vault-notes';
import { WordIndex, type Candidate } from './word-index';

interface NoteIndexDeps {
  readonly notes: Pick<WatchedNotes, 'list' | 'read' | 'stat' | 'onChange'>;
  /** Whether no rule can allow reading the file or folder. Such files are never read. */
  hidden(path: string): boolean;
  /** Lets the app render and handle input. */
  pause(): Promise<void>;
}

/** Largest note whose text is indexed, in bytes. Larger notes are found by their title only. */
export const MAX_INDEXED = 1024 * 1024;

/** Cost to index between two pauses, in characters. */
const SLICE = 50_000;

/** Fixed cost of a note, in addition to its characters. */
const NOTE_COST = 1_000;

/**
 * Index of the words in all notes. Built in slices at the first search, and updated with the
 * changes at each later one. Stores words only, no texts.
 */
export class NoteIndex {
  private index: WordIndex | undefined;
  private readonly paths = new Set<string>();
  /**
   * Changes since the last search: the latest one for each path, in the order in which they
   * happened.
   */
  private readonly changes = new Map<string, VaultChange['kind']>();
  private readonly queue = new KeyedQueue();
  private unlisten: Undo | undefined;
  private cost = 0;
  /** Counts whether a search found the index built. */
  readonly meter = new CacheMeter('words of notes', () => this.paths.size);

  constructor(private readonly deps: NoteIndexDeps) {}

  /** All notes with a word of the query or a similar one; best first, equal ones by path. */
  async search(query: string): Promise<Iterable<Candidate>> {
    return (await this.queue.run('', () => this.updatedIndex())).search(query);
  }

  /** Stops watching the vault and drops the index. A later search builds it again. */
  close(): void {
    this.unlisten?.();
    this.unlisten = undefined;
    this.index = undefined;
    this.paths.clear();
    this.changes.clear();
  }

  private async updatedIndex(): Promise<WordIndex> {
    this.meter.count(this.index !== undefined);
    try {
      const index = this.index ?? (await this.build());
      const changes = [...this.changes];
      this.changes.clear();
      for (const [path, kind] of changes) await this.applyChange(index, path, kind);
      return index;
    } catch (error) {
      this.close(); // a partly updated index would be taken for a complete one
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

  private async applyChange(
    index: WordIndex,
    path: string,
    kind: VaultChange['kind'],
  ): Promise<void> {
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

  /** Whether `close` has not been called. A search may still be running when it is. */
  private isOpen(): boolean {
    return this.unlisten !== undefined;
  }

  private drop(index: WordIndex, path: string): void {
    if (this.paths.delete(path)) index.remove(path);
  }

  /**
   * Returns an empty text for a note that is too large or not text; undefined if there is no note.
   */
  private async textOf(path: string): Promise<string | undefined> {
    try {
      const stat = await this.deps.notes.stat(path);
      if (stat === undefined) return undefined;
      return stat.size > MAX_INDEXED ? '' : await this.deps.notes.read(path);
    } catch (error) {
      if (error instanceof StoreError) return '';
      throw error;
    }
  }
}
