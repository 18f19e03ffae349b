import { textsOf } from './scan-note';
import type { NoteFacts } from './note-facts';

/** A note that has some of the words. */
export interface Candidate {
  readonly path: string;
  readonly score: number;
  /** the words of the note that matched, folded */
  readonly words: readonly string[];
}

/** Words of a query that count. */
const MOST_WORDS = 24;

/** What a word counts by where it stands: title, headings, tags, text; the first has the lowest bit. */
const FIELD_WEIGHTS = [8, 3, 3, 1];

const FIELD_BITS = FIELD_WEIGHTS.length;

const ALL_FIELDS = (1 << FIELD_BITS) - 1;

/** A word with the notes that have it. */
interface Entry {
  readonly word: string;
  /** one of 32 bits for each of its characters */
  readonly letters: number;
  /** for each note its number and, in the lowest bits, the fields */
  hits: number[] | Uint32Array;
}

/** An index as a program can keep it. */
export interface PackedWords {
  /** by number */
  readonly paths: readonly string[];
  readonly words: readonly string[];
  /** hits of each word */
  readonly counts: Uint32Array;
  /** of all words, one behind the other */
  readonly hits: Uint32Array;
}

/** Which notes have which words. It keeps words only, no texts. */
export class WordIndex {
  private entries: Entry[] = [];
  private byWord: Map<string, Entry> | undefined = new Map();
  /** by number; undefined for one that is no longer there */
  private paths: (string | undefined)[] = [];
  private numbers = new Map<string, number>();

  /** What `pack` gave. What is wrong in it leads to no other notes than it names. */
  static of({ paths, words, counts, hits }: PackedWords): WordIndex {
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

  /** Notes that are in it. */
  get size(): number {
    return this.numbers.size;
  }

  /** Adds a note, in the place of what it was before. @param facts of its text */
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
    if (this.paths.length > 2 * this.numbers.size + MOST_GONE) this.compact();
  }

  /**
   * All notes with a word of the query, or one like it; best first, equal ones by path. They stay those of
   * this moment whatever is added or removed before the last of them is asked for.
   */
  search(query: string): Iterable<Candidate> {
    const scores = new Float64Array(this.paths.length);
    const matched: Pick<Entry, 'word' | 'hits'>[] = [];
    for (const wanted of queryWords(query).slice(0, MOST_WORDS)) {
      const fits = fitting(wanted);
      const best = new Float64Array(this.paths.length);
      for (const { word, letters, hits } of this.entries) {
        if (!fits(word, letters)) continue;
        matched.push({ word, hits });
        raise(best, hits, wordScores(wanted, word));
      }
      for (let number = 0; number < best.length; number += 1)
        scores[number] = (scores[number] ?? 0) + (best[number] ?? 0);
    }
    return ranked(scores, [...this.paths], matched);
  }

  pack(): PackedWords {
    this.compact();
    const hits = new Uint32Array(this.entries.reduce((sum, entry) => sum + entry.hits.length, 0));
    let at = 0;
    for (const entry of this.entries) {
      hits.set(entry.hits, at);
      // Half of the memory, and side by side: a search reads them faster.
      entry.hits = hits.subarray(at, (at += entry.hits.length));
    }
    return {
      paths: this.paths.map((path) => path ?? ''),
      words: this.entries.map(({ word }) => word),
      counts: Uint32Array.from(this.entries, (entry) => entry.hits.length),
      hits,
    };
  }

  /** Those of a word, to be added to. */
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

  /** Forgets what is gone: its numbers, and words that no note has any more. */
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

/** @param numbers of notes, by what they were before; below 0 for those that are gone */
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

/** Notes that are gone and still cost a number, beside as many as there are. */
const MOST_GONE = 1_000;

/** Sets each note of a word to what the word counts for it, where that is more. */
function raise(best: Float64Array, hits: Entry['hits'], scores: readonly number[]): void {
  for (const hit of hits) {
    const score = scores[hit & ALL_FIELDS] ?? 0;
    const number = hit >>> FIELD_BITS;
    if (score > (best[number] ?? 0)) best[number] = score;
  }
}

/**
 * The notes by their score. Equal ones, of which there may be thousands, are only put in order once they are
 * asked for.
 * @param paths by number; undefined for a note that is gone
 */
function* ranked(
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

/** @param hits in the order of their numbers, as they always are */
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

/** A note's texts by field. */
function fieldsOf(path: string, text: string, facts: NoteFacts): readonly string[] {
  const { headings, tags, frontMatter } = facts;
  const values = frontMatter?.ok === true ? frontMatter.values : {};
  const name = path.slice(path.lastIndexOf('/') + 1).replace(/\.[^.]+$/, '');
  const names = [name, ...textsOf(values, ['title', 'alias', 'aliases'])];
  return [names.join('\n'), headings.map((each) => each.text).join('\n'), tags.join('\n'), text];
}

/** Whether a word is one of the query: the same, one that begins with it, or one that is like it. */
function fitting(wanted: string): (word: string, letters: number) => boolean {
  const prefix = wanted.length > 2 || isUnspaced(wanted);
  const slips = wanted.length > 3 && !isUnspaced(wanted) ? mostSlips(wanted) : 0;
  const letters = lettersOf(wanted);
  return (word, own) => {
    if (word === wanted || (prefix && word.startsWith(wanted))) return true;
    if (slips === 0 || Math.abs(word.length - wanted.length) > slips) return false;
    // A slip changes two letters at most.
    return bitCount(own ^ letters) <= 2 * slips && isLike(wanted, word, slips);
  };
}

function mostSlips(wanted: string): number {
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

/** Whether so many characters changed, put in or left out make one word of the other. */
function isLike(one: string, other: string, most: number): boolean {
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

/** What a word counts that only begins with one of the query, or is like one. */
const WEIGHT_BEGINS = 0.7;

const WEIGHT_LIKE = 0.4;

/**
 * What a word of the query counts for a note that has a word like it, by the fields in which it stands. A note
 * counts the best of its words for each word of the query. This hangs on the note alone, not on how often a
 * word stands in others, as rarity does: what an agent may not read must not show in the order of what it may.
 */
function wordScores(wanted: string, word: string): readonly number[] {
  // A longer word says more, as a rule.
  const factor = closeness(wanted, word) * Math.log2(1 + wanted.length);
  return Array.from({ length: ALL_FIELDS + 1 }, (_, fields) =>
    FIELD_WEIGHTS.reduce((sum, each, at) => sum + ((fields >> at) & 1) * each * factor, 0),
  );
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
