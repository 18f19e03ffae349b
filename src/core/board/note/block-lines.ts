import { columnAfter, isBlank, skipBlanks } from './list-item';
import { Lines } from './lines';
import type { Scan } from './scan';
import type { TaskBlock } from './task-block';

/** A line by its offsets; `next` is behind what ends it. */
export interface LineSpan {
  readonly start: number;
  readonly end: number;
  readonly next: number;
}

/** The lines of a block that belong to the task itself: those of its sub-tasks left out, blank ones too. */
export function ownLines(text: string, scan: Scan, index: number): readonly LineSpan[] {
  const block = scan.blocks[index];
  if (!block) return [];
  const inside = scan.blocks.filter(({ parent }) => parent === index);
  return linesOf(text, behindLine(text, block.lineEnd), block.end).filter(
    ({ start, end }) =>
      skipBlanks(text, start, end) < end &&
      !inside.some((child) => start >= child.start && start <= child.end),
  );
}

/** The lines from `from` to `to`. */
export function linesOf(text: string, from: number, to: number): readonly LineSpan[] {
  const lines = new Lines(text, from, 0);
  const all: LineSpan[] = [];
  while (lines.next < to && lines.advance()) {
    all.push({ start: lines.start, end: lines.end, next: lines.next });
  }
  return all;
}

/** Offset behind what ends a line that ends at `end`. */
export function behindLine(text: string, end: number): number {
  if (text.startsWith('\r\n', end)) return end + 2;
  return /[\r\n]/.test(text.charAt(end)) ? end + 1 : end;
}

/** Column of the first character of a line that is no blank. */
export function columnOf(text: string, { start, end }: LineSpan): number {
  let column = 0;
  for (let at = start; at < end && isBlank(text.charCodeAt(at)); at += 1) {
    column = columnAfter(column, text.charCodeAt(at));
  }
  return column;
}

/** Whole lines taken out; a CR before and an LF behind must not become one line end. */
export function cutLines(text: string, start: number, next: number): string {
  const joins = text.charAt(start - 1) === '\r' && text.charAt(next) === '\n';
  return text.slice(0, start) + text.slice(joins ? next - 1 : next);
}

/**
 * The lines of a block as they are, indented as if its task stood at `indent`: what begins with the
 * old indentation has the new one instead; other indented lines keep how much deeper they are.
 */
export function reindented(text: string, block: TaskBlock, indent: string): string {
  const old = text.slice(block.start, block.marker);
  if (old === indent) return text.slice(block.start, block.end);
  return linesOf(text, block.start, block.end)
    .map((line) => {
      const written = text.slice(line.start, Math.min(line.next, block.end));
      const column = columnOf(text, line);
      if (skipBlanks(text, line.start, line.end) === line.end) return written;
      // The unindented rest of a paragraph stays at the edge.
      if (column <= block.column && line.start > block.start) return written;
      if (written.startsWith(old)) return indent + written.slice(old.length);
      return indent + ' '.repeat(column - block.column) + written.trimStart();
    })
    .join('');
}
