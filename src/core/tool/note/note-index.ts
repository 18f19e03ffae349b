import MiniSearch from 'minisearch';
import { KeyedQueue } from '../../keyed-queue';
import { StoreError, type Undo } from '../../ports';
import { textsOf } from './scan-note';
import { noteFacts } from './note-facts';
import type { VaultChange, VaultNotes } from './vault-notes';

interface NoteIndexDeps {
  readonly notes: VaultNotes;
  /** Whether a file or folder is out of reach whatever the rules say; such are never read. */
  hidden(path: string): boolean;
  /** Lets the app draw and take input. */
  pause(): Promise<void>;
}

/** A note that has some of the words. */
export interface Candidate {
  readonly path: string;
  readonly score: number;
  /** the words of the note that matched, folded */
  readonly words: readonly string[];
}

/** Bytes of the largest note whose text is looked at; others are found by their title. */
export const MOST_INDEXED = 1024 * 1024;

/** Characters that are read into the index between two pauses. */
const SLICE = 50_000;

/** What a note costs, beside its characters. */
const NOTE_COST = 1_000;

/** Words of a query that count. */
const MOST_WORDS = 24;

interface Indexed {
  readonly path: string;
  readonly title: string;
  readonly headings: string;
  readonly tags: string;
  readonly text: string;
}

/**
 * The words of all notes. It is made at the first search, in slices, and at each later one takes in
 * what changed since. It keeps words only, no texts.
 */
export class NoteIndex {
  private index: MiniSearch<Indexed> | undefined;
  private readonly paths = new Set<string>();
  /** What happened since the last search, by path, in the order of its last time. */
  private readonly changes = new Map<string, VaultChange['kind']>();
  private readonly queue = new KeyedQueue();
  private unlisten: Undo | undefined;
  private cost = 0;

  constructor(private readonly deps: NoteIndexDeps) {}

  /** All notes with a word of the query, or one like it; best first, equal ones by path. */
  async search(query: string): Promise<readonly Candidate[]> {
    const words = queryWords(query).slice(0, MOST_WORDS);
    const index = await this.queue.run('', () => this.current());
    const found = index.search(words.join(' '), {
      tokenize: () => words,
      prefix: (word) => word.length > 2 || isUnspaced(word),
      fuzzy: (word) => (word.length > 3 && !isUnspaced(word) ? 0.2 : false),
    });
    return found
      .map(({ id, match, terms, queryTerms }): Candidate => {
        return { path: id as string, score: matchScore(queryTerms, match), words: terms };
      })
      .sort((a, b) => b.score - a.score || (a.path < b.path ? -1 : 1));
  }

  /** Stops following the vault and forgets all; a later search begins anew. */
  close(): void {
    this.unlisten?.();
    this.unlisten = undefined;
    this.index = undefined;
    this.paths.clear();
    this.changes.clear();
  }

