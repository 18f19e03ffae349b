import { readHeading, unescapeText } from '../../board/note/escape';
import { isBlank, LineScanner, markerEnd, skipBlanks, trimBlanks } from '../../board/note/lines';
import { closesBlock, opensBlock, type OpenBlock } from '../../board/note/containers';
import { CORE_SCHEMA, load, YAMLException } from 'js-yaml';

export interface NoteHeading {
  readonly level: number;
  readonly text: string;
  /** 1-based */
  readonly line: number;
  /** last line of the heading: for a Setext heading, the line of the underline */
  readonly last: number;
}

/** A line outside front matter, code and comments. Offsets are into the note. */
interface ProseLine {
  /** 1-based */
  readonly line: number;
  readonly start: number;
  readonly end: number;
}

export interface NoteScan {
  readonly frontMatter: ReturnType<typeof findFrontMatter>;
  /** offset of each line; a line break at the note's end doesn't start another line */
  readonly starts: readonly number[];
  readonly headings: readonly NoteHeading[];
  readonly prose: readonly ProseLine[];
}

/**
 * Scans a note in one pass. A fence in a list ends only with its own closing fence, however its
 * lines are indented.
 */
export function scanNote(text: string): NoteScan {
  const frontMatter = findFrontMatter(text);
  const starts: number[] = [];
  const headings: NoteHeading[] = [];
  const prose: ProseLine[] = [];
  let open: OpenBlock | null = null;
  const underlined = new UnderlinedHeadings();
  const lines = new LineScanner(text, 0, 0);
  while (lines.advance()) {
    const { start, end, number: line } = lines;
    starts.push(start);
    if (frontMatter !== undefined && line <= frontMatter.lines) continue;
    const at = contentStart(text, start, end);
    if (open?.closer === null && open.kind === 'html' && leavesContainer(text, start, at, open))
      open = null;
    if (open !== null) {
      if (closesBlock(open, text, at, end, open.column)) open = null;
      continue;
    }
    const paragraph = underlined.inParagraph;
    const container = containerColumn(text, start, at);
    open = opensBlock(text, start, at, end, container, container, paragraph);
    if (open !== null) {
      underlined.endParagraph();
      continue;
    }
    prose.push({ line, start, end });
    const heading = headingOf(text, start, end);
    if (heading !== null) underlined.endParagraph();
    const from = start === 0 && text.startsWith('\uFEFF') ? 1 : start;
    const found = heading ?? underlined.addLine(text.slice(from, end), line);
    if (found === undefined) continue;
    const first = 'line' in found ? found.line : line;
    headings.push({ level: found.level, text: found.text, line: first, last: line });
  }
  return { frontMatter, starts, headings, prose };
}

/** Column at which the content of a quote or list item begins; 0 outside of them. */
function containerColumn(text: string, start: number, at: number): number {
  return /[^ \t\uFEFF]/.test(text.slice(start, at)) ? at - start : 0;
}

/** Whether the line ends the quote or list item that contains an HTML block. */
function leavesContainer(text: string, start: number, at: number, open: OpenBlock): boolean {
  const quoted = /^[ \t]*>/.test(text.slice(open.start, open.start + open.column));
  const marked = /^[ \t]*>/.test(text.slice(start, at));
  return quoted ? !marked : !marked && skipBlanks(text, start, at) - start < open.column;
}

/** Offset after indentation, quote marks and one list marker. */
function contentStart(text: string, start: number, end: number): number {
  let at = skipBlanks(text, start === 0 && text.startsWith('\uFEFF') ? 1 : start, end);
  while (text.charCodeAt(at) === 0x3e && at < end) at = skipBlanks(text, at + 1, end);
  const marker = markerEnd(text, at, end);
  return marker < 0 ? at : skipBlanks(text, marker, end);
}

function headingOf(text: string, start: number, end: number): ReturnType<typeof readHeading> {
  const from = start === 0 && text.startsWith('\uFEFF') ? 1 : start;
  const at = skipBlanks(text, from, end);
  if (text.charCodeAt(at) !== 0x23 || at - from > 3 || indentedByTab(text, from, at)) return null;
  return readHeading(text, start, at, end);
}

function indentedByTab(text: string, from: number, at: number): boolean {
  return isBlank(text.charCodeAt(from)) && text.slice(from, at).includes('\t');
}

/** Most characters of front matter that are parsed. */
const LONGEST_HEADER = 65_536;

/** Deepest nesting of lists and maps in front matter. */
const MAX_HEADER_DEPTH = 16;

/**
 * Finds a note's front matter. Returns the offsets of the YAML and of the line after the closing
 * rule, and the number of lines up to there. Returns undefined if there is none, or if it isn't
 * closed.
 */
export function findFrontMatter(text: string) {
  const lines = new LineScanner(text, text.startsWith('\uFEFF') ? 1 : 0, 0);
  if (!lines.advance() || !isRule(text, lines)) return undefined;
  const from = lines.next;
  while (lines.advance()) {
    if (isRule(text, lines)) {
      return { from, to: lines.start, next: lines.next, lines: lines.number };
    }
  }
  return undefined;
}

