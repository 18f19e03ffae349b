import { columnAfter, isBlank, markClose, markerEnd, skipBlanks, trimBlanks } from './lines';

/** What the last line ended with. */
type Leaf =
  | 'none'
  /** a paragraph of the innermost item */
  | 'paragraph'
  /** a paragraph in a quote */
  | 'quoted';

/** A line. */
interface Line {
  readonly text: string;
  /** offset of the whole line */
  readonly start: number;
  readonly end: number;
}

const THEMATIC_BREAK = /^(?:(?:\*[ \t]*){3,}|(?:_[ \t]*){3,}|(?:-[ \t]*){3,})$/;

/**
 * The list items that contain the current line, nested as in CommonMark: by the column of their
 * content, including lines of a paragraph that continue further left. One rule differs: a list
 * marker opens an item however far it is indented.
 */
export class Containers {
  /** content columns, outermost item first */
  private readonly columns: number[] = [];
  private leaf: Leaf = 'none';
  /** the innermost item has no content yet */
  private empty = false;

  enterBlankLine(): void {
    this.leaf = 'none';
    if (this.empty) this.columns.pop();
    this.empty = false;
  }

  /** A block of several lines was closed or left. */
  endParagraph(): void {
    this.leaf = 'none';
  }

  /** Content column of the innermost item that contains a line at `column`; 0 for none. */
  contentColumnAround(column: number): number {
    return this.columns[this.countContaining(column) - 1] ?? 0;
  }

  /** Enters a task's line. */
  enterTask(column: number, contentColumn: number): void {
    this.closeAfter(this.countContaining(column));
    this.columns.push(contentColumn);
    this.leaf = 'paragraph';
  }

  /**
   * Enters any other line that is not blank, from its first non-blank character on. @returns the
   * block that it opens
   */
  enterLine(line: Line, at: number, column: number): OpenBlock | null {
    let depth = this.countContaining(column);
    const { text, end } = line;
    for (;;) {
      const marker = isRule(text, at, end) ? -1 : markerEnd(text, at, end);
      if (marker < 0 || this.continuesParagraph(line, at, column, depth)) {
        return this.enterContent(line, at, column, depth);
      }
      this.closeAfter(depth);
      const content = skipBlanks(text, marker, end);
      const behind = column + marker - at;
      column = columnAt(text, marker, content, behind);
      const code = column - behind > 4 && markClose(text, content, end) < 0;
      this.columns.push(content === end || code ? behind + 1 : column);
      depth = this.columns.length;
      this.empty = content === end;
      if (this.empty || code) return null;
      at = content;
    }
  }

  /** Number of the items that contain a line at `column`. */
  private countContaining(column: number): number {
    let depth = this.columns.length;
    while (depth > 0 && (this.columns[depth - 1] as number) > column) depth -= 1;
    return depth;
  }

  /** Closes the items after the first `depth`, and the open paragraph. */
  private closeAfter(depth: number): void {
    this.columns.length = depth;
    this.leaf = 'none';
    this.empty = false;
  }

