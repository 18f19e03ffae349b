import type { SyntaxNode } from '@lezer/common';
import { safeAddress } from './safe-address';

const TAGS: Readonly<Record<string, 'em' | 'strong' | 'del' | undefined>> = {
  Emphasis: 'em',
  StrongEmphasis: 'strong',
  Strikethrough: 'del',
};

/** Nodes that are syntax only and are not shown. */
const HIDDEN_NODES = new Set([
  'HeaderMark',
  'EmphasisMark',
  'StrikethroughMark',
  'QuoteMark',
  'CodeMark',
  'LinkMark',
  'Comment',
  'ProcessingInstruction',
]);

const BLOCK_ID = /[ \t]+\^[A-Za-z0-9-]+[ \t]*$/;

/** Writes the text inside a block: emphasis, code, links, tags. HTML in it stays text. */
export class InlineWriter {
  constructor(readonly text: string) {}

  /** @param from offset to start at, if the head of the block was written already */
  write(node: SyntaxNode, parent: HTMLElement, from = node.from): void {
    const to = node.from + this.#slice(node.from, node.to).replace(BLOCK_ID, '').length;
    this.#range(node, parent, from, to);
    trimEdges(parent);
  }

  #range(node: SyntaxNode, parent: HTMLElement, from: number, to: number): void {
    let at = from;
    for (let child = node.firstChild; child; child = child.nextSibling) {
      if (child.from < at || child.from >= to) continue;
      this.#plain(parent, at, child.from);
      this.#node(child, parent);
      at = child.to;
    }
    this.#plain(parent, at, to);
  }

  #node(node: SyntaxNode, parent: HTMLElement): void {
    const tag = TAGS[node.name];
    if (tag !== undefined) return this.#range(node, parent.createEl(tag), node.from, node.to);
    if (HIDDEN_NODES.has(node.name)) return;
    const text = this.#slice(node.from, node.to);
    switch (node.name) {
      case 'InlineCode':
        return void parent.createEl('code', { text: text.replace(/^`+|`+$/g, '') });
      case 'HardBreak':
        return void parent.createEl('br');
      case 'Escape':
        return parent.appendText(text.slice(1));
      case 'Entity':
        return parent.appendText(decodeEntity(text));
      case 'Highlight':
        return void parent.createEl('mark', { text: text.slice(2, -2) });
      case 'WikiLink':
        return this.#wikiLink(text.slice(2, -2), parent);
      case 'WikiEmbed':
        return this.#embed(text.slice(3, -2), parent);
      case 'Link':
        return this.#link(node, parent);
      case 'Image':
        return this.#image(node, parent);
      case 'URL':
      case 'Autolink':
        return this.#external(text.replace(/^<|>$/g, ''), parent, undefined);
      default:
        return parent.appendText(text);
    }
  }

  #wikiLink(inner: string, parent: HTMLElement): void {
    const [target = '', alias] = inner.split('|');
    const text = alias ?? target.replace(/#\^?/g, ' > ');
    parent.createEl('a', {
      cls: 'internal-link',
      text,
      href: target,
      attr: { 'data-href': target, target: '_blank', rel: 'noopener nofollow' },
    });
  }

  /** A placeholder that the app fills later if the note exists. */
  #embed(inner: string, parent: HTMLElement): void {
    const [src = '', alias] = inner.split('|');
    const place = parent.createSpan({ cls: 'internal-embed', attr: { src, alt: alias ?? src } });
    this.#wikiLink(inner, place);
  }

  #link(node: SyntaxNode, parent: HTMLElement): void {
    const url = node.getChild('URL');
    if (url === null) return this.#asText(node, parent); // "[x]" without a target is text
    this.#external(this.#slice(url.from, url.to), parent, node);
  }

  #external(address: string, parent: HTMLElement, label: SyntaxNode | undefined): void {
    const internal = !/^[a-z][a-z0-9+.-]*:/i.test(address);
    const href = internal ? decodeURI(address) : safeAddress(address);
    const link = parent.createEl('a', { cls: internal ? 'internal-link' : 'external-link' });
    if (href !== undefined) link.setAttribute('href', href);
    if (internal) link.dataset.href = href ?? '';
    link.setAttrs({ target: '_blank', rel: 'noopener nofollow' });
    const marks = label?.getChildren('LinkMark') ?? [];
    const [open, close] = marks;
    if (label && open && close) this.#range(label, link, open.to, close.from);
    else link.setText(address);
  }

  #image(node: SyntaxNode, parent: HTMLElement): void {
    const url = node.getChild('URL');
    const [open, close] = node.getChildren('LinkMark');
    const alt = open && close ? this.#slice(open.to, close.from) : '';
    const address = url === null ? undefined : safeAddress(this.#slice(url.from, url.to));
    const image = parent.createEl('img', { attr: { alt } });
    if (address?.startsWith('data:image/')) image.src = address; // remote images are not fetched
  }

  #asText(node: SyntaxNode, parent: HTMLElement): void {
    parent.appendText(this.#slice(node.from, node.to));
  }

  /** Text between nodes: tags become links, single line ends become breaks, as in the app. */
  #plain(parent: HTMLElement, from: number, to: number): void {
    const lines = this.#slice(from, to).split(/\r?\n[ \t]*/);
    lines.forEach((line, at) => {
      if (at > 0) parent.createEl('br');
      this.#withTags(line, parent);
    });
  }

  #withTags(line: string, parent: HTMLElement): void {
    let at = 0;
    for (const found of line.matchAll(/(?<=^|\s)#(?=[^\s#]*[\p{L}_/-])[\p{L}\p{N}_/-]+/gu)) {
      parent.appendText(line.slice(at, found.index));
      const attr = { target: '_blank', rel: 'noopener nofollow' };
      parent.createEl('a', { cls: 'tag', text: found[0], href: found[0], attr });
      at = found.index + found[0].length;
    }
    if (at < line.length) parent.appendText(line.slice(at));
  }

  #slice(from: number, to: number): string {
    return this.text.slice(from, to);
  }
}

/** Trims the blanks that separated a heading's text from its marks. */
function trimEdges(parent: HTMLElement): void {
  const { firstChild, lastChild } = parent;
  if (firstChild instanceof Text) firstChild.data = firstChild.data.trimStart();
  if (lastChild instanceof Text) lastChild.data = lastChild.data.trimEnd();
}

function decodeEntity(text: string): string {
  return new DOMParser().parseFromString(text, 'text/html').documentElement.textContent;
}
