import { readHeading } from '../../board/note/heading';
import { Lines } from '../../board/note/lines';
import { isBlank, markerEnd, skipBlanks } from '../../board/note/list-item';
import { closesBlock, opensBlock, type OpenBlock } from '../../board/note/open-block';
import { findFrontMatter, type FrontMatterPlace } from './front-matter';
import { UnderlinedHeadings } from './underlined';

export interface NoteHeading {
  readonly level: number;
  readonly text: string;
  /** 1-based */
  readonly line: number;
  /** of its last line: where it is underlined, that is below it */
  readonly last: number;
}

/** A line that stands neither in the front matter nor in code or a comment; offsets into the note. */
export interface ProseLine {
  /** 1-based */
  readonly line: number;
  readonly start: number;
  readonly end: number;
}

export interface NoteScan {
  readonly frontMatter: FrontMatterPlace | undefined;
  /** offset of each line; a line end at the note's end begins no line */
  readonly starts: readonly number[];
  readonly headings: readonly NoteHeading[];
  readonly prose: readonly ProseLine[];
}

/** One pass over a note. A fence in a list is closed by its own mark only, however its lines are indented. */
export function scanNote(text: string): NoteScan {
  const frontMatter = findFrontMatter(text);
  const starts: number[] = [];
  const headings: NoteHeading[] = [];
  const prose: ProseLine[] = [];
  let open: OpenBlock | null = null;
  const underlined = new UnderlinedHeadings();
  const lines = new Lines(text, 0, 0);
  while (lines.advance()) {
    const { start, end, number: line } = lines;
    starts.push(start);
    if (frontMatter !== undefined && line <= frontMatter.lines) continue;
    const at = contentStart(text, start, end);
    if (open !== null) {
      if (closesBlock(open, text, at, end, 0)) open = null;
      continue;
    }
    open = opensBlock(text, start, at, end, 0, 0);
    if (open !== null) {
      underlined.cut();
      continue;
    }
    prose.push({ line, start, end });
    const heading = headingOf(text, start, end);
    if (heading !== null) underlined.cut();
    const from = start === 0 && text.startsWith('\uFEFF') ? 1 : start;
    const found = heading ?? underlined.take(text.slice(from, end), line);
    if (found === undefined) continue;
    const first = 'line' in found ? found.line : line;
    headings.push({ level: found.level, text: found.text, line: first, last: line });
  }
  return { frontMatter, starts, headings, prose };
}

/** Behind blanks, quote marks and one list marker. */
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