  /**
   * Whether a list marker is only text of a paragraph: an empty item, and a number other than 1, do
   * not interrupt a paragraph.
   */
  private continuesParagraph(
    { text, end }: Line,
    at: number,
    column: number,
    depth: number,
  ): boolean {
    if (this.leaf !== 'paragraph' || depth < this.columns.length) return false;
    if (column - (this.columns[depth - 1] ?? 0) >= 4) return false;
    const rest = text.slice(at, end);
    return !/^(?:[-*+]|0*1[.)])[ \t]+[^ \t]/.test(rest) && !isTask(rest);
  }

  private enterContent(line: Line, at: number, column: number, depth: number): OpenBlock | null {
    const { text, start, end } = line;
    const container = this.columns[depth - 1] ?? 0;
    const paragraph = this.leaf !== 'none';
    const opened = opensBlock(text, start, at, end, column, container, paragraph);
    if (opened) {
      this.closeAfter(depth);
      return opened;
    }
    if (column - container >= 4) {
      // Indented code; after a paragraph it continues the paragraph.
      if (!paragraph) this.closeAfter(depth);
      return null;
    }
    if (BLOCK_STARTERS.includes(text.charAt(at)))
      return this.enterNonText(text.slice(at, end), depth);
    if (!paragraph) this.closeAfter(depth);
    if (!paragraph) this.leaf = 'paragraph';
    return null;
  }

  /** Handles a line that may be no text: quote, heading, heading's underline, rule, HTML line. */
  private enterNonText(rest: string, depth: number): null {
    const own = this.leaf === 'paragraph' && depth === this.columns.length;
    const paragraph = this.leaf !== 'none';
    if (rest.startsWith('>')) {
      this.closeAfter(depth);
      this.leaf = quotesText(rest) ? 'quoted' : 'none';
    } else if ((own && /^(?:=+|-+)[ \t]*$/.test(rest)) || endsParagraph(rest))
      this.closeAfter(depth);
    else if (!paragraph) {
      this.closeAfter(depth);
      this.leaf = 'paragraph';
    }
    return null;
  }
}

/** First characters of lines that may not be text. */
const BLOCK_STARTERS = '>#<=-*_';

function isRule(text: string, at: number, end: number): boolean {
  return '*-_'.includes(text.charAt(at)) && THEMATIC_BREAK.test(text.slice(at, end));
}

function isTask(rest: string): boolean {
  const marker = markerEnd(rest, 0, rest.length);
  return marker >= 0 && markClose(rest, skipBlanks(rest, marker, rest.length), rest.length) >= 0;
}

