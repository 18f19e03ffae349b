import { lstatSync, readdirSync, type Dirent } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { KeyedQueue } from '../../core/keyed-queue';
import type { PathResolver } from '../../core/permission/path-resolver';
import { VaultTarget } from '../../core/permission/vault-target';
import { StoreError, type Clock, type Log, type NoteStore, type Stat } from '../../core/ports';
import { LinkPlaces } from '../../core/tool/note/link-places';
import { linkPath, noteFacts } from '../../core/tool/note/note-facts';
import { MOST_INDEXED } from '../../core/tool/note/note-index';
import type { VaultEntry, VaultNotes } from '../../core/tool/note/vault-notes';
import { WordIndex, type Candidate } from '../../core/tool/note/word-index';
import { Places } from '../places';
import { isMissing } from '../store-error';
import { isTemporary } from '../whole-file';
import { IndexFile, type IndexedFile } from './index-file';

export interface DiskNotesDeps {
  /** absolute */
  readonly vault: string;
  readonly store: NoteStore;
  readonly resolver: PathResolver;
  /** Whether a file or folder is out of reach whatever the rules say; such are never read. */
  readonly hidden: (target: VaultTarget) => boolean;
  readonly clock: Pick<Clock, 'now'>;
  readonly log: Log;
}

/** Changed notes that are not in the kept index yet: until there are more it is not written. */
const MOST_UNKEPT = 50;

/** Characters that are read into the index between two turns of the event loop. */
const SLICE = 200_000;

/** A file that changed so shortly before it was looked at, ms, may change again in the same tick of its clock. */
const JUST_NOW = 2_000;

/** How a note stands on the disk. */
type Stamp = Pick<IndexedFile, 'size' | 'mtime' | 'ctime'>;

/** An entry of a folder. */
interface Found extends VaultEntry {
  /** of a note, where it was looked at */
  readonly stat: Stamp | undefined;
}

/** What the index says of the files as they were looked at last. */
interface Known {
  readonly words: WordIndex;
  readonly notes: Map<string, IndexedFile>;
  /** all files, notes too */
  files: readonly string[];
}

/**
 * The notes of a vault's folder, as Obsidian shows them: hidden files are none of them, and neither are
 * folders that are links. Each search looks at all files for what changed since.
 */
export class DiskNotes implements VaultNotes {
  private readonly places: Places;
  private readonly file: IndexFile;
  private readonly queue = new KeyedQueue();
  private known: Known | undefined;
  private unkept = 0;

  constructor(private readonly deps: DiskNotesDeps) {
    this.places = new Places(deps.vault);
    this.file = new IndexFile(deps);
  }

  async list(folder: string): Promise<readonly VaultEntry[] | undefined> {
    const found = await this.entries(folder);
    return found
      ?.filter(({ path, kind }) => kind === 'folder' || isNote(path))
      .map(({ path, kind }) => ({ path, kind }))
      .sort((a, b) => (a.path < b.path ? -1 : 1));
  }

  read(path: string): Promise<string | undefined> {
    return this.deps.store.read(path);
  }

  stat(path: string): Promise<Stat | undefined> {
    return this.deps.store.stat(path);
  }

  async leadsTo(link: string, from: string): Promise<string | undefined> {
    return new LinkPlaces((await this.current()).files).leadsTo(link, from);
  }

  async backlinks(path: string): Promise<readonly string[]> {
    const { files, notes } = await this.current();
    const places = new LinkPlaces(files);
    return [...notes]
      .filter(([from, { links }]) => links.some((link) => places.leadsTo(link, from) === path))
      .map(([from]) => from)
      .sort();
  }

  /** All notes with a word of the query, or one like it; best first, equal ones by path. */
  async search(query: string): Promise<readonly Candidate[]> {
    return (await this.current()).words.search(query);
  }

  private current(): Promise<Known> {
    return this.queue.run('', async () => {
      const known = (this.known ??= await this.kept());
      try {
        await this.follow(known);
      } catch (error) {
        this.known = undefined; // half of what changed would look like all of it
        throw error;
      }
      return known;
    });
  }

  private async kept(): Promise<Known> {
    const { words, notes } = (await this.file.load()) ?? {
      words: new WordIndex(),
      notes: new Map(),
    };
    return { words, notes, files: [] };
  }

