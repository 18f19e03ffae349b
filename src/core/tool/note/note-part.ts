import { nearest } from '../../board/find-task';
import { markerEnd, skipBlanks } from '../../board/note/lines';
import type { ToolFault } from '../tool';
import type { NoteHeading, NoteScan } from './scan-note';
import { byteLength, LONG_ANSWER, MAX_BYTES } from '../../board/answer/text-budget';

/** A range of lines, 1-based, both ends included. */
export interface LineRange {
  readonly from: number;
  readonly to: number;
}

/** Most headings in one heading path, and most headings with the same text that are followed. */
const MAX_DEEP = 8;

const MAX_ALIKE = 20;

/** The headings that a name refers to: "Goals", "Goals#2026" for a nested one, or "## Goals". */
export function findHeadings(headings: readonly NoteHeading[], wanted: string): NoteHeading[] {
  const name = wanted.trim().replace(/^#{1,6}\s+/, '');
  const whole = headingsWithText(headings, name);
  if (whole.length > 0 || !name.includes('#')) return whole;
  const [first = '', ...rest] = name.split('#', MAX_DEEP).filter((part) => part.trim() !== '');
  return rest.reduce(
    (outer, part) =>
      outer
        .slice(0, MAX_ALIKE)
        .flatMap((heading) => headingsWithText(headingsBelow(headings, heading), part))
        .filter(firstOccurrence()),
    headingsWithText(headings, first),
  );
}

/** Headings with this exact text, or if there are none, ignoring case. */
function headingsWithText(headings: readonly NoteHeading[], name: string): NoteHeading[] {
  const wanted = normalizeText(name);
  const exact = headings.filter(({ text }) => normalizeText(text) === wanted);
  if (exact.length > 0) return exact;
  return headings.filter(({ text }) => normalizeText(text).toLowerCase() === wanted.toLowerCase());
}

function normalizeText(text: string): string {
  return text.normalize('NFC').trim().replaceAll(/\s+/g, ' ');
}

/** The headings below one, up to the next of the same or a higher rank. */
function headingsBelow(
  headings: readonly NoteHeading[],
  outer: NoteHeading,
): readonly NoteHeading[] {
  const below = headings.slice(headings.indexOf(outer) + 1);
  const end = below.findIndex(({ level }) => level <= outer.level);
  return end < 0 ? below : below.slice(0, end);
}

function firstOccurrence(): (heading: NoteHeading) => boolean {
  const seen = new Set<NoteHeading>();
  return (heading) => !seen.has(heading) && seen.add(heading).has(heading);
}

/** The lines from a heading to the line before the next of the same or a higher rank. */
export function sectionOf({ headings, starts }: NoteScan, heading: NoteHeading): LineRange {
  const next = headings.find(({ line, level }) => line > heading.line && level <= heading.level);
  return { from: heading.line, to: next === undefined ? starts.length : next.line - 1 };
}

export function headingNotFound(headings: readonly NoteHeading[], wanted: string): ToolFault {
  const titles = headings.map(({ text, line }) => ({ title: text, line }));
  const like = nearest(wanted, titles, 5);
  const suggestions = (like.length > 0 ? like : titles.slice(0, 5)).map(
    ({ title, line }) => `"${title}" (line ${line})`,
  );
  const instead =
    suggestions.length > 0 ? `Nearest: ${suggestions.join(', ')}.` : 'It has no headings.';
  return { code: 'not_found', message: `The note has no heading "${wanted}". ${instead}` };
}

const BLOCK_ID = /(?:^|\s)\^([A-Za-z0-9-]+)\s*$/;

/** Finds the block that an id marks: a paragraph, a table, or a list item with its content. */
export function findBlock(text: string, scan: NoteScan, sent: string): LineRange | ToolFault {
  const id = sent.trim().replace(/^#?\^/, '').toLowerCase();
  const at = scan.prose.findIndex(
    ({ start, end }) => BLOCK_ID.exec(text.slice(start, end))?.[1]?.toLowerCase() === id,
  );
  const found = scan.prose[at];
  if (found === undefined) {
    const message = `The note has no block "^${id}". Read it whole, or search for its words.`;
    return { code: 'not_found', message };
  }
  return blockAt(text, scan, found.line);
}

/** The lines of the block that the line with the id belongs to. */
function blockAt(
  text: string,
  { starts, headings, frontMatter }: NoteScan,
  line: number,
): LineRange {
  const raw = (at: number): string => text.slice(starts[at - 1] ?? 0, starts[at] ?? text.length);
  const content = (at: number): string => raw(at).trim();
  const indent = (at: number): number => skipBlanks(raw(at), 0, raw(at).length);
  const isItem = (at: number): boolean => markerEnd(content(at), 0, content(at).length) >= 0;
  const first = (frontMatter?.lines ?? 0) + 1;
  const heads = new Set(headings.map(({ last }) => last));
  const paragraphStart = (at: number): number => {
    let from = Math.max(at, first);
    const goesOn = (above: number): boolean => content(above) !== '' && !heads.has(above);
    while (!isItem(from) && from > first && goesOn(from - 1)) from -= 1;
    return from;
  };
  const own = content(line);
  if (/^#{1,6}\s/.test(own)) return { from: line, to: line };
  if (isItem(line)) {
    let to = line;
    const belongs = (at: number): boolean => content(at) !== '' && indent(at) > indent(line);
    while (to < starts.length && belongs(to + 1)) to += 1;
    return { from: line, to };
  }
  if (!own.startsWith('^')) return { from: paragraphStart(line), to: line };
  let above = line - 1;
  while (above > first && content(above) === '') above -= 1;
  return { from: paragraphStart(above), to: line };
}

/**
 * Lines that the answer has besides the text: two above it, and one for the end of the last line.
 */
const HEAD_LINES = 3;

/**
 * Returns as many lines of a range as fit. If the first line alone is too long, returns its
 * beginning.
 * @param starts offset of each line of the note
 * @returns the text, the last line that it includes (`from - 1` if none), and how many characters
 * of that line were cut
 */
export function fittingLines(
  text: string,
  starts: readonly number[],
  { from, to }: LineRange,
  room = { lines: LONG_ANSWER - HEAD_LINES, bytes: MAX_BYTES },
) {
  const startOf = (line: number): number => starts[line - 1] ?? text.length;
  let bytes = 0;
  let last = from - 1;
  while (last < to && last - from + 1 < room.lines) {
    const next = startOf(last + 2) - startOf(last + 1);
    // A character takes at least a byte, so a longer line needs no counting.
    if (bytes + next > room.bytes) break;
    bytes += byteLength(text.slice(startOf(last + 1), startOf(last + 2)));
    if (bytes > room.bytes) break;
    last += 1;
  }
  if (last >= from || last >= to) {
    return { text: text.slice(startOf(from), startOf(last + 1)), to: last, left: 0 };
  }
  const line = text.slice(startOf(from), startOf(from + 1));
  const head = beginning(line, room.bytes);
  return { text: head, to: from, left: line.length - head.length };
}

/** The longest prefix that fits, without splitting a surrogate pair. */
function beginning(text: string, bytes: number): string {
  let head = text.slice(0, bytes);
  while (byteLength(head) > bytes)
    head = head.slice(0, Math.floor((head.length * bytes) / byteLength(head)));
  return head.replace(/[\ud800-\udbff]$/, '');
}
