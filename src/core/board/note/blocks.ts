import { closesBlock, Containers, type OpenBlock } from './containers';
import { readHeading, type Heading } from './escape';
import {
  columnAfter,
  isBlank,
  LineScanner,
  markClose,
  markerEnd,
  skipBlanks,
  trimBlanks,
} from './lines';
import type { TaskBlock } from './task-block';

const NO_BODY: readonly string[] = [];

/** An unclosed block; it extends to the end of its list item, or of the note. */
interface UnclosedBlock {
  readonly start: number;
  readonly end: number;
  /** a new line at this column or further right would be inside the block */
  readonly column: number;
  /** a blank line before the new one ends it */
  readonly untilBlank: boolean;
}

/**
 * Scans the lines after a note's header in one pass: headings, task lines, and the lines that
 * belong to each task. Fences, comments and HTML begin and end as in CommonMark. Any deeper
 * indentation makes a child.
 */
export class BlockScan implements Scan {
  readonly blocks: readonly TaskBlock[];
  readonly headings: Heading[] = [];
  readonly dangling: UnclosedBlock[] = [];
  /** 1-based line of the first conflict marker, 0 for none */
  conflict = 0;
  private readonly lines: LineScanner;
  private readonly items = new ItemStack();
  private readonly containers = new Containers();
  private open: OpenBlock | null = null;
  private blanks = 0;

  /** @param linesBefore number of lines before the one at `from` */
  constructor(
    private readonly text: string,
    from: number,
    linesBefore: number,
  ) {
    this.lines = new LineScanner(text, from, linesBefore);
    this.blocks = this.items.blocks;
    while (this.lines.advance()) this.readLine();
    if (this.open) this.leaveUnclosed(this.open, text.length);
    this.items.close(-1);
  }

  private readLine(): void {
    const { text, lines } = this;
    let at = lines.start;
    let column = 0;
    while (at < lines.end && isBlank(text.charCodeAt(at))) {
      column = columnAfter(column, text.charCodeAt(at));
      at += 1;
    }
    if (at === lines.end) {
      this.blanks += 1;
      this.containers.enterBlankLine();
      if (this.open && closesBlock(this.open, text, at, at, 0)) this.open = null;
      return;
    }
    if (!this.open || !this.readInside(this.open, at, column)) {
      const marker = markerEnd(text, at, lines.end);
      if (marker >= 0) this.readItem(at, column, marker);
      else this.readText(at, column);
    }
    this.blanks = 0;
  }

  /** Whether the line is inside the open block, whose last line counts as inside. */
  private readInside(open: OpenBlock, at: number, column: number): boolean {
    const { text, lines } = this;
    if (column < open.column) {
      this.leaveUnclosed(open, open.end);
      return false;
    }
    open.end = lines.end;
    if (closesBlock(open, text, at, lines.end, column)) this.open = null;
    this.containers.endParagraph();
    this.items.addText(text, lines.start, at, lines.end, this.blanks);
    return true;
  }

  private leaveUnclosed(open: OpenBlock, end: number): void {
    const { start, column, kind, closer } = open;
    const untilBlank = kind === 'html' && closer === null;
    this.dangling.push({ start, end, column, untilBlank });
    this.open = null;
  }

  private readItem(at: number, column: number, marker: number): void {
    const { text, lines, items } = this;
    let content = marker;
    let contentColumn = column + marker - at;
    while (content < lines.end && isBlank(text.charCodeAt(content))) {
      contentColumn = columnAfter(contentColumn, text.charCodeAt(content));
      content += 1;
    }
    if (content === lines.end) contentColumn = column + marker - at + 1;
    const close = markClose(text, content, lines.end);
    items.close(column);
    if (close >= 0) {
      const parent = items.owner();
      items.pushTask({
        line: lines.number,
        start: lines.start,
        lineEnd: lines.end,
        marker: at,
        box: content,
        after: close + 1,
        column,
        contentColumn,
        heading: this.headings.length - 1,
        parent,
        depth: parent < 0 ? 0 : (this.blocks[parent] as TaskBlock).depth + 1,
        end: lines.end,
        body: NO_BODY,
        hasText: false,
      });
      this.containers.enterTask(column, contentColumn);
      return;
    }
    items.addText(text, lines.start, at, lines.end, 0);
    items.pushItem(column, contentColumn, lines.end);
    this.open = this.containers.enterLine(lines, at, column);
  }

