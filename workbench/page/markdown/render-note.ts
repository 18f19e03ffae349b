import type { SyntaxNode } from '@lezer/common';
import { noteParser } from './note-parser';
import { InlineWriter } from './inline-writer';
import { ListWriter } from './list-writer';
import { writeTable } from './table-writer';

/** Where a node stands and what writes it. */
export interface NoteSource {
  readonly text: string;
  /** zero-based line of an offset in the whole text */
  lineOf(offset: number): number;
}

const HEADING = /^(?:ATX|Setext)Heading(\d)$/;

/** Writes a note as the app's reading mode shows it. Nothing in the text becomes HTML or script. */
export function renderNote(markdown: string, parent: HTMLElement): void {
  const start = frontMatterEnd(markdown);
  const blank = markdown.slice(0, start).replace(/[^\n]/g, ' ');
  const text = blank + markdown.slice(start);
  const source: NoteSource = { text, lineOf: (offset) => linesBefore(text, offset) };
  new BlockWriter(source).writeChildren(noteParser.parse(text).topNode, parent);
}

/** Writes blocks: paragraphs, headings, lists, quotes, code, tables. */
export class BlockWriter {
  readonly inline: InlineWriter;
  readonly lists: ListWriter;

  constructor(readonly source: NoteSource) {
    this.inline = new InlineWriter(source.text);
    this.lists = new ListWriter(this);
  }

  writeChildren(node: SyntaxNode, parent: HTMLElement): void {
    for (let child = node.firstChild; child; child = child.nextSibling) this.write(child, parent);
  }

  write(node: SyntaxNode, parent: HTMLElement): void {
    const level = HEADING.exec(node.name)?.[1];
    if (level !== undefined) return this.#heading(node, `h${level}` as 'h1', parent);
    switch (node.name) {
      case 'Paragraph':
        return this.inline.write(node, parent.createEl('p', { attr: { dir: 'auto' } }));
      case 'BulletList':
      case 'OrderedList':
        return this.lists.write(node, parent);
      case 'Blockquote':
        return this.#quote(node, parent);
      case 'FencedCode':
      case 'CodeBlock':
        return this.#code(node, parent);
      case 'Table':
        return writeTable(node, parent, this.inline);
      case 'HorizontalRule':
        return void parent.createEl('hr');
      case 'HTMLBlock':
        return void parent.createEl('p', { text: this.textOf(node) });
    }
  }

  textOf(node: SyntaxNode): string {
    return this.source.text.slice(node.from, node.to);
  }

  #heading(node: SyntaxNode, tag: 'h1', parent: HTMLElement): void {
    const heading = parent.createEl(tag, { attr: { dir: 'auto' } });
    this.inline.write(node, heading);
    heading.dataset.heading = heading.textContent;
  }

  #quote(node: SyntaxNode, parent: HTMLElement): void {
    const callout = /^>\s*\[!(\w+)\][+-]?[ \t]*(.*)/.exec(this.textOf(node));
    if (callout === null) return this.writeChildren(node, parent.createEl('blockquote'));
    const [, type = 'note', title = ''] = callout;
    const box = parent.createDiv({ cls: 'callout', attr: { 'data-callout': type.toLowerCase() } });
    const name = title === '' ? (type[0] ?? '').toUpperCase() + type.slice(1) : title;
    box.createDiv({ cls: 'callout-title' }).createDiv({ cls: 'callout-title-inner', text: name });
    const content = box.createDiv({ cls: 'callout-content' });
    this.writeChildren(node, content);
    stripFirstLine(content);
  }

  #code(node: SyntaxNode, parent: HTMLElement): void {
    const info = node.getChild('CodeInfo');
    const language = info === null ? '' : (this.textOf(info).split(/\s/)[0] ?? '');
    const lines = node.getChildren('CodeText').map((part) => this.textOf(part));
    const cls = language === '' ? '' : `language-${language}`;
    parent.createEl('pre', { cls }).createEl('code', { cls, text: `${lines.join('')}\n` });
  }
}

function frontMatterEnd(text: string): number {
  return /^---[ \t]*\r?\n(?:[\s\S]*?\r?\n)?---[ \t]*(?:\r?\n|$)/.exec(text)?.[0].length ?? 0;
}

function linesBefore(text: string, offset: number): number {
  let lines = 0;
  for (let at = text.indexOf('\n'); at !== -1 && at < offset; at = text.indexOf('\n', at + 1)) {
    lines += 1;
  }
  return lines;
}

function stripFirstLine(content: HTMLElement): void {
  const first = content.firstElementChild;
  if (first?.tagName !== 'P') return;
  const brk = first.querySelector('br');
  if (brk === null) return first.remove();
  while (first.firstChild !== null && first.firstChild !== brk) first.firstChild.remove();
  brk.remove();
}
