import { sequenceDiff, type Hunk } from '../../core/board/merge/sequence-diff';
import { textLines, type TextLine } from '../../core/board/merge/text-edits';
import type { PermissionRequest } from '../../protocol/snapshot';
import { t } from '../language/text';

/** Unchanged lines shown before and after a change. */
const CONTEXT_LINES = 2;

/** The line diff of two texts, each change with lines around it. Line ends count as text. */
export function textDiff(before: string, after: string): readonly DiffLine[] {
  const sides: Sides = { was: linesOf(before), is: linesOf(after), usual: lineEnd(before, after) };
  const hunks = sequenceDiff(sides.was.map(lineWithEnd), sides.is.map(lineWithEnd));
  return withMarks(groupHunks(hunks).flatMap((group) => groupLines(group, sides)));
}

interface Sides {
  readonly was: readonly TextLine[];
  readonly is: readonly TextLine[];
  /** the usual line end, which is not shown */
  readonly usual: string;
}

function linesOf(text: string): readonly TextLine[] {
  return textLines(text).filter((line) => lineWithEnd(line) !== '');
}

function lineWithEnd({ text, end }: TextLine): string {
  return text + end;
}

/** The line end of the first line that has one. */
function lineEnd(...texts: readonly string[]): string {
  return /\r\n|\r|\n/.exec(texts.join(''))?.[0] ?? '\n';
}

/** Groups the changes whose context lines touch. */
function groupHunks(hunks: readonly Hunk[]): readonly (readonly Hunk[])[] {
  const all: Hunk[][] = [];
  let end = 0;
  for (const hunk of hunks) {
    const last = all.at(-1);
    if (last !== undefined && hunk.before - end <= 2 * CONTEXT_LINES) last.push(hunk);
    else all.push([hunk]);
    end = hunk.before + hunk.beforeLength;
  }
  return all;
}

function groupLines(hunks: readonly Hunk[], { was, is, usual }: Sides): readonly DiffLine[] {
  const [first, last] = [hunks[0], hunks.at(-1)];
  if (first === undefined || last === undefined) return [];
  const above = Math.min(CONTEXT_LINES, first.before);
  const end = Math.min(last.before + last.beforeLength + CONTEXT_LINES, was.length);
  const stop = end + last.after + last.afterLength - last.before - last.beforeLength;
  const start = first.after - above;
  const place = lineRangeText(Math.min(start + 1, is.length), stop - start, is.length);
  const lines: DiffLine[] = [{ kind: 'place', text: place }];
  let [at, to] = [first.before - above, start];
  const same = (until: number): void => {
    for (; at < until; at += 1, to += 1) {
      lines.push({ kind: 'same', text: was[at]?.text ?? '', before: at + 1, after: to + 1 });
    }
  };
  for (const hunk of hunks) {
    same(hunk.before);
    for (; at < hunk.before + hunk.beforeLength; at += 1) {
      lines.push({ kind: 'removed', ...changedLine(was[at], usual), before: at + 1 });
    }
    for (; to < hunk.after + hunk.afterLength; to += 1) {
      lines.push({ kind: 'added', ...changedLine(is[to], usual), after: to + 1 });
    }
  }
  same(end);
  return lines;
}

function changedLine(line: TextLine | undefined, usual: string) {
  const { text, end } = line ?? { text: '', end: usual };
  return { text, marks: [], ...(end !== usual && { end: END_WORDS.get(end) ?? '' }) };
}

const END_WORDS: ReadonlyMap<string, string> = new Map([
  ['\r\n', t('ui.endsWithCrLf')],
  ['\r', t('ui.endsWithCr')],
  ['\n', t('ui.endsWithLf')],
  ['', t('ui.noLineEnd')],
]);

/**
 * One line of a change, with its number before or after it, from 1. A `place` replaces lines that
 * are left out, and names the ones that follow.
 */
export type DiffLine =
  | { readonly kind: 'place'; readonly text: string }
  | {
      readonly kind: 'same';
      readonly text: string;
      readonly before: number;
      readonly after: number;
    }
  | {
      readonly kind: 'removed';
      readonly text: string;
      readonly before: number;
      readonly marks: Marks;
      /** name of its line end, if it differs from the rest of the note */
      readonly end?: string;
    }
  | {
      readonly kind: 'added';
      readonly text: string;
      readonly after: number;
      readonly marks: Marks;
      readonly end?: string;
    };

const NO_LINES: readonly DiffLine[] = [];

const diffCache = new WeakMap<PermissionRequest, readonly DiffLine[]>();

/** The change of an edit, if OpenCode sent a unified diff with its request; otherwise empty. */
export function diffLines(request: PermissionRequest): readonly DiffLine[] {
  const { diff } = request.metadata;
  if (typeof diff !== 'string') return NO_LINES;
  let lines = diffCache.get(request);
  if (lines === undefined) {
    const start = diff.search(/^@@/m);
    lines = start < 0 ? NO_LINES : withMarks(readDiff(diff.slice(start).split(/\r?\n/)));
    diffCache.set(request, lines);
  }
  return lines;
}

