import { sequenceDiff } from '../../core/board/merge/sequence-diff';

/** Where words differ, from and to, in UTF-16 units. */
export type Marks = readonly (readonly [number, number])[];

/** Lines of one run, and UTF-16 units of one line, beyond which no words are compared. */
const MOST_LINES = 200;
const MOST_UNITS = 2_000;

/** The part of both lines from which on they are taken as different as a whole. */
const UNLIKE = 0.7;

const WORDS = /[\p{L}\p{N}\p{M}_]+|\s+|[^\p{L}\p{N}\p{M}_\s]/gu;

/**
 * The words that differ between lines and those in their place, one with one. Where lines were only
 * taken out or only put in there is nothing to compare; nor where there is too much of it.
 */
export function markedWords(
  removed: readonly string[],
  added: readonly string[],
): { readonly removed: readonly Marks[]; readonly added: readonly Marks[] } {
  const marks = { removed: [] as Marks[], added: [] as Marks[] };
  const lines = Math.max(removed.length, added.length);
  if (removed.length === 0 || added.length === 0 || lines > MOST_LINES) return marks;
  for (let at = 0; at < lines; at += 1) {
    const [was, is] = pairMarks(removed[at], added[at]);
    marks.removed.push(was);
    marks.added.push(is);
  }
  return marks;
}

function pairMarks(was: string | undefined, is: string | undefined): readonly [Marks, Marks] {
  if (was === undefined || is === undefined) return [wholeLine(was), wholeLine(is)];
  if (was.length > MOST_UNITS || is.length > MOST_UNITS) return [[], []];
  const [before, after] = [was.match(WORDS) ?? [], is.match(WORDS) ?? []];
  const hunks = sequenceDiff(before, after);
  const marks: readonly [Marks, Marks] = [
    joined(
      before,
      hunks.map((hunk) => [hunk.before, hunk.before + hunk.beforeLength]),
    ),
    joined(
      after,
      hunks.map((hunk) => [hunk.after, hunk.after + hunk.afterLength]),
    ),
  ];
  // Of two lines that say something else, a word that happens to be in both is no news.
  const unlike = mostly(marks[0], was) && mostly(marks[1], is);
  return unlike ? [wholeLine(was), wholeLine(is)] : marks;
}

function mostly(marks: Marks, line: string): boolean {
  return marks.reduce((sum, [from, to]) => sum + to - from, 0) > line.trim().length * UNLIKE;
}

function wholeLine(line = ''): Marks {
  return line.length > MOST_UNITS ? [] : trimmed(line, 0, line.length);
}

/** Runs of words as places in the line; only white space between two does not part them. */
function joined(words: readonly string[], runs: readonly (readonly [number, number])[]): Marks {
  const starts = [0];
  for (const word of words) starts.push((starts.at(-1) ?? 0) + word.length);
  const marks: [number, number][] = [];
  for (const [from, to] of runs) {
    if (from === to) continue;
    const [start, end] = [starts[from] ?? 0, starts[to] ?? 0];
    const last = marks.at(-1);
    const gap = last === undefined ? undefined : words.slice(starts.indexOf(last[1]), from);
    if (last !== undefined && gap?.join('').trim() === '') last[1] = end;
    else marks.push([start, end]);
  }
  const line = words.join('');
  return marks.flatMap(([from, to]) => trimmed(line, from, to));
}

/** Without the white space at its ends, unless that is all that differs. */
function trimmed(line: string, from: number, to: number): Marks {
  const text = line.slice(from, to);
  const inner = text.trim();
  if (inner === '') return from === 0 && to === line.length ? [] : [[from, to]];
  const start = from + text.indexOf(inner);
  return [[start, start + inner.length]];
}
