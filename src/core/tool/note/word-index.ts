import { frontMatterTexts } from './scan-note';
import type { NoteFacts } from './note-facts';

/** A note that matches some of the words. */
export interface Candidate {
  readonly path: string;
  readonly score: number;
  /** the words of the note that matched, folded */
  readonly words: readonly string[];
}

/** Most words of a query that are used. */
const MAX_WORDS = 24;

/** Weight of a word by field: title, headings, tags, text. The first field has the lowest bit. */
const FIELD_WEIGHTS = [8, 3, 3, 1];

const FIELD_BITS = FIELD_WEIGHTS.length;

const ALL_FIELDS = (1 << FIELD_BITS) - 1;

/** A word and the notes that contain it. */
interface Entry {
  readonly word: string;
  /** bit set of its letters, with character codes reduced modulo 32 */
  readonly letters: number;
  /** for each note, its number and, in the lowest bits, the fields */
  hits: number[] | Uint32Array;
}

/** A word index in a form that can be stored. */
export interface PackedWords {
  /** by note number */
  readonly paths: readonly string[];
  readonly words: readonly string[];
  /** number of hits of each word */
  readonly counts: Uint32Array;
  /** hits of all words, concatenated */
  readonly hits: Uint32Array;
}

/** Maps words to the notes that contain them. Stores words only, no texts. */
export class WordIndex {
  private entries: Entry[] = [];
  private byWord: Map<string, Entry> | undefined = new Map();
  /** by note number; undefined for a removed note */
  private paths: (string | undefined)[] = [];
  private numbers = new Map<string, number>();

  /**
   * Restores an index from the result of `pack`. Invalid data can't lead to notes other than those
   * it names.
   */
  static unpack({ paths, words, counts, hits }: PackedWords): WordIndex {
    const index = new WordIndex();
    index.paths = [...paths];
    index.numbers = new Map(paths.map((path, number) => [path, number]));
    index.byWord = undefined;
    let at = 0;
    index.entries = words.map((word, place) => {
      const own = hits.subarray(at, (at += counts[place] ?? 0));
      return { word, letters: lettersOf(word), hits: own };
    });
    return index;
  }

  /**
   * Adds a note, replacing its previous entry.
   * @param facts of its text
   */
  add(path: string, text: string, facts: NoteFacts): void {
    this.remove(path);
    const number = this.paths.push(path) - 1;
    this.numbers.set(path, number);
    const fields = new Map<string, number>();
    for (const [field, words] of fieldsOf(path, text, facts).entries()) {
      for (const word of indexWords(words))
        fields.set(word, (fields.get(word) ?? 0) | (1 << field));
    }
    for (const [word, bits] of fields) this.hitsOf(word).push((number << FIELD_BITS) | bits);
  }

  remove(path: string): void {
    const number = this.numbers.get(path);
    if (number === undefined) return;
    this.numbers.delete(path);
    this.paths[number] = undefined;
    if (this.paths.length > 2 * this.numbers.size + MAX_REMOVED) this.compact();
  }

  /**
   * All notes with a word of the query or a similar one; best first, equal ones by path. The result
   * is not affected by notes added or removed while it is iterated.
   */
  search(query: string): Iterable<Candidate> {
    const scores = new Float64Array(this.paths.length);
    const matched: Pick<Entry, 'word' | 'hits'>[] = [];
    for (const wanted of queryWords(query).slice(0, MAX_WORDS)) {
      const fits = makeWordTest(wanted);
      const best = new Float64Array(this.paths.length);
      for (const { word, letters, hits } of this.entries) {
        if (!fits(word, letters)) continue;
        matched.push({ word, hits });
        raiseScores(best, hits, wordScores(wanted, word));
      }
      for (let number = 0; number < best.length; number += 1)
        scores[number] = (scores[number] ?? 0) + (best[number] ?? 0);
    }
    return rankedNotes(scores, [...this.paths], matched);
  }

  pack(): PackedWords {
    this.compact();
    const hits = new Uint32Array(this.entries.reduce((sum, entry) => sum + entry.hits.length, 0));
    let at = 0;
    for (const entry of this.entries) {
      hits.set(entry.hits, at);
      // Takes half the memory, and contiguous hits are faster to search.
      entry.hits = hits.subarray(at, (at += entry.hits.length));
    }
    return {
      paths: this.paths.map((path) => path ?? ''),
      words: this.entries.map(({ word }) => word),
      counts: Uint32Array.from(this.entries, (entry) => entry.hits.length),
      hits,
    };
  }

