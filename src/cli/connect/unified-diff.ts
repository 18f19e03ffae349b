import { sequenceDiff, type Hunk } from '../../core/board/merge/sequence-diff';

/** Number of context lines around a change. */
const CONTEXT_LINES = 3;

/**
 * The difference between two texts in the form of `diff -u`; empty if they are equal.
 * @param before undefined if there was no file; `after` undefined if the file is removed
 */
export function unifiedDiff(
  path: string,
  before: string | undefined,
  after: string | undefined,
): string {
  const [was, is] = [linesOf(before), linesOf(after)];
  const groups: Hunk[][] = [];
  let end = -Infinity;
  for (const hunk of sequenceDiff(was, is)) {
    if (hunk.before - end <= 2 * CONTEXT_LINES) groups.at(-1)?.push(hunk);
    else groups.push([hunk]);
    end = hunk.before + hunk.beforeLength;
  }
  if (groups.length === 0) return '';
  const names = [before, after].map((text) => (text === undefined ? '/dev/null' : path));
  const parts = groups.map((group) => groupText(group, was, is));
  return `--- ${names[0] ?? ''}\n+++ ${names[1] ?? ''}\n${parts.join('')}`;
}

function linesOf(text = ''): readonly string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

function groupText(hunks: readonly Hunk[], was: readonly string[], is: readonly string[]): string {
  const [first, last] = [hunks[0], hunks.at(-1)];
  if (first === undefined || last === undefined) return '';
  const lead = Math.min(CONTEXT_LINES, first.before);
  const from = first.before - lead;
  const to = Math.min(was.length, last.before + last.beforeLength + CONTEXT_LINES);
  const lines: string[] = [];
  let at = from;
  for (const { before, beforeLength, after, afterLength } of hunks) {
    lines.push(...prefixed(' ', was.slice(at, before)));
    at = before + beforeLength;
    lines.push(...prefixed('-', was.slice(before, at)));
    lines.push(...prefixed('+', is.slice(after, after + afterLength)));
  }
  lines.push(...prefixed(' ', was.slice(at, to)));
  const start = first.after - lead;
  const stop = last.after + last.afterLength + (to - last.before - last.beforeLength);
  return `@@ -${range(from, to)} +${range(start, stop)} @@\n${lines.join('')}`;
}

function prefixed(sign: string, lines: readonly string[]): readonly string[] {
  return lines.map((line) =>
    line.endsWith('\n') ? sign + line : `${sign}${line}\n\\ No newline at end of file\n`,
  );
}

/** A range of lines, counted from 0, end exclusive; an empty range names the line before it. */
function range(from: number, to: number): string {
  return `${to === from ? from : from + 1},${to - from}`;
}