/** Whether a line ends a paragraph: a heading, a rule, or HTML that interrupts one. */
function endsParagraph(rest: string): boolean {
  if (/^#{1,6}(?:[ \t]|$)/.test(rest) || THEMATIC_BREAK.test(rest)) return true;
  return rest.startsWith('<') && interruptsAsHtml(rest);
}

/** Whether a quoted line ends in text that the next line could continue. */
function quotesText(rest: string): boolean {
  const text = rest.replace(/^(?:>[ \t]?)+/, '');
  if (/^ {4}|^\t/.test(text)) return false;
  return !/^[ \t]*(?:$|`{3}|~{3})/.test(text) && !endsParagraph(text.trim());
}

function columnAt(text: string, from: number, to: number, column: number): number {
  for (let at = from; at < to && isBlank(text.charCodeAt(at)); at += 1) {
    column = columnAfter(column, text.charCodeAt(at));
  }
  return column;
}

/** A fence, comment or HTML block of several lines; its content is no task and no heading. */
export interface OpenBlock {
  readonly kind: 'fence' | 'html' | 'comment';
  /** offset of its first line */
  readonly start: number;
  /** a line further left than this leaves it unclosed, since the list item around it has ended */
  readonly column: number;
  /** of a fence: its character and their number */
  readonly fence: number;
  readonly length: number;
  /** of HTML: matches the line that ends it; null if a blank line ends it */
  readonly closer: RegExp | null;
  /** end of its last line so far */
  end: number;
}

const PERCENT = 0x25;

const LESS = 0x3c;

const BACKTICK = 0x60;

const TILDE = 0x7e;

/**
 * Kinds 1 to 5 of HTML blocks in CommonMark: how their first line begins, and what their last line
 * contains.
 */
const CLOSED_HTML: readonly (readonly [RegExp, RegExp])[] = [
  [/^<(?:script|pre|style|textarea)(?:[ \t>]|$)/i, /<\/(?:script|pre|style|textarea)>/i],
  [/^<!--/, /-->/],
  [/^<\?/, /\?>/],
  [/^<![a-z]/i, />/],
  [/^<!\[CDATA\[/, /\]\]>/],
];

/** Kind 6: a block tag. A blank line ends kinds 6 and 7. */
const BLOCK_TAG =
  /^<\/?(?:address|article|aside|base|basefont|blockquote|body|caption|center|col|colgroup|dd|details|dialog|dir|div|dl|dt|fieldset|figcaption|figure|footer|form|frame|frameset|h[1-6]|head|header|hr|html|iframe|legend|li|link|main|menu|menuitem|nav|noframes|ol|optgroup|option|p|param|search|section|source|summary|table|tbody|td|tfoot|th|thead|title|tr|track|ul)(?:[ \t]|\/?>|$)/i;

/** Kind 7: a line that consists of one complete tag. It does not interrupt a paragraph. */
const WHOLE_TAG =
  /^(?:<\/[a-z][a-z0-9-]*[ \t]*>|<[a-z][a-z0-9-]*(?:[ \t]+[a-z_:][\w.:-]*(?:[ \t]*=[ \t]*(?:[^ \t"'=<>`]+|'[^']*'|"[^"]*"))?)*[ \t]*\/?>)[ \t]*$/i;

/**
 * The block that the line from `at` to `end` opens and doesn't close, or null.
 * @param line offset of the line's start
 * @param column of its first non-blank character
 * @param container content column of the list item around it, 0 for none
 * @param paragraph whether the line could continue a paragraph before it
 */
export function opensBlock(
  text: string,
  line: number,
  at: number,
  end: number,
  column: number,
  container: number,
  paragraph: boolean,
): OpenBlock | null {
  const first = text.charCodeAt(at);
  if (first !== PERCENT && first !== LESS && first !== BACKTICK && first !== TILDE) return null;
  if (first === PERCENT) {
    if (!togglesComment(text, at, end)) return null;
    return { kind: 'comment', start: line, column: 0, fence: 0, length: 0, closer: null, end };
  }
  if (column - container >= 4) return null;
  if (first === LESS) {
    const closer = htmlCloser(text.slice(at, end), paragraph);
    if (closer === undefined) return null;
    return { kind: 'html', start: line, column: container, fence: 0, length: 0, closer, end };
  }
  const length = runLength(text, at, end);
  if (length < 3) return null;
  if (first === BACKTICK && text.slice(at + length, end).includes('`')) return null;
  return { kind: 'fence', start: line, column: container, fence: first, length, closer: null, end };
}

/**
 * Pattern of the line that ends the HTML block which `line` begins (null: a blank line); undefined
 * if it begins none, or ends it itself.
 */
function htmlCloser(line: string, paragraph: boolean): RegExp | null | undefined {
  for (const [opens, closer] of CLOSED_HTML) {
    if (opens.test(line)) return closer.test(line) ? undefined : closer;
  }
  return BLOCK_TAG.test(line) || (!paragraph && WHOLE_TAG.test(line)) ? null : undefined;
}

/** Whether a line beginning with `<` begins an HTML block of a kind that interrupts a paragraph. */
function interruptsAsHtml(line: string): boolean {
  return CLOSED_HTML.some(([opens]) => opens.test(line)) || BLOCK_TAG.test(line);
}

/** Whether the line from `at` (first non-blank) to `end` closes the block. */
export function closesBlock(
  open: OpenBlock,
  text: string,
  at: number,
  end: number,
  column: number,
): boolean {
  if (open.kind === 'html') return open.closer?.test(text.slice(at, end)) ?? at === end;
  if (open.kind === 'comment') return count(text.slice(at, end), '%%') % 2 === 1;
  if (column - open.column >= 4 || text.charCodeAt(at) !== open.fence) return false;
  const length = runLength(text, at, end);
  return length >= open.length && trimBlanks(text, at + length, end) === at + length;
}

function togglesComment(text: string, at: number, end: number): boolean {
  if (text.charCodeAt(at + 1) !== 0x25) return false;
  return count(text.slice(at, end), '%%') % 2 === 1;
}

function runLength(text: string, at: number, end: number): number {
  const char = text.charCodeAt(at);
  let after = at;
  while (after < end && text.charCodeAt(after) === char) after += 1;
  return after - at;
}

function count(line: string, part: string): number {
  return line.split(part).length - 1;
}
