import type { SyntaxNode } from '@lezer/common';
import type { BlockWriter } from './render-note';

/** The box at the start of an item; any single character is a mark. */
const TASK_BOX = /^\[(.)\](?=\s|$)[ \t]*/u;

/** Writes lists with the app's classes, by which plugins find task items. */
export class ListWriter {
  constructor(readonly blocks: BlockWriter) {}

  write(node: SyntaxNode, parent: HTMLElement): void {
    const list = parent.createEl(node.name === 'OrderedList' ? 'ol' : 'ul');
    if (list instanceof HTMLOListElement) this.#number(node, list);
    for (const item of node.getChildren('ListItem')) this.#item(item, list);
    if (list.querySelector(':scope > .task-list-item')) list.addClass('contains-task-list');
    if (parent.tagName !== 'LI') list.addClass('has-list-bullet');
  }

  #number(node: SyntaxNode, list: HTMLOListElement): void {
    const mark = node.getChild('ListItem')?.getChild('ListMark');
    const first = mark ? Number.parseInt(this.blocks.textOf(mark), 10) : 1;
    if (first !== 1) list.start = first;
  }

  #item(item: SyntaxNode, list: HTMLElement): void {
    const line = String(this.blocks.source.lineOf(item.from));
    const li = list.createEl('li', { attr: { 'data-line': line, dir: 'auto' } });
    const tight = this.#isTight(item);
    let first = true;
    for (let child = item.firstChild; child; child = child.nextSibling) {
      if (child.name === 'ListMark') continue;
      const skipped = first && child.name === 'Paragraph' ? this.#box(child, li, line) : 0;
      first = false;
      if (child.name !== 'Paragraph') this.blocks.write(child, li);
      else this.blocks.inline.write(child, tight ? li : li.createEl('p'), child.from + skipped);
    }
  }

  /** Draws the check box of a task. Returns the number of characters that it took from the paragraph. */
  #box(paragraph: SyntaxNode, li: HTMLElement, line: string): number {
    const found = TASK_BOX.exec(this.blocks.textOf(paragraph));
    if (found === null) return 0;
    const [whole, mark = ' '] = found;
    const done = mark !== ' ';
    li.addClass('task-list-item');
    li.toggleClass('is-checked', done);
    li.dataset.task = done ? mark : '';
    const box = li.createEl('input', { type: 'checkbox', cls: 'task-list-item-checkbox' });
    box.dataset.line = line;
    box.checked = done;
    return whole.length;
  }

  #isTight(item: SyntaxNode): boolean {
    const list = item.parent;
    if (list === null) return true;
    const text = this.blocks.source.text.slice(list.from, list.to);
    return !/\n[ \t]*\n[ \t]*(?:[-*+]|\d+[.)])[ \t]/.test(text);
  }
}
