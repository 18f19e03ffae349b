import { type Splice } from '../note/edit-result';
import { splitIntoWords } from './merge-line';
import { sequenceDiff } from './sequence-diff';

/**
 * Returns the edits that turn one text into another: whole lines if lines were added or removed,
 * words if a line changed, so that positions in the rest stay valid. Lines end with `\n`.
 */
export function textEdits(before: string, after: string): readonly Splice[] {
  const [old, now] = [splitLines(before), splitLines(after)];
  const edits: Splice[] = [];
  let from = 0;
  let at = 0;
  for (const hunk of sequenceDiff(old, now)) {
    from += lengthOf(old.slice(at, hunk.before));
    const removed = old.slice(hunk.before, hunk.before + hunk.beforeLength);
    const added = now.slice(hunk.after, hunk.after + hunk.afterLength);
    edits.push(...runEdits(from, removed, added));
    from += lengthOf(removed);
    at = hunk.before + hunk.beforeLength;
  }
  return edits;
}

/** Lines with their line ends. */
function splitLines(text: string): readonly string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

function lengthOf(lines: readonly string[]): number {
  return lines.reduce((sum, line) => sum + line.length, 0);
}

/** If as many lines are added as removed, each is treated as a change of the old one. */
function runEdits(
  from: number,
  removed: readonly string[],
  added: readonly string[],
): readonly Splice[] {
  if (removed.length !== added.length) {
    return [{ from, to: from + lengthOf(removed), text: added.join('') }];
  }
  let start = from;
  return removed.flatMap((line, at) => {
    const edits = wordEdits(start, splitIntoWords(line), splitIntoWords(added[at] ?? ''));
    start += line.length;
    return edits;
  });
}

function wordEdits(
  from: number,
  removed: readonly string[],
  added: readonly string[],
): readonly Splice[] {
  const edits: Splice[] = [];
  let start = from;
  let at = 0;
  for (const hunk of sequenceDiff(removed, added)) {
    start += lengthOf(removed.slice(at, hunk.before));
    const end = start + lengthOf(removed.slice(hunk.before, hunk.before + hunk.beforeLength));
    const text = added.slice(hunk.after, hunk.after + hunk.afterLength).join('');
    edits.push({ from: start, to: end, text });
    start = end;
    at = hunk.before + hunk.beforeLength;
  }
  return edits;
}

/** A line and its line end: `\n`, `\r\n`, `\r`, or nothing for the last one. */
export interface TextLine {
  readonly text: string;
  readonly end: string;
}

/** Splits a text into lines; the last has no line end, and is empty if the text ends with one. */
export function textLines(text: string): readonly TextLine[] {
  const lines: TextLine[] = [];
  let from = 0;
  for (const { 0: end, index } of text.matchAll(/\r\n|\r|\n/g)) {
    lines.push({ text: text.slice(from, index), end });
    from = index + end.length;
  }
  lines.push({ text: text.slice(from), end: '' });
  return lines;
}

/** The text as in an editor: each line ends with `\n`. */
export function editorText(text: string): string {
  return text.replaceAll(/\r\n?/g, '\n');
}
