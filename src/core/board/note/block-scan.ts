import { readHeading, type Heading } from './heading';
import { ItemStack } from './item-stack';
import { Lines } from './lines';
import { columnAfter, isBlank, markClose, markerEnd } from './list-item';
import { closesBlock, opensBlock, type OpenBlock } from './open-block';
import type { Scan } from './scan';
import type { TaskBlock } from './task-block';

const NO_BODY: readonly string[] = [];

/** A block that nothing closes, up to where the list item that holds it, or the note, ends. */
export interface Dangling {
  readonly start: number;
  readonly end: number;
  /** a new line at this column or further right would stand inside it */
  readonly column: number;
}

/**
 * One pass over the lines of a note behind its header: headings, task lines, and what belongs to which.
 * Fences and comments are closed as in CommonMark, with their list item. Any deeper indentation makes a child.
 */
export class BlockScan implements Scan {
  readonly blocks: readonly TaskBlock[];
  readonly headings: Heading[] = [];
  readonly dangling: Dangling[] = [];
  /** 1-based line of the first conflict marker, 0 for none */
  conflict = 0;
  private readonly lines: Lines;
  private readonly items = new ItemStack();
  private open: OpenBlock | null = null;
  private blanks = 0;

  /** @param linesBefore number of lines before the one at `from` */
  constructor(
    private readonly text: string,
    from: number,
    linesBefore: number,
  ) {
    this.lines = new Lines(text, from, linesBefore);
    this.blocks = this.items.blocks;
    while (this.lines.advance()) this.readLine();
    if (this.open) this.leave(this.open, text.length);
    this.items.close(-1);
  }

  block(index: number): TaskBlock | undefined {
    return this.blocks[index];
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
      return;
    }
    if (!this.open || !this.readInside(this.open, at, column)) {
      const marker = markerEnd(text, at, lines.end);
      if (marker >= 0) this.readItem(at, column, marker);
      else this.readText(at, column);
    }
    this.blanks = 0;
  }

  /** Whether the line stands inside the open block, its last line included. */
  private readInside(open: OpenBlock, at: number, column: number): boolean {
    const { text, lines } = this;
    if (column < open.column) {
      this.leave(open, open.end);
      return false;
    }
    open.end = lines.end;
    if (closesBlock(open, text, at, lines.end, column)) this.open = null;
    this.items.addText(text, lines.start, at, lines.end, this.blanks);
    return true;
  }

  private leave(open: OpenBlock, end: number): void {
    this.dangling.push({ start: open.start, end, column: open.column });
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
      return;
    }
    items.addText(text, lines.start, at, lines.end, 0);
    items.pushItem(column, contentColumn, lines.end);
    this.open = opensBlock(text, lines.start, content, lines.end, contentColumn, contentColumn);
  }

  private readText(at: number, column: number): void {
    const { text, lines, items } = this;
    if (this.blanks === 0 && items.leavesAll(column) && continuesParagraph(text, at)) {
      items.addRest(lines.end);
      return;
    }
    items.close(column);
    const container = items.container(column);
    if (items.owner() < 0 && column - container < 4) {
      this.readMarker(at, column);
      if (text.charCodeAt(at) === 0x23) {
        const heading = readHeading(text, lines.start, at, lines.end);
        if (heading) this.headings.push(heading);
      }
    }
    items.addText(text, lines.start, at, lines.end, 0);
    this.open = opensBlock(text, lines.start, at, lines.end, column, container);
  }

  /** `<<<<<<< ours` and `>>>>>>> theirs`, as version control leaves them where two versions met. */
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

/** Whether an unindented line goes on with the paragraph before it: it begins with no character of a block. */
function continuesParagraph(text: string, at: number): boolean {
  return !'#>`~<%|-*_=+'.includes(text.charAt(at));
}