  /** The hits of a word, as an array that can grow. */
  private hitsOf(word: string): number[] {
    this.byWord ??= new Map(this.entries.map((entry) => [entry.word, entry]));
    let entry = this.byWord.get(word);
    if (entry === undefined) {
      entry = { word, letters: lettersOf(word), hits: [] };
      this.byWord.set(word, entry);
      this.entries.push(entry);
    }
    if (!Array.isArray(entry.hits)) entry.hits = Array.from(entry.hits);
    return entry.hits;
  }

  /** Removes the numbers of removed notes, and words that no longer occur. */
  private compact(): void {
    if (this.paths.length === this.numbers.size) return;
    const numbers = new Int32Array(this.paths.length).fill(-1);
    for (const [at, number] of [...this.numbers.values()].entries()) numbers[number] = at;
    for (const entry of this.entries) entry.hits = renumbered(entry.hits, numbers);
    this.entries = this.entries.filter(({ hits }) => hits.length > 0);
    this.byWord = undefined;
    this.paths = [...this.numbers.keys()];
    this.numbers = new Map(this.paths.map((path, at) => [path ?? '', at]));
  }
}

/** @param numbers new number for each old one; negative for removed notes */
function renumbered(hits: Entry['hits'], numbers: Int32Array): Uint32Array {
  const kept = new Uint32Array(hits.length);
  let count = 0;
  for (const hit of hits) {
    const number = numbers[hit >>> FIELD_BITS] ?? -1;
    if (number < 0) continue;
    kept[count] = (number << FIELD_BITS) | (hit & ALL_FIELDS);
    count += 1;
  }
  return count === kept.length ? kept : kept.slice(0, count);
}

/** Removed notes that may keep a number, in addition to as many as there are notes. */
const MAX_REMOVED = 1_000;

/** Raises the score of each note of a word to that of the word, if it is higher. */
function raiseScores(best: Float64Array, hits: Entry['hits'], scores: readonly number[]): void {
  for (const hit of hits) {
    const score = scores[hit & ALL_FIELDS] ?? 0;
    const number = hit >>> FIELD_BITS;
    if (score > (best[number] ?? 0)) best[number] = score;
  }
}

/**
 * Yields the notes by score. Notes of equal score, of which there may be thousands, are sorted only
 * when they are reached.
 * @param paths by number; undefined for a removed note
 */
function* rankedNotes(
  scores: Float64Array,
  paths: readonly (string | undefined)[],
  matched: readonly Pick<Entry, 'word' | 'hits'>[],
): Iterable<Candidate> {
  const equal = new Map<number, { readonly path: string; readonly number: number }[]>();
  for (const [number, path] of paths.entries()) {
    const score = scores[number] ?? 0;
    if (score === 0 || path === undefined) continue;
    const notes = equal.get(score);
    if (notes === undefined) equal.set(score, [{ path, number }]);
    else notes.push({ path, number });
  }
  for (const [score, notes] of [...equal].sort(([a], [b]) => b - a)) {
    for (const { path, number } of notes.sort((a, b) => (a.path < b.path ? -1 : 1))) {
      const words = matched.filter(({ hits }) => hasNote(hits, number)).map(({ word }) => word);
      yield { path, score, words: [...new Set(words)] };
    }
  }
}

/** @param hits sorted by note number */
function hasNote(hits: Entry['hits'], number: number): boolean {
  let from = 0;
  let to = hits.length;
  while (from < to) {
    const middle = (from + to) >> 1;
    if ((hits[middle] ?? 0) >>> FIELD_BITS < number) from = middle + 1;
    else to = middle;
  }
  return (hits[from] ?? -1) >>> FIELD_BITS === number;
}

/** A note's texts by field, in the order of `FIELD_WEIGHTS`. */
function fieldsOf(path: string, text: string, facts: NoteFacts): readonly string[] {
  const { headings, tags, frontMatter } = facts;
  const values = frontMatter?.ok === true ? frontMatter.values : {};
  const name = path.slice(path.lastIndexOf('/') + 1).replace(/\.[^.]+$/, '');
  const names = [name, ...frontMatterTexts(values, ['title', 'alias', 'aliases'])];
  return [names.join('\n'), headings.map((each) => each.text).join('\n'), tags.join('\n'), text];
}

/** Returns a test for words that match a query word: equal, beginning with it, or similar to it. */
function makeWordTest(wanted: string): (word: string, letters: number) => boolean {
  const prefix = wanted.length > 2 || isUnspaced(wanted);
  const typos = wanted.length > 3 && !isUnspaced(wanted) ? maxTypos(wanted) : 0;
  const letters = lettersOf(wanted);
  return (word, own) => {
    if (word === wanted || (prefix && word.startsWith(wanted))) return true;
    if (typos === 0 || Math.abs(word.length - wanted.length) > typos) return false;
    // A typo changes at most two letters of the set.
    return bitCount(own ^ letters) <= 2 * typos && isWithinEditDistance(wanted, word, typos);
  };
}

