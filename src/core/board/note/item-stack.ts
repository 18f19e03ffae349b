import { trimBlanks } from './list-item';
import type { TaskBlock } from './task-block';

/** A list item that is open at the current line. */
interface Item {
  readonly column: number;
  readonly contentColumn: number;
  /** its own task and the nearest one around it, itself included; -1 for none */
  readonly task: number;
  readonly owner: number;
  end: number;
}

interface Body {
  readonly lines: string[];
  /** of its first line */
  readonly indent: string;
}

/** The list items that are open while a note is scanned, and the tasks found so far. */
export class ItemStack {
  readonly blocks: TaskBlock[] = [];
  private readonly items: Item[] = [];
  /** Bodies by index of their task. */
  private readonly bodies = new Map<number, Body>();

  private top(): Item | undefined {
    // Not `at(-1)`: it is asked several times for each line, and twice as slow.
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
      const around = this.top();
      if (around && around.end < top.end) around.end = top.end;
      top = around;
    }
  }

  /** Whether a line at `column` lies to the left of every open item. */
  leavesAll(column: number): boolean {
    const outer = this.items[0];
    return outer !== undefined && outer.column >= column;
  }

  /** Content column of the innermost open item whose text begins at `column` or further left; 0 for none. */
  container(column: number): number {
    return this.items.findLast((item) => item.contentColumn <= column)?.contentColumn ?? 0;
  }

  /** The nearest task around the current line, -1 for none. */
  owner(): number {
    return this.top()?.owner ?? -1;
  }

  pushItem(column: number, contentColumn: number, end: number): void {
    this.items.push({ column, contentColumn, task: -1, owner: this.owner(), end });
  }

  /** Of a task whose parent is the nearest one around it. */
  pushTask(block: TaskBlock): void {
    const task = this.blocks.length;
    this.blocks.push(block);
    const { column, contentColumn, end } = block;
    this.items.push({ column, contentColumn, task, owner: task, end });
  }

  /**
   * A line that is no task, inside the open items: body of the nearest task, less the indentation of the
   * first line of that body. `at` is its first non-blank, `blanks` the blank lines of a fence before it.
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

  /** The unindented rest of a paragraph: it stays with the item before it, as no one's body. */
  addRest(end: number): void {
    const item = this.top();
    if (!item) return;
    item.end = end;
    const block = this.blocks[item.owner];
    if (block) block.hasText = true;
  }
}
