import { unescapeText } from '../../board/note/escape';
import { markerEnd, skipBlanks } from '../../board/note/list-item';

/** A heading that is a paragraph with a line of `=` or `-` below it. */
export interface Underlined {
  readonly level: 1 | 2;
  readonly text: string;
  /** 1-based, of the paragraph */
  readonly line: number;
}

const THEMATIC = /^(?:(?:\*[ \t]*){3,}|(?:_[ \t]*){3,}|(?:-[ \t]*){3,})$/;
const UNDERLINE = /^(?:=+|-+)[ \t]*$/;
const BLOCK_ID = /[ \t]\^[A-Za-z0-9-]+$/;

/** Goes along the lines of a note and finds headings by what stands below them. */
export class UnderlinedHeadings {
  /** lines of the paragraph so far, outside lists, quotes, tables and HTML; undefined: in none */
  private paragraph: { readonly line: number; readonly texts: string[] } | undefined;
  /** in a list, quote, table or HTML, whose lines go on up to an empty one */
  private inOther = false;
  private inList = false;

  /** What ends a paragraph and is none: a heading, code, a comment. */
  cut(): void {
    this.paragraph = undefined;
    this.inOther = false;
  }

  /** A line of prose that is no heading by itself. @returns the heading that it is the underline of */
  take(raw: string, line: number): Underlined | undefined {
    const at = skipBlanks(raw, 0, raw.length);
    const content = raw.slice(at).trimEnd();
    const indented = at > 3 || raw.slice(0, at).includes('\t');
    if (content === '') this.cut();
    else if (this.paragraph !== undefined) return this.goOn(content, line, indented);
    else if (!this.inOther && !(indented && !this.inList)) this.begin(content, line, at, indented);
    return undefined;
  }

  private goOn(content: string, line: number, indented: boolean): Underlined | undefined {
    const { paragraph } = this;
    if (paragraph === undefined) return undefined;
    if (!indented && UNDERLINE.test(content)) {
      this.cut();
      const text = unescapeText(paragraph.texts.join(' ').replace(BLOCK_ID, ''));
      return { level: content.startsWith('=') ? 1 : 2, text, line: paragraph.line };
    }
    if (indented || (!THEMATIC.test(content) && !isOther(content))) paragraph.texts.push(content);
    else {
      this.cut();
      this.begin(content, line, 0, false);
    }
    return undefined;
  }

  private begin(content: string, line: number, at: number, indented: boolean): void {
    if (THEMATIC.test(content)) return this.cut();
    if (isOther(content)) {
      this.inOther = true;
      this.inList = markerEnd(content, 0, content.length) >= 0;
      return;
    }
    // What is indented below an item belongs to it.
    if (this.inList && (indented || at > 1)) return;
    this.inList = false;
    this.paragraph = { line, texts: [content] };
  }
}

/** Begins a list, a quote, a table or HTML. */
function isOther(content: string): boolean {
  return /^(?:[>|]|<[A-Za-z/!?])/.test(content) || markerEnd(content, 0, content.length) >= 0;
}
