import type { SyntaxNode } from '@lezer/common';
import type { InlineWriter } from './inline-writer';

export function writeTable(node: SyntaxNode, parent: HTMLElement, inline: InlineWriter): void {
  const table = parent.createEl('table');
  const head = node.getChild('TableHeader');
  if (head !== null) row(head, table.createEl('thead'), 'th', inline);
  const body = table.createEl('tbody');
  for (const one of node.getChildren('TableRow')) row(one, body, 'td', inline);
}

function row(node: SyntaxNode, parent: HTMLElement, tag: 'th' | 'td', inline: InlineWriter): void {
  const tr = parent.createEl('tr');
  for (const cell of node.getChildren('TableCell')) inline.write(cell, tr.createEl(tag));
}