  private readText(at: number, column: number): void {
    const { text, lines, items, containers } = this;
    const opened = containers.enterLine(lines, at, column);
    if (this.blanks === 0 && items.isLeftOfAll(column) && continuesParagraph(text, at)) {
      items.addRest(lines.end);
      return;
    }
    items.close(column);
    const container = containers.contentColumnAround(column);
    if (items.owner() < 0 && column - container < 4) {
      this.readMarker(at, column);
      if (text.charCodeAt(at) === 0x23) {
        const heading = readHeading(text, lines.start, at, lines.end);
        if (heading) this.headings.push(heading);
      }
    }
    items.addText(text, lines.start, at, lines.end, 0);
    this.open = opened;
  }

  /** Finds `<<<<<<< ours` and `>>>>>>> theirs`, the conflict markers of version control. */
  private readMarker(at: number, column: number): void {
    if (column > 0 || this.conflict > 0) return;
    const first = this.text.charCodeAt(at);
    if ((first === 0x3c || first === 0x3e) && isConflictMarker(this.text, at, this.lines.end)) {
      this.conflict = this.lines.number;
    }
  }
}

export function isConflictMarker(text: string, at: number, end: number): boolean {
  const after = at + 7;
  if (!text.startsWith('<<<<<<<', at) && !text.startsWith('>>>>>>>', at)) return false;
  return after >= end || isBlank(text.charCodeAt(after));
}

/**
 * Whether an unindented line continues the paragraph before it: it begins with no character that
 * starts a block.
 */
function continuesParagraph(text: string, at: number): boolean {
  return !'#>`~<%|-*_=+'.includes(text.charAt(at));
}

/** A list item that is open at the current line. */
interface Item {
  readonly column: number;
  readonly contentColumn: number;
  /** index of its own task, and of the nearest task around it (itself included); -1 for none */
  readonly task: number;
  readonly owner: number;
  end: number;
}

interface Body {
  readonly lines: string[];
  /** indentation of its first line */
  readonly indent: string;
}

/** The open list items during a scan, and the tasks found so far. */
class ItemStack {
  readonly blocks: TaskBlock[] = [];
  private readonly items: Item[] = [];
  /** Bodies by index of their task. */
  private readonly bodies = new Map<number, Body>();

  private top(): Item | undefined {
    // Not `at(-1)`, which is twice as slow: this runs several times per line.
    const { items } = this;
    return items.length === 0 ? undefined : items[items.length - 1];
  }

  /** Closes the items that a line at `column` does not belong to; -1 closes all. */
  close(column: number): void {
    let top = this.top();
    while (top !== undefined && top.column >= column) {
      this.items.pop();
      const block = top.task < 0 ? undefined : this.blocks[top.task];
      if (block) block.end = top.end;
      const outer = this.top();
      if (outer && outer.end < top.end) outer.end = top.end;
      top = outer;
    }
  }

  /** Whether a line at `column` lies to the left of every open item. */
  isLeftOfAll(column: number): boolean {
    const outer = this.items[0];
    return outer !== undefined && outer.column >= column;
  }

  /** Index of the nearest task around the current line, -1 for none. */
  owner(): number {
    return this.top()?.owner ?? -1;
  }

  pushItem(column: number, contentColumn: number, end: number): void {
    this.items.push({ column, contentColumn, task: -1, owner: this.owner(), end });
  }

  /** Adds a task under the nearest task around it, if there is one. */
  pushTask(block: TaskBlock): void {
    const task = this.blocks.length;
    this.blocks.push(block);
    const { column, contentColumn, end } = block;
    this.items.push({ column, contentColumn, task, owner: task, end });
  }

