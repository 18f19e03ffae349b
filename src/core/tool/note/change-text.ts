import { sequenceDiff, type Hunk } from '../../board/merge/sequence-diff';
import type { NoteChange } from '../../permission/ask';
import { textLines } from '../../board/merge/text-edits';

/** Unchanged lines around each hunk. */
const CONTEXT = 3;
/** Most lines and characters of a change that are shown. */
const MAX_LINES = 400;
const MAX_CHARS = 24_000;
/** Most characters of one line that are shown. */
const MAX_LINE_CHARS = 1_000;
/** Most pairs of equal lines to compare. With more, the differing part is shown as one hunk. */
const MAX_PAIRS = 1_000_000;

/**
 * A change of a note as a unified diff, for the model. Takes linear time except for the part that
 * differs. A long diff is cut and says how many lines are missing.
 * @param before undefined if there is no note yet
 */
export function changeText(path: string, before: string | undefined, after: string): string {
  const was = before ?? '';
  const heads = [before === undefined ? '--- (no note)' : `--- ${path}`, `+++ ${path}`];
  if (was === after) return [...heads, '(nothing changes)'].join('\n');
  const middle = differingPart(was, after);
  const linesWas = linesOf(was.slice(middle.from, middle.beforeEnd));
  const linesNow = linesOf(after.slice(middle.from, middle.afterEnd));
  const hunks = lineHunks(linesWas, linesNow);
  const diffLines = unifiedHunks(hunks, linesWas, linesNow, markedLines, middle.linesBefore);
  const ends =
    lineEnd(was) === lineEnd(after)
      ? []
      : [`\\ Line ends change from ${lineEnd(was)} to ${lineEnd(after)}`];
  return [...heads, ...ends, ...cut(diffLines)].join('\n');
}

/** The change as shown to a person who is asked about it. */
export function shownChange(path: string, change: NoteChange | 'restricted'): string {
  return change === 'restricted'
    ? `The change is not shown, because the rules do not allow reading ${path} here.`
    : changeText(path, change.before, change.after);
}

/**
 * Offsets of the part in which two texts differ, with some lines of context. Starts at the
 * beginning of a line.
 */
function differingPart(before: string, after: string) {
  const most = Math.min(before.length, after.length);
  let head = 0;
  while (head < most && before.charCodeAt(head) === after.charCodeAt(head)) head += 1;
  let tail = 0;
  while (
    tail < most - head &&
    before.charCodeAt(before.length - 1 - tail) === after.charCodeAt(after.length - 1 - tail)
  ) {
    tail += 1;
  }
  const from = lineStartAbove(before, head, CONTEXT);
  const beforeEnd = lineEndBelow(before, before.length - tail, CONTEXT);
  const afterEnd = after.length - (before.length - beforeEnd);
  return { from, beforeEnd, afterEnd, linesBefore: linesOf(before.slice(0, from)).length };
}

/** Start of the line that is `lines` above the line at `offset`. */
function lineStartAbove(text: string, offset: number, lines: number): number {
  let at = offset;
  for (let left = lines; left >= 0 && at > 0; left -= 1) {
    at = text.lastIndexOf('\n', at - 1 - (left < lines ? 1 : 0)) + 1;
  }
  return at;
}

/** End of the line that is `lines` below the line at `offset`. */
function lineEndBelow(text: string, offset: number, lines: number): number {
  let at = offset;
  for (let left = lines; left >= 0; left -= 1) {
    const end = text.indexOf('\n', at);
    if (end < 0) return text.length;
    at = end + 1;
  }
  return at;
}

/** Splits a text into lines with their line breaks. None is empty. */
function linesOf(text: string): readonly string[] {
  return textLines(text).flatMap((line) =>
    line.text + line.end === '' ? [] : line.text + line.end,
  );
}

function lineHunks(before: readonly string[], after: readonly string[]): readonly Hunk[] {
  if (pairsOf(before, after) <= MAX_PAIRS) return sequenceDiff(before, after);
  return [{ before: 0, beforeLength: before.length, after: 0, afterLength: after.length }];
}

