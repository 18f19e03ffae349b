/** A block of a message; inline markup is parsed when the block is drawn. */
export type MarkdownBlock =
  | { readonly kind: 'paragraph'; readonly text: string }
  | { readonly kind: 'heading'; readonly level: number; readonly text: string }
  | {
      readonly kind: 'code';
      /** the text after the fence, usually the language */ readonly info: string;
      readonly text: string;
    }
  | { readonly kind: 'rule' }
  | { readonly kind: 'quote'; readonly blocks: readonly MarkdownBlock[] }
  | { readonly kind: 'list'; readonly start: number | null; readonly items: readonly ListItem[] }
  | { readonly kind: 'table'; readonly rows: readonly (readonly string[])[] };

export interface ListItem {
  /** whether its checkbox is ticked; null: no checkbox */
  readonly task: boolean | null;
  readonly blocks: readonly MarkdownBlock[];
}

/** Deepest nesting of quotes and lists; anything deeper is a paragraph. */
const MAX_DEPTH = 12;

const FENCE = /^ {0,3}(`{3,}|~{3,})([^`]*)$/;

const HEADING = /^ {0,3}(#{1,6})(?:[ \t]+(.*))?$/;

const RULE = /^ {0,3}(?:(?:\*[ \t]*){3,}|(?:-[ \t]*){3,}|(?:_[ \t]*){3,})$/;

const QUOTE = /^ {0,3}>/;

const ITEM = /^( {0,3})([-*+]|(\d{1,9})[.)])(?:([ \t]{1,4})(?=\S)|[ \t]*$|([ \t]))/;

const TABLE = /^\|?[ \t]*:?-+:?(?:[ \t]*\|[ \t]*:?-+:?)*[ \t]*\|?$/;

/** Parses the Markdown that agents write; anything else is a paragraph, including HTML. */
export function readBlocks(text: string): readonly MarkdownBlock[] {
  return new BlockReader(text.replaceAll(/\r\n?/g, '\n').split('\n'), 0).blocks();
}

class BlockReader {
  private at = 0;

  constructor(
    private readonly lines: readonly string[],
    private readonly depth: number,
  ) {}

  blocks(): readonly MarkdownBlock[] {
    const out: MarkdownBlock[] = [];
    while (this.at < this.lines.length) {
      if (this.line().trim() === '') this.at += 1;
      else out.push(this.block());
    }
    return out;
  }