  /**
   * Adds a line that is not a task to the body of the nearest task around it, without the
   * indentation of that body's first line. `at` is its first non-blank, `blanks` the number of
   * blank lines of a fence before it.
   */
  addText(text: string, start: number, at: number, end: number, blanks: number): void {
    const item = this.top();
    if (!item) return;
    item.end = end;
    const block = this.blocks[item.owner];
    if (!block) return;
    block.hasText = true;
    let body = this.bodies.get(item.owner);
    if (!body) {
      body = { lines: [], indent: text.slice(start, at) };
      this.bodies.set(item.owner, body);
      block.body = body.lines;
    }
    const inside = text.startsWith(body.indent, start);
    const from = inside ? start + body.indent.length : at;
    for (let i = 0; i < blanks; i += 1) body.lines.push('');
    body.lines.push(text.slice(from, trimBlanks(text, from, end)));
  }

  /** Adds the unindented rest of a paragraph: part of the item before it, but of no task's body. */
  addRest(end: number): void {
    const item = this.top();
    if (!item) return;
    item.end = end;
    const block = this.blocks[item.owner];
    if (block) block.hasText = true;
  }
}

/** The structure of a note; offsets into its text. */
export interface Scan {
  /** the task lines, from top to bottom */
  readonly blocks: readonly TaskBlock[];
  readonly headings: readonly Heading[];
  readonly dangling: readonly UnclosedBlock[];
}

/** Offsets of a line; `next` is the offset after its line end. */
export interface LineSpan {
  readonly start: number;
  readonly end: number;
  readonly next: number;
}

/** The lines of a task's own in its block, without those of its subtasks and blank ones. */
export function ownLines(text: string, scan: Scan, index: number): readonly LineSpan[] {
  const block = scan.blocks[index];
  if (!block) return [];
  const inside = scan.blocks.filter(({ parent }) => parent === index);
  return lineSpansBetween(text, afterLineEnd(text, block.lineEnd), block.end).filter(
    ({ start, end }) =>
      skipBlanks(text, start, end) < end &&
      !inside.some((child) => start >= child.start && start <= child.end),
  );
}

/** The lines from `from` to `to`. */
export function lineSpansBetween(text: string, from: number, to: number): readonly LineSpan[] {
  const lines = new LineScanner(text, from, 0);
  const all: LineSpan[] = [];
  while (lines.next < to && lines.advance()) {
    all.push({ start: lines.start, end: lines.end, next: lines.next });
  }
  return all;
}

/** Offset after the line end at `end`. */
export function afterLineEnd(text: string, end: number): number {
  if (text.startsWith('\r\n', end)) return end + 2;
  return /[\r\n]/.test(text.charAt(end)) ? end + 1 : end;
}

/** Column of the first non-blank character of a line. */
export function columnOf(text: string, { start, end }: LineSpan): number {
  let column = 0;
  for (let at = start; at < end && isBlank(text.charCodeAt(at)); at += 1) {
    column = columnAfter(column, text.charCodeAt(at));
  }
  return column;
}

/** Removes whole lines; a CR before them and an LF after them must not merge into one line end. */
export function cutLines(text: string, start: number, next: number): string {
  const joins = text.charAt(start - 1) === '\r' && text.charAt(next) === '\n';
  return text.slice(0, start) + text.slice(joins ? next - 1 : next);
}

/**
 * The lines of a block, indented as if its task were at `indent`: lines that begin with the old
 * indentation get the new one; other indented lines stay as much deeper as they were.
 */
export function reindented(text: string, block: TaskBlock, indent: string): string {
  const old = text.slice(block.start, block.marker);
  if (old === indent) return text.slice(block.start, block.end);
  return lineSpansBetween(text, block.start, block.end)
    .map((line) => {
      const written = text.slice(line.start, Math.min(line.next, block.end));
      const column = columnOf(text, line);
      if (skipBlanks(text, line.start, line.end) === line.end) return written;
      // The unindented rest of a paragraph stays unindented.
      if (column <= block.column && line.start > block.start) return written;
      if (written.startsWith(old)) return indent + written.slice(old.length);
      return indent + ' '.repeat(column - block.column) + written.trimStart();
    })
    .join('');
}

/** Indentation of a line inside a task: one tab more, or as many as reach its content. */
export function indentInside(text: string, block: TaskBlock): { indent: string; column: number } {
  let indent = text.slice(block.start, block.marker);
  let column = block.column;
  do {
    indent += '\t';
    column = columnAfter(column, 0x09);
  } while (column < block.contentColumn);
  return { indent, column };
}