export type FrontMatter =
  | { readonly ok: true; readonly values: Readonly<Record<string, unknown>> }
  /** `reason`: what is wrong, in one sentence */
  | { readonly ok: false; readonly reason: string };

/**
 * Parses front matter. Limits it to 64 KiB, 16 levels and no aliases, so that a small text can't
 * expand to a large value. Returns the reason if it can't be parsed.
 */
export function parseFrontMatter(yaml: string): FrontMatter {
  if (yaml.length > LONGEST_HEADER) return frontMatterFault('it is longer than 64 KiB');
  if (yaml.trim() === '') return { ok: true, values: {} };
  try {
    const value = load(yaml, { schema: CORE_SCHEMA, maxDepth: MAX_HEADER_DEPTH, maxAliases: 0 });
    if (value === null) return { ok: true, values: {} };
    if (typeof value !== 'object' || Array.isArray(value)) {
      return frontMatterFault('it is not a list of "key: value" lines');
    }
    return { ok: true, values: value as Readonly<Record<string, unknown>> };
  } catch (error) {
    if (error instanceof YAMLException) return frontMatterFault(error.reason);
    throw error;
  }
}

/**
 * The texts of the given fields of the front matter, whether single values or lists. Keys are
 * matched ignoring case.
 */
export function frontMatterTexts(
  values: Readonly<Record<string, unknown>>,
  names: readonly string[],
): readonly string[] {
  return Object.entries(values)
    .filter(([key]) => names.includes(key.toLowerCase()))
    .flatMap(([, value]) => (Array.isArray(value) ? (value as unknown[]) : [value]))
    .flatMap((value) =>
      typeof value === 'string' ? [value] : typeof value === 'number' ? [String(value)] : [],
    );
}

function frontMatterFault(why: string): FrontMatter {
  return { ok: false, reason: `The front matter can't be read: ${why}.` };
}

function isRule(text: string, { start, end }: LineScanner): boolean {
  return trimBlanks(text, start, end) === start + 3 && text.startsWith('---', start);
}

const THEMATIC = /^(?:(?:\*[ \t]*){3,}|(?:_[ \t]*){3,}|(?:-[ \t]*){3,})$/;

const UNDERLINE = /^(?:=+|-+)[ \t]*$/;

const BLOCK_ID = /[ \t]\^[A-Za-z0-9-]+$/;

/** Follows the lines of a note to find Setext headings, which are known by the line below them. */
class UnderlinedHeadings {
  /**
   * the current paragraph, outside lists, quotes, tables and HTML; undefined outside of paragraphs
   */
  private paragraph: { readonly line: number; readonly texts: string[] } | undefined;
  /** in a list, quote, table or HTML block, which ends at an empty line */
  private inOtherBlock = false;
  private inList = false;

  /** Whether the next line may continue a paragraph. */
  get inParagraph(): boolean {
    return this.paragraph !== undefined || this.inOtherBlock;
  }

  /** Ends the paragraph at a line that can't be part of it: a heading, code, a comment. */
  endParagraph(): void {
    this.paragraph = undefined;
    this.inOtherBlock = false;
  }

  /**
   * Takes a line of prose that is not an ATX heading.
   * @returns the heading that this line underlines, if any
   */
  addLine(raw: string, line: number) {
    const at = skipBlanks(raw, 0, raw.length);
    const content = raw.slice(at).trimEnd();
    const indented = at > 3 || raw.slice(0, at).includes('\t');
    if (content === '') this.endParagraph();
    else if (this.paragraph !== undefined) return this.continueParagraph(content, line, indented);
    else if (!this.inOtherBlock && !(indented && !this.inList))
      this.beginBlock(content, line, at, indented);
    return undefined;
  }

  private continueParagraph(content: string, line: number, indented: boolean) {
    const { paragraph } = this;
    if (paragraph === undefined) return undefined;
    if (!indented && UNDERLINE.test(content)) {
      this.endParagraph();
      const text = unescapeText(paragraph.texts.join(' ').replace(BLOCK_ID, ''));
      return { level: content.startsWith('=') ? 1 : 2, text, line: paragraph.line };
    }
    if (indented || (!THEMATIC.test(content) && !beginsOtherBlock(content)))
      paragraph.texts.push(content);
    else {
      this.endParagraph();
      this.beginBlock(content, line, 0, false);
    }
    return undefined;
  }

  private beginBlock(content: string, line: number, at: number, indented: boolean): void {
    if (THEMATIC.test(content)) return this.endParagraph();
    if (beginsOtherBlock(content)) {
      this.inOtherBlock = true;
      this.inList = markerEnd(content, 0, content.length) >= 0;
      return;
    }
    // Indented lines below an item belong to it.
    if (this.inList && (indented || at > 1)) return;
    this.inList = false;
    this.paragraph = { line, texts: [content] };
  }
}

/** Whether a line begins a list, a quote, a table or HTML. */
function beginsOtherBlock(content: string): boolean {
  return /^(?:[>|]|<[A-Za-z/!?])/.test(content) || markerEnd(content, 0, content.length) >= 0;
}