function maxTypos(wanted: string): number {
  return Math.min(6, Math.round(wanted.length * 0.2));
}

function lettersOf(word: string): number {
  let letters = 0;
  for (let at = 0; at < word.length; at += 1) letters |= 1 << (word.charCodeAt(at) & 31);
  return letters;
}

function bitCount(bits: number): number {
  let count = 0;
  for (let left = bits; left !== 0; left &= left - 1) count += 1;
  return count;
}

/** Whether the edit distance (changed, inserted or removed characters) is at most `most`. */
function isWithinEditDistance(one: string, other: string, most: number): boolean {
  let row = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (let at = 1; at <= one.length; at += 1) {
    const next = [at];
    let least = at;
    for (let to = 1; to <= other.length; to += 1) {
      const same = one.charCodeAt(at - 1) === other.charCodeAt(to - 1) ? 0 : 1;
      const [above = 0, left = 0, corner = 0] = [row[to], next[to - 1], row[to - 1]];
      const cost = Math.min(above + 1, left + 1, corner + same);
      next.push(cost);
      least = Math.min(least, cost);
    }
    if (least > most) return false;
    row = next;
  }
  return (row[other.length] ?? Infinity) <= most;
}

/** Weight of a word that begins with the query word, and of a similar one. */
const WEIGHT_PREFIX = 0.7;

const WEIGHT_SIMILAR = 0.4;

/**
 * Scores a matching word for each combination of fields. For each word of the query, a note gets
 * the score of its best word. The score depends on the note alone, not on how rare the word is:
 * otherwise notes that an agent may not read would affect the order of those that it may.
 */
function wordScores(wanted: string, word: string): readonly number[] {
  // Longer words are usually more specific.
  const factor = closeness(wanted, word) * Math.log2(1 + wanted.length);
  return Array.from({ length: ALL_FIELDS + 1 }, (_, fields) =>
    FIELD_WEIGHTS.reduce((sum, each, at) => sum + ((fields >> at) & 1) * each * factor, 0),
  );
}

function closeness(wanted: string, word: string): number {
  if (word === wanted) return 1;
  return word.startsWith(wanted) ? WEIGHT_PREFIX : WEIGHT_SIMILAR;
}

/** Longest word that is indexed. Longer ones are data rather than language. */
const LONGEST_WORD = 64;

const WORD = /[\p{L}\p{N}\p{M}]+/gu;

/** Scripts written without spaces between words. */
const UNSPACED =
  /[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Thai}\p{scx=Laoo}\p{scx=Khmr}\p{scx=Mymr}]+/u;

const PARTS = new RegExp(`(${UNSPACED.source})`, 'u');

/** Removes case and accents from a text, for searching. */
export function foldText(text: string): string {
  if (isAscii(text)) return text.toLowerCase();
  return text
    .normalize('NFKD')
    .replaceAll(/[\u0300-\u036f]/g, '')
    .normalize('NFC')
    .toLowerCase();
}

/**
 * The words of a text for the index, without duplicates. In scripts without spaces, each pair of
 * characters and the last character count as words.
 */
function indexWords(text: string): string[] {
  const found = splitWords(text, (characters) => [...bigrams(characters), characters.at(-1) ?? '']);
  return [...new Set(found)];
}

/**
 * The words of a query, without duplicates. In scripts without spaces: each pair of characters, or
 * a single character.
 */
export function queryWords(text: string): string[] {
  const found = splitWords(text, (characters) =>
    characters.length === 1 ? [...characters] : bigrams(characters),
  );
  return [...new Set(found)];
}

/** Whether the word is in a script without spaces. Such a word has no similar words. */
function isUnspaced(word: string): boolean {
  return UNSPACED.test(word);
}

function splitWords(text: string, split: (characters: readonly string[]) => string[]): string[] {
  return (foldText(text).match(WORD) ?? []).flatMap((word) => {
    if (isAscii(word) || !UNSPACED.test(word)) return word.length <= LONGEST_WORD ? [word] : [];
    return word.split(PARTS).flatMap((part, at) => {
      if (at % 2 === 1) return split(Array.from(part));
      return part === '' || part.length > LONGEST_WORD ? [] : [part];
    });
  });
}

function bigrams(characters: readonly string[]): string[] {
  return characters.slice(1).map((character, at) => `${characters[at] ?? ''}${character}`);
}

function isAscii(text: string): boolean {
  return !/[^\t\n\r -~]/.test(text);
}