function readDiff(diff: readonly string[]): readonly DiffLine[] {
  const lines: DiffLine[] = [];
  let [before, after] = [1, 1];
  for (const line of diff) {
    const place = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,(\d+))? @@/.exec(line);
    const text = line.slice(1);
    if (place !== null) {
      [before, after] = [Number(place[1]), Number(place[2])];
      lines.push({ kind: 'place', text: lineRangeText(after, Number(place[3] ?? '1')) });
    } else if (line.startsWith('+')) {
      lines.push({ kind: 'added', text, after: after++, marks: [] });
    } else if (line.startsWith('-')) {
      lines.push({ kind: 'removed', text, before: before++, marks: [] });
    } else if (line.startsWith(' ')) {
      lines.push({ kind: 'same', text, before: before++, after: after++ });
    }
  }
  return lines;
}

/** "Lines 10 to 20 of 64", by their numbers after the change. */
function lineRangeText(first: number, count: number, all?: number): string {
  const last = first + count - 1;
  if (all === undefined) {
    return last > first ? t('ui.lines', { first, last }) : t('ui.line', { first });
  }
  return last > first ? t('ui.linesOf', { first, last, all }) : t('ui.lineOf', { first, all });
}

/** Marks the words that differ, for each run of removed lines followed by added ones. */
function withMarks(lines: readonly DiffLine[]): readonly DiffLine[] {
  const marked: DiffLine[] = [];
  for (let at = 0; at < lines.length;) {
    const removed = runOf(lines, at, 'removed');
    const added = runOf(lines, at + removed.length, 'added');
    if (removed.length === 0 && added.length === 0) {
      marked.push(lines[at] as DiffLine);
      at += 1;
      continue;
    }
    const marks = markedWords(
      removed.map(({ text }) => text),
      added.map(({ text }) => text),
    );
    removed.forEach((line, index) => marked.push({ ...line, marks: marks.removed[index] ?? [] }));
    added.forEach((line, index) => marked.push({ ...line, marks: marks.added[index] ?? [] }));
    at += removed.length + added.length;
  }
  return marked;
}

function runOf<K extends 'removed' | 'added'>(
  lines: readonly DiffLine[],
  from: number,
  kind: K,
): readonly Extract<DiffLine, { kind: K }>[] {
  const run: Extract<DiffLine, { kind: K }>[] = [];
  for (let at = from; lines[at]?.kind === kind; at += 1) {
    run.push(lines[at] as Extract<DiffLine, { kind: K }>);
  }
  return run;
}

/** Ranges of words that differ: start and end in UTF-16 units. */
type Marks = readonly (readonly [number, number])[];

/** Most lines of a run, and most UTF-16 units of a line, for which words are compared. */
const MAX_LINES = 200;

const MAX_UNITS = 2_000;

/** If more than this share of both lines differs, the whole lines are marked. */
const UNLIKE_SHARE = 0.7;

const WORDS = /[\p{L}\p{N}\p{M}_]+|\s+|[^\p{L}\p{N}\p{M}_\s]/gu;

/**
 * The words that differ between removed lines and the lines that replace them, compared in pairs. Nothing
 * is compared if lines were only removed or only added, or if there are too many.
 */
function markedWords(
  removed: readonly string[],
  added: readonly string[],
): { readonly removed: readonly Marks[]; readonly added: readonly Marks[] } {
  const marks = { removed: [] as Marks[], added: [] as Marks[] };
  const lines = Math.max(removed.length, added.length);
  if (removed.length === 0 || added.length === 0 || lines > MAX_LINES) return marks;
  for (let at = 0; at < lines; at += 1) {
    const [was, is] = pairMarks(removed[at], added[at]);
    marks.removed.push(was);
    marks.added.push(is);
  }
  return marks;
}

function pairMarks(was: string | undefined, is: string | undefined): readonly [Marks, Marks] {
  if (was === undefined || is === undefined) return [wholeLine(was), wholeLine(is)];
  if (was.length > MAX_UNITS || is.length > MAX_UNITS) return [[], []];
  const [before, after] = [was.match(WORDS) ?? [], is.match(WORDS) ?? []];
  const hunks = sequenceDiff(before, after);
  const marks: readonly [Marks, Marks] = [
    wordRanges(
      before,
      hunks.map((hunk) => [hunk.before, hunk.before + hunk.beforeLength]),
    ),
    wordRanges(
      after,
      hunks.map((hunk) => [hunk.after, hunk.after + hunk.afterLength]),
    ),
  ];
  // In two unrelated lines, a word that happens to be in both means nothing.
  const unlike = isMostlyMarked(marks[0], was) && isMostlyMarked(marks[1], is);
  return unlike ? [wholeLine(was), wholeLine(is)] : marks;
}

function isMostlyMarked(marks: Marks, line: string): boolean {
  return marks.reduce((sum, [from, to]) => sum + to - from, 0) > line.trim().length * UNLIKE_SHARE;
}

function wholeLine(line = ''): Marks {
  return line.length > MAX_UNITS ? [] : trimRange(line, 0, line.length);
}

/** Converts runs of words to ranges in the line; joins runs that only white space separates. */
function wordRanges(words: readonly string[], runs: readonly (readonly [number, number])[]): Marks {
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
  return marks.flatMap(([from, to]) => trimRange(line, from, to));
}

/** The range without white space at its ends, unless nothing else differs. */
function trimRange(line: string, from: number, to: number): Marks {
  const text = line.slice(from, to);
  const inner = text.trim();
  if (inner === '') return from === 0 && to === line.length ? [] : [[from, to]];
  const start = from + text.indexOf(inner);
  return [[start, start + inner.length]];
}