  /** Takes in what changed since the last look. */
  private async follow(known: Known): Promise<void> {
    const { words, notes } = known;
    const files: string[] = [];
    const seen = new Map<string, Stamp>();
    const now = this.deps.clock.now();
    await this.scan('', files, seen);
    known.files = files;
    for (const path of [...notes.keys()]) {
      if (seen.has(path)) continue;
      notes.delete(path);
      words.remove(path);
      this.unkept += 1;
    }
    let read = 0;
    for (const [path, stat] of seen) {
      const before = notes.get(path);
      const same = before?.mtime === stat.mtime && before.ctime === stat.ctime;
      if (same && before.size === stat.size) continue;
      if (this.deps.hidden(new VaultTarget(path))) continue;
      const text = stat.size > MOST_INDEXED ? '' : await this.textOf(path);
      const facts = noteFacts(text);
      words.add(path, text, facts);
      const isSettled = Math.max(stat.mtime, stat.ctime) < now - JUST_NOW;
      const links = [...new Set(facts.links.flatMap((link) => linkPath(link) || []))];
      notes.set(path, { ...stat, links, ...(!isSettled && { mtime: 0 }) });
      if (isSettled) this.unkept += 1;
      read += text.length;
      if (read < SLICE) continue;
      read = 0;
      await turn();
    }
    if (this.unkept > MOST_UNKEPT && (await this.file.save(known))) this.unkept = 0;
  }

  /** All files that are not hidden, and of the notes how they stand. */
  private async scan(folder: string, files: string[], seen: Map<string, Stamp>): Promise<void> {
    for (const { path, kind, stat } of (await this.entries(folder, true)) ?? []) {
      if (kind === 'folder') {
        if (!this.deps.hidden(new VaultTarget(path))) await this.scan(path, files, seen);
        continue;
      }
      files.push(path);
      if (stat !== undefined) seen.set(path, stat);
    }
  }

  /** Files and folders directly in a folder. @param looks whether to look how notes stand */
  private async entries(folder: string, looks = false): Promise<readonly Found[] | undefined> {
    const links: string[] = [];
    const own = (name: string): string => (folder === '' ? name : `${folder}/${name}`);
    try {
      const look = (at: string | undefined): Promise<readonly Found[] | undefined> => {
        if (at === undefined) return Promise.resolve(undefined);
        const inside: Found[] = [];
        // In one go: for many small folders a turn through the pool of threads costs more than the look.
        for (const entry of readdirSync(at, { withFileTypes: true })) {
          const { name } = entry;
          if (name.startsWith('.') || isTemporary(name)) continue;
          if (entry.isSymbolicLink()) links.push(own(name));
          const kind = kindOf(entry);
          if (kind === undefined) continue;
          const path = own(name);
          const looked = looks && kind === 'file' && isNote(name);
          // By its name: nothing is read by what this tells, and a path by handle takes longer.
          const stat = looked ? standOf(join(this.deps.vault, path)) : undefined;
          inside.push({ path, kind, stat });
        }
        return Promise.resolve(inside);
      };
      const { places } = this;
      const found = await (folder === '' ? places.vault(look) : places.folder(folder, look));
      const linked = await Promise.all(links.map((path) => this.linked(path)));
      return found?.concat(...linked);
    } catch (error) {
      if (error instanceof StoreError || isMissing(error)) return undefined;
      throw error;
    }
  }

  /** A link to a file in the vault that is not out of reach. */
  private async linked(path: string): Promise<Found[]> {
    const target = await this.deps.resolver.resolve(path);
    if (!(target instanceof VaultTarget) || this.deps.hidden(target)) return [];
    const found = await this.deps.store.stat(target.real);
    if (found === undefined) return [];
    return [{ path, kind: 'file', stat: isNote(path) ? { ...found, ctime: 0 } : undefined }];
  }

  /** Empty for what can't be read as a text. */
  private async textOf(path: string): Promise<string> {
    try {
      return (await this.deps.store.read(path)) ?? '';
    } catch (error) {
      if (error instanceof StoreError) return '';
      throw error;
    }
  }
}

function isNote(path: string): boolean {
  return path.toLowerCase().endsWith('.md');
}

function kindOf(entry: Dirent): 'file' | 'folder' | undefined {
  if (entry.isDirectory()) return 'folder';
  return entry.isFile() ? 'file' : undefined;
}

/** Undefined for a file that is gone by now. */
function standOf(file: string): Stamp | undefined {
  const found = lstatSync(file, { throwIfNoEntry: false });
  return found && { size: found.size, mtime: found.mtimeMs, ctime: found.ctimeMs };
}