/** Number of pairs of equal lines: an upper bound for the cost of comparing. */
function pairsOf(before: readonly string[], after: readonly string[]): number {
  const counts = new Map<string, number>();
  for (const line of before) counts.set(line, (counts.get(line) ?? 0) + 1);
  return after.reduce((sum, line) => sum + (counts.get(line) ?? 0), 0);
}

/**
 * The hunks of a unified diff, with their heads and context.
 * @param marked shows lines with `+`, `-` or a blank before them
 * @param offset number of lines above the texts
 */
export function unifiedHunks(
  hunks: readonly Hunk[],
  before: readonly string[],
  after: readonly string[],
  marked: MarkLines,
  offset = 0,
): readonly string[] {
  return grouped(hunks, before.length).flatMap((group) =>
    hunkText(group, before, after, marked, offset),
  );
}

type MarkLines = (sign: string, lines: readonly string[]) => readonly string[];

/** Groups hunks whose contexts touch. */
function grouped(hunks: readonly Hunk[], lines: number): readonly (readonly Hunk[])[] {
  const groups: Hunk[][] = [];
  let end = -Infinity;
  for (const hunk of hunks) {
    const group = groups.at(-1);
    if (group !== undefined && hunk.before - CONTEXT <= end) group.push(hunk);
    else groups.push([hunk]);
    end = Math.min(hunk.before + hunk.beforeLength + CONTEXT, lines);
  }
  return groups;
}

function hunkText(
  hunks: readonly Hunk[],
  before: readonly string[],
  after: readonly string[],
  marked: MarkLines,
  offset: number,
): string[] {
  const [first, last] = [hunks[0] as Hunk, hunks.at(-1) as Hunk];
  const above = Math.min(CONTEXT, first.before);
  const from = first.before - above;
  const end = Math.min(last.before + last.beforeLength + CONTEXT, before.length);
  const start = first.after - above;
  const stop = end + last.after + last.afterLength - last.before - last.beforeLength;
  const head = `@@ -${span(from, end, offset)} +${span(start, stop, offset)} @@`;
  const lines: string[] = [head];
  let at = from;
  for (const hunk of hunks) {
    lines.push(...marked(' ', before.slice(at, hunk.before)));
    at = hunk.before + hunk.beforeLength;
    lines.push(...marked('-', before.slice(hunk.before, at)));
    lines.push(...marked('+', after.slice(hunk.after, hunk.after + hunk.afterLength)));
  }
  lines.push(...marked(' ', before.slice(at, end)));
  return lines;
}

/** A range of lines as in a unified diff. An empty range is given by the line above it. */
function span(from: number, end: number, offset: number): string {
  return `${offset + from + (end > from ? 1 : 0)},${end - from}`;
}

function markedLines(sign: string, lines: readonly string[]): string[] {
  return lines.flatMap((line) => {
    const text = line.replace(/\r\n$|[\r\n]$/, '').replace(/^\uFEFF/, '(byte order mark)');
    const markedLine = sign + shortened(text);
    return /[\r\n]$/.test(line) ? [markedLine] : [markedLine, '\\ No newline at end of note'];
  });
}

function shortened(text: string): string {
  if (text.length <= MAX_LINE_CHARS) return text;
  const kept = text.slice(0, MAX_LINE_CHARS).replace(/[\ud800-\udbff]$/, '');
  return `${kept}… (${text.length - kept.length} more characters)`;
}

function cut(lines: readonly string[]): readonly string[] {
  let chars = 0;
  const fit = lines.findIndex(
    (line, at) => (chars += line.length + 1) > MAX_CHARS || at >= MAX_LINES,
  );
  if (fit < 0) return lines;
  return [...lines.slice(0, fit), `… ${lines.length - fit} more lines of this change`];
}

/** Kind of the first line break. A text without one counts as LF. */
function lineEnd(text: string): string {
  const end = /\r\n|\r|\n/.exec(text)?.[0] ?? '\n';
  return end === '\r\n' ? 'CRLF' : end === '\r' ? 'CR' : 'LF';
}
