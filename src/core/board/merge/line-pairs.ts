import { sequenceDiff, type Hunk } from './sequence-diff';
import { taskLineId } from './task-line-parts';

/** A line with the id of the task that it opens. */
export interface KnownLine {
  readonly text: string;
  readonly id: string | null;
}

/** For each line of `before` the index of the line that it became in `after`; -1 where it went. */
export type LinePairs = readonly number[];

/** Reads lines; one that was read before, in whichever version of a note, is not read again. */
export function lineReader(): (text: string) => KnownLine {
  const known = new Map<string, KnownLine>();
  return (text) => {
    const before = known.get(text);
    if (before !== undefined) return before;
    const id = text.includes(ID_EMOJI) ? taskLineId(text) : null;
    const line = { text, id };
    known.set(text, line);
    return line;
  };
}

const ID_EMOJI = '\u{1F194}';

/** A task line is known by its id; any other by its text, and where that changed, by likeness. */
export function linePairs(before: readonly KnownLine[], after: readonly KnownLine[]): LinePairs {
  const pairs = new Array<number>(before.length).fill(-1);
  let b = 0;
  let a = 0;
  const same = (end: number): void => {
    while (b < end) pairs[b++] = a++;
  };
  for (const hunk of sequenceDiff(before.map(keyOf), after.map(keyOf))) {
    same(hunk.before);
    for (const [from, to] of likePairs(before, after, hunk)) pairs[from] = to;
    b = hunk.before + hunk.beforeLength;
    a = hunk.after + hunk.afterLength;
  }
  same(before.length);
  return pairs;
}

function keyOf({ text, id }: KnownLine): string {
  return id === null ? `=${text}` : `#${id}`;
}

/** More pairs to weigh than this are taken in order. */
const MOST = 40_000;

/** In a run that changed: the pairs, in order, that are most alike together. */
function likePairs(
  before: readonly KnownLine[],
  after: readonly KnownLine[],
  hunk: Hunk,
): readonly (readonly [number, number])[] {
  const [rows, columns] = [hunk.beforeLength, hunk.afterLength];
  const like = (row: number, column: number): number => {
    const [one, other] = [before[hunk.before + row], after[hunk.after + column]];
    return one === undefined || other === undefined ? 0 : likeness(one, other);
  };
  const found: (readonly [number, number])[] = [];
  if (rows * columns > MOST) {
    for (let at = 0; at < Math.min(rows, columns); at += 1) {
      if (like(at, at) > 0) found.push([hunk.before + at, hunk.after + at]);
    }
    return found;
  }
  const best = bestSums(rows, columns, like);
  for (let [row, column] = [0, 0]; row < rows && column < columns;) {
    const here = best[row]?.[column] ?? 0;
    if (here === (best[row + 1]?.[column] ?? 0)) row += 1;
    else if (here === (best[row]?.[column + 1] ?? 0)) column += 1;
    else found.push([hunk.before + row++, hunk.after + column++]);
  }
  return found;
}

/** `[row][column]`: the highest sum of likeness from there to the ends. */
function bestSums(
  rows: number,
  columns: number,
  like: (row: number, column: number) => number,
): readonly (readonly number[])[] {
  const best = Array.from({ length: rows + 1 }, () => new Array<number>(columns + 1).fill(0));
  for (let row = rows - 1; row >= 0; row -= 1) {
    const [line = [], below = []] = [best[row], best[row + 1]];
    for (let column = columns - 1; column >= 0; column -= 1) {
      const weight = like(row, column);
      const paired = weight === 0 ? 0 : weight + (below[column + 1] ?? 0);
      line[column] = Math.max(below[column] ?? 0, line[column + 1] ?? 0, paired);
    }
  }
  return best;
}

/** Lines without a task may have been rewritten altogether; other pairs share a third at least. */
const SOME = 0.01;
const THIRD = 1 / 3;

/** 0 for lines that are not the same one changed; else above 0, at most 1. */
function likeness(one: KnownLine, other: KnownLine): number {
  const [a, b] = [one.text.trim(), other.text.trim()];
  if (a === '' || b === '') return a === b ? 1 : 0;
  if (one.id !== null && other.id !== null) return one.id === other.id ? 1 : 0;
  const shared = sameButMark(a, b) ? 1 : sharedEnds(a, b) / Math.max(a.length, b.length);
  if (one.id !== null || other.id !== null) return shared < THIRD ? 0 : shared;
  return Math.max(SOME, shared);
}

const MARK = /^(?:[-*+]|\d+[.)]) \[.\] /u;

/** The same task, ticked or not; with or without an id or a date that it got meanwhile. */
function sameButMark(a: string, b: string): boolean {
  if (!MARK.test(a) || !MARK.test(b)) return false;
  const [one, other] = [`${a.replace(MARK, '')} `, `${b.replace(MARK, '')} `];
  return one.startsWith(other) || other.startsWith(one);
}

/** Characters at the beginning and at the end that both have. */
function sharedEnds(a: string, b: string): number {
  const most = Math.min(a.length, b.length);
  let head = 0;
  while (head < most && a[head] === b[head]) head += 1;
  let tail = 0;
  while (tail < most - head && a[a.length - 1 - tail] === b[b.length - 1 - tail]) tail += 1;
  return head + tail;
}