  private block(): MarkdownBlock {
    const line = this.line();
    const fence = FENCE.exec(line);
    if (fence !== null) return this.fenced(fence[1] ?? '```', fence[2] ?? '');
    const [, marks, title = ''] = HEADING.exec(line) ?? [];
    if (marks !== undefined) {
      this.at += 1;
      const text = title.trim().replace(/(?:^|[ \t])#+$/, '');
      return { kind: 'heading', level: marks.length, text: text.trim() };
    }
    if (RULE.test(line)) {
      this.at += 1;
      return { kind: 'rule' };
    }
    if (this.depth < MAX_DEPTH && QUOTE.test(line)) return this.quote();
    if (this.depth < MAX_DEPTH && ITEM.test(line)) return this.list();
    if (this.isTable()) return this.table();
    return /^(?: {4}|\t)/.test(line) ? this.indented() : this.paragraph();
  }

  private fenced(fence: string, info: string): MarkdownBlock {
    const close = new RegExp(`^ {0,3}${fence.charAt(0)}{${fence.length},}[ \\t]*$`);
    const from = this.at + 1;
    this.at = from;
    while (this.at < this.lines.length && !close.test(this.line())) this.at += 1;
    const text = this.lines.slice(from, this.at).join('\n');
    this.at += 1;
    return { kind: 'code', info: info.trim(), text };
  }

  private indented(): MarkdownBlock {
    const text: string[] = [];
    while (/^(?: {4}|\t)/.test(this.line())) {
      text.push(this.line().replace(/^(?: {4}|\t)/, ''));
      this.at += 1;
    }
    return { kind: 'code', info: '', text: text.join('\n') };
  }

  private quote(): MarkdownBlock {
    const inner: string[] = [];
    while (QUOTE.test(this.line()) || (inner.length > 0 && this.continues())) {
      inner.push(this.line().replace(/^ {0,3}> ?/, ''));
      this.at += 1;
    }
    return { kind: 'quote', blocks: new BlockReader(inner, this.depth + 1).blocks() };
  }

  private list(): MarkdownBlock {
    const first = ITEM.exec(this.line());
    const kind = markerKind(first);
    const items: ListItem[] = [];
    for (let found = first; found !== null && markerKind(found) === kind;) {
      items.push(this.item(found));
      const before = this.at;
      while (this.at < this.lines.length && this.line().trim() === '') this.at += 1;
      found = RULE.test(this.line()) ? null : ITEM.exec(this.line());
      if (found === null) this.at = before;
    }
    const start = first?.[3];
    return { kind: 'list', start: start === undefined ? null : Number(start), items };
  }

  private item(found: RegExpExecArray): ListItem {
    const [lead, spaces = '', mark = '', , gap = ' '] = found;
    const width = spaces.length + mark.length + gap.length;
    const head = this.line().slice(lead.length);
    const [box, ticked] = /^\[([ xX])\](?=\s)/.exec(head) ?? [];
    const inner = [box === undefined ? head : head.slice(box.length + 1)];
    this.at += 1;
    while (this.at < this.lines.length) {
      const line = this.line().replace(/^\t/, '    ');
      const blank = line.trim() === '';
      const inside = blank ? indent(this.line(1)) >= width : indent(line) >= Math.min(width, 2);
      const lazy = inner.at(-1)?.trim() !== '' && !ITEM.test(line) && this.continues();
      if (!inside && !lazy) break;
      inner.push(line.replace(new RegExp(`^ {0,${width}}`), ''));
      this.at += 1;
    }
    const blocks = new BlockReader(inner, this.depth + 1).blocks();
    return { task: box === undefined ? null : ticked !== ' ', blocks };
  }

  private table(): MarkdownBlock {
    const rows = [cells(this.line())];
    this.at += 2;
    while (this.line().includes('|')) {
      rows.push(cells(this.line()));
      this.at += 1;
    }
    return { kind: 'table', rows };
  }

  private paragraph(): MarkdownBlock {
    const text: string[] = [];
    do {
      text.push(this.line().trim());
      this.at += 1;
      const under = /^ {0,3}(=+|-+)[ \t]*$/.exec(this.line())?.[1];
      if (under !== undefined) {
        this.at += 1;
        return { kind: 'heading', level: under.startsWith('=') ? 1 : 2, text: text.join('\n') };
      }
    } while (this.continues());
    return { kind: 'paragraph', text: text.join('\n') };
  }

  /** Whether the current line continues the paragraph before it. */
  private continues(): boolean {
    const line = this.line();
    if (line.trim() === '' || FENCE.test(line) || HEADING.test(line) || RULE.test(line)) {
      return false;
    }
    if (this.isTable()) return false;
    const item = ITEM.exec(line);
    const begins = item !== null && (item[3] === undefined || item[3] === '1');
    return this.depth >= MAX_DEPTH || (!QUOTE.test(line) && !begins);
  }

  private isTable(): boolean {
    return this.line().includes('|') && TABLE.test(this.line(1).trim());
  }

  private line(ahead = 0): string {
    return this.lines[this.at + ahead] ?? '';
  }
}

function markerKind(found: RegExpExecArray | null): string | undefined {
  return found?.[2]?.at(-1);
}

function indent(line: string): number {
  const [lead = ''] = /^[ \t]*/.exec(line) ?? [];
  return lead.length === line.length ? -1 : lead.replaceAll('\t', '    ').length;
}

/** Cells of a table row; `\|` is not a border. */
function cells(line: string): readonly string[] {
  const inner = line
    .trim()
    .replace(/^\|/, '')
    .replace(/(?<!\\)\|$/, '');
  return inner.split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll('\\|', '|'));
}

/**
 * A growing text, split where later text can't change how earlier text is parsed: `closed` pieces
 * are drawn once, and only `tail`, from index `from` on, is drawn again.
 */
export const NO_PIECES = { closed: [] as readonly string[], tail: '', from: 0 };

/** Splits a text into pieces; if it only grew, those of `before` stay the same strings. */
export function cutPieces(text: string, before = NO_PIECES) {
  const grew = before.from > 0 && text.startsWith(before.closed.join(''));
  const closed = grew ? [...before.closed] : [];
  let from = grew ? before.from : 0;
  let fence: string | undefined;
  let blank = false;
  let at = from;
  while (at < text.length) {
    const end = text.indexOf('\n', at);
    const line = text.slice(at, end < 0 ? undefined : end);
    // A line that starts at the margin continues no list item, so the cut is safe.
    if (blank && fence === undefined && /^[^\s]/.test(line) && at > from) {
      closed.push(text.slice(from, at));
      from = at;
    }
    fence = fenceAfter(line, fence);
    blank = line.trim() === '';
    if (end < 0) break;
    at = end + 1;
  }
  return { closed, tail: text.slice(from), from };
}

/** The fence that is open after a line; undefined: none. */
function fenceAfter(line: string, open: string | undefined): string | undefined {
  const [, found, rest = ''] = /^\s*(`{3,}|~{3,})(.*)$/.exec(line) ?? [];
  if (found === undefined) return open;
  if (open === undefined) return found.startsWith('`') && rest.includes('`') ? undefined : found;
  const closes = found[0] === open[0] && found.length >= open.length && rest.trim() === '';
  return closes ? undefined : open;
}
