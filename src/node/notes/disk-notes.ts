import { setImmediate as turn } from 'node:timers/promises';
import { KeyedQueue } from '../../core/keyed-queue';
import { VaultTarget } from '../../core/permission/vault-target';
import { StoreError, type Log, type NoteStore, type Stat } from '../../core/ports';
import { LinkResolver } from '../../core/tool/note/link-resolver';
import { linkPath, noteFacts } from '../../core/tool/note/note-facts';
import { MAX_INDEXED } from '../../core/tool/note/note-index';
import type { VaultEntry, VaultNotes } from '../../core/tool/note/vault-notes';
import { WordIndex, type Candidate } from '../../core/tool/note/word-index';
import { IndexFile, type IndexedFile } from './index-file';
import { isSettled, VaultListing, type ListedFile, type VaultListingDeps } from './vault-listing';

export interface DiskNotesDeps extends VaultListingDeps {
  readonly store: NoteStore;
  readonly log: Log;
}

/**
 * Cost in characters above which the stored index is written again: what the next program would
 * have to read again. Reading this much takes about 50 ms.
 */
const MAX_UNSAVED_COST = 200_000;

/** Additional cost allowed per indexed note, since the whole index is written. */
const UNSAVED_COST_PER_NOTE = 100;

/** Fixed cost of reading a note, in addition to its characters: looking it up and opening it. */
const NOTE_COST = 4_000;

/** Characters to index between two turns of the event loop. */
const SLICE = 200_000;

/** The index, and the files when it was last updated. */
interface IndexState {
  readonly words: WordIndex;
  readonly notes: Map<string, IndexedFile>;
  /** paths of all files, including notes */
  files: readonly string[];
  /** of these files, once it is needed */
  resolver: LinkResolver | undefined;
}

/**
 * The notes in a vault's folder, with an index of their words. Each search checks all notes for
 * changes first.
 */
export class DiskNotes implements VaultNotes {
  private readonly listing: VaultListing;
  private readonly file: IndexFile;
  private readonly queue = new KeyedQueue();
  private known: IndexState | undefined;
  /** a look that has not begun */
  private next: Promise<IndexState> | undefined;
  private unsavedCost = 0;

  constructor(private readonly deps: DiskNotesDeps) {
    this.listing = new VaultListing(deps);
    this.file = new IndexFile(deps);
  }

  async list(folder: string): Promise<readonly VaultEntry[] | undefined> {
    const found = await this.listing.entriesIn(folder);
    return found && [...found].sort((a, b) => (a.path < b.path ? -1 : 1));
  }

  read(path: string): Promise<string | undefined> {
    return this.deps.store.read(path);
  }

  stat(path: string): Promise<Stat | undefined> {
    return this.deps.store.stat(path);
  }

  async leadsTo(link: string, from: string): Promise<string | undefined> {
    return resolverOf(await this.current()).resolve(link, from);
  }

  async backlinks(path: string): Promise<readonly string[]> {
    const current = await this.current();
    const resolver = resolverOf(current);
    return [...current.notes]
      .filter(([from, { links }]) => links.some((link) => resolver.resolve(link, from) === path))
      .map(([from]) => from)
      .sort();
  }

  /** All notes with a word of the query or a similar one; best first, equal ones by path. */
  async search(query: string): Promise<Iterable<Candidate>> {
    return (await this.current()).words.search(query);
  }

  /** The state with all changes up to now. Calls that wait for their turn share one look. */
  private current(): Promise<IndexState> {
    return (this.next ??= this.queue.run('', async () => {
      this.next = undefined;
      const known = (this.known ??= await this.loadStored());
      try {
        await this.refreshState(known);
      } catch (error) {
        this.known = undefined; // a partial update would be taken for a complete one
        throw error;
      }
      return known;
    }));
  }

  private async loadStored(): Promise<IndexState> {
    const { words, notes } = (await this.file.load()) ?? {
      words: new WordIndex(),
      notes: new Map(),
    };
    return { words, notes, files: [], resolver: undefined };
  }

  /** Updates the index with all changes since the last time. */
  private async refreshState(known: IndexState): Promise<void> {
    const { notes } = known;
    const now = this.deps.clock.now();
    const listed = await this.listing.all();
    known.files = listed.files;
    known.resolver = undefined;
    let read = 0;
    let there = 0;
    for (const note of listed.notes) {
      const before = notes.get(note.path);
      if (before !== undefined) there += 1;
      const same = before?.mtime === note.mtime && before.ctime === note.ctime;
      if (same && before.size === note.size) continue;
      if (this.deps.hidden(new VaultTarget(note.path))) continue;
      read += await this.indexNote(known, note, now);
      if (before === undefined) there += 1;
      if (read < SLICE) continue;
      read = 0;
      await turn();
    }
    if (there < notes.size) this.dropMissing(known, listed.notes);
    const most = MAX_UNSAVED_COST + UNSAVED_COST_PER_NOTE * notes.size;
    if (this.unsavedCost > most && (await this.file.save(known))) this.unsavedCost = 0;
  }

  /**
   * Adds a note to the index.
   * @returns its length in characters
   */
  private async indexNote(
    { words, notes }: IndexState,
    { path, ...stamp }: ListedFile,
    now: number,
  ): Promise<number> {
    const text = stamp.size > MAX_INDEXED ? '' : await this.textOf(path);
    const facts = noteFacts(text);
    words.add(path, text, facts);
    const settled = isSettled(stamp, now);
    const links = [...new Set(facts.links.flatMap((link) => linkPath(link) || []))];
    notes.set(path, { ...stamp, links, ...(!settled && { mtime: 0 }) });
    if (settled) this.unsavedCost += text.length + NOTE_COST;
    return text.length;
  }

  /** Removes notes that no longer exist. */
  private dropMissing({ words, notes }: IndexState, listed: readonly ListedFile[]): void {
    const there = new Set(listed.map(({ path }) => path));
    for (const path of [...notes.keys()]) {
      if (there.has(path)) continue;
      notes.delete(path);
      words.remove(path);
      this.unsavedCost += NOTE_COST;
    }
  }

  /** The note's text; empty if it can't be read as text. */
  private async textOf(path: string): Promise<string> {
    try {
      return (await this.deps.store.read(path)) ?? '';
    } catch (error) {
      if (error instanceof StoreError) return '';
      throw error;
    }
  }
}

function resolverOf(state: IndexState): LinkResolver {
  return (state.resolver ??= new LinkResolver(state.files));
}