  private async current(): Promise<MiniSearch<Indexed>> {
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

  private async build(): Promise<MiniSearch<Indexed>> {
    const index = new MiniSearch<Indexed>({
      idField: 'path',
      fields: ['title', 'headings', 'tags', 'text'],
      tokenize: indexWords,
      processTerm: (word) => word,
    });
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

  private async follow(
    index: MiniSearch<Indexed>,
    path: string,
    kind: VaultChange['kind'],
  ): Promise<void> {
    if (kind === 'note') return this.add(index, path);
    const inside = [...this.paths].filter((one) => one === path || one.startsWith(`${path}/`));
    for (const one of inside) this.drop(index, one);
    if (kind === 'folder') await this.addFolder(index, path);
  }

  private async addFolder(index: MiniSearch<Indexed>, folder: string): Promise<void> {
    if (!this.isOpen() || (folder !== '' && this.deps.hidden(folder))) return;
    for (const { path, kind } of (await this.deps.notes.list(folder)) ?? []) {
      if (kind === 'folder') await this.addFolder(index, path);
      else await this.add(index, path);
    }
  }

  private async add(index: MiniSearch<Indexed>, path: string): Promise<void> {
    this.drop(index, path);
    if (!this.isOpen() || this.deps.hidden(path)) return;
    const text = await this.textOf(path);
    if (text === undefined) return;
    this.drop(index, path);
    index.add(indexed(path, text));
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

  private drop(index: MiniSearch<Indexed>, path: string): void {
    if (this.paths.delete(path)) index.discard(path);
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

function indexed(path: string, text: string): Indexed {
  const { headings, tags, frontMatter } = noteFacts(text);
  const values = frontMatter?.ok === true ? frontMatter.values : {};
  const name = path.slice(path.lastIndexOf('/') + 1).replace(/\.[^.]+$/, '');
  const names = [name, ...textsOf(values, ['title', 'alias', 'aliases'])];
  return {
    path,
    title: names.join('\n'),
    headings: headings.map((heading) => heading.text).join('\n'),
    tags: tags.join('\n'),
    text,
  };
}

/** What a word counts by where it stands. */
const FIELD_WEIGHTS: ReadonlyMap<string, number> = new Map([
  ['title', 8],
  ['headings', 3],
  ['tags', 3],
  ['text', 1],
]);

/** What a word counts that only begins with one of the query, or is like one. */
const WEIGHT_BEGINS = 0.7;

const WEIGHT_LIKE = 0.4;

/**
 * How well a note fits a query. It hangs on this note alone, not on how often a word stands in others,
 * as rarity does: what an agent may not read must not show in the order of what it may.
 * @param found words of the query that the note has, or has one like
 * @param match fields in which each word of the note stands
 */
function matchScore(
  found: readonly string[],
  match: Readonly<Record<string, readonly string[]>>,
): number {
  const inNote = Object.entries(match).map(([word, fields]) => {
    const weight = fields.reduce((sum, field) => sum + (FIELD_WEIGHTS.get(field) ?? 0), 0);
    return { word, weight };
  });
  return found.reduce((total, wanted) => {
    const best = inNote.map(({ word, weight }) => weight * closeness(wanted, word));
    // A longer word says more, as a rule.
    return total + Math.max(0, ...best) * Math.log2(1 + wanted.length);
  }, 0);
}

function closeness(wanted: string, word: string): number {
  if (word === wanted) return 1;
  return word.startsWith(wanted) ? WEIGHT_BEGINS : WEIGHT_LIKE;
}

/** Longest word that is kept: what is longer is data, not language. */
const LONGEST_WORD = 64;

const WORD = /[\p{L}\p{N}\p{M}]+/gu;

/** Scripts that put no blanks between words. */
const UNSPACED =
  /[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Thai}\p{scx=Laoo}\p{scx=Khmr}\p{scx=Mymr}]+/u;

const PARTS = new RegExp(`(${UNSPACED.source})`, 'u');

/** A text without case and accents, in which words are looked for. */
export function foldText(text: string): string {
  if (isAscii(text)) return text.toLowerCase();
  return text
    .normalize('NFKD')
    .replaceAll(/[\u0300-\u036f]/g, '')
    .normalize('NFC')
    .toLowerCase();
}

/**
 * The words under which a text is found, each once. Where words have no blanks between them, each pair of
 * characters is one, and the last character.
 */
function indexWords(text: string): string[] {
  const found = words(text, (characters) => [...pairs(characters), characters.at(-1) ?? '']);
  return [...new Set(found)];
}

/** The words of a query, each once: of such a script its pairs, or the one character that it is. */
export function queryWords(text: string): string[] {
  const found = words(text, (characters) =>
    characters.length === 1 ? [...characters] : pairs(characters),
  );
  return [...new Set(found)];
}

/** Whether it is of a script without blanks: then it stands for just what it says. */
function isUnspaced(word: string): boolean {
  return UNSPACED.test(word);
}

function words(text: string, split: (characters: readonly string[]) => string[]): string[] {
  return (foldText(text).match(WORD) ?? []).flatMap((word) => {
    if (isAscii(word) || !UNSPACED.test(word)) return word.length <= LONGEST_WORD ? [word] : [];
    return word.split(PARTS).flatMap((part, at) => {
      if (at % 2 === 1) return split(Array.from(part));
      return part === '' || part.length > LONGEST_WORD ? [] : [part];
    });
  });
}

function pairs(characters: readonly string[]): string[] {
  return characters.slice(1).map((character, at) => `${characters[at] ?? ''}${character}`);
}

function isAscii(text: string): boolean {
  return !/[^\t\n\r -~]/.test(text);
}
