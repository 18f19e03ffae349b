import type { Changed, ToolFault } from '../tool-plan';
import { findFrontMatter } from './front-matter';
import { lineWords } from './new-text';
import { headingsNamed, noHeading } from './note-part';
import { scanNote } from './scan-note';

/** Where new text goes, or that it takes the place of all. */
export type NoteEdit =
  | { readonly mode: 'replace' }
  | { readonly mode: 'append' }
  | { readonly mode: 'prepend' }
  | { readonly mode: 'insert'; readonly line: number }
  | { readonly mode: 'insert'; readonly heading: string }
  | { readonly mode: 'insert'; readonly marker: string };

type Edited = Changed | (ToolFault & { readonly ok: false });

const MARK = '\uFEFF';
/** Lines with the marker that are told. */
const MOST_TOLD = 10;

/**
 * The note with new text in it. What is put in gets the line ends of the note and lines of its own; all
 * other bytes stay, the byte order mark too, and the note ends with a line end if it did before.
 */
export function editNote(before: string, edit: NoteEdit, content: string): Edited {
  const text = content.slice(markOf(content).length).replaceAll(/\r\n|\r|\n/g, lineEndOf(before));
  if (edit.mode === 'replace') {
    const after = markOf(before) + text;
    return { ok: true, after, words: `Replaced all of it with ${lineWords(text)}` };
  }
  if (text === '') return fault('bad_arguments', 'the content is empty');
  if (edit.mode === 'append') {
    return {
      ok: true,
      after: put(before, before.length, text),
      words: `Appended ${lineWords(text)}`,
    };
  }
  if (edit.mode === 'prepend') {
    const at = findFrontMatter(before)?.next ?? markOf(before).length;
    return { ok: true, after: put(before, at, text), words: `Put ${lineWords(text)} at the top` };
  }
  const place = placeOf(before, edit);
  if ('ok' in place) return place;
  const words = `Inserted ${lineWords(text)} as line ${place.line}`;
  return { ok: true, after: put(before, place.at, text), words };
}

interface Place {
  /** offset */
  readonly at: number;
  /** 1-based, of what is put in */
  readonly line: number;
}

function placeOf(
  before: string,
  edit: Extract<NoteEdit, { readonly mode: 'insert' }>,
): Place | (ToolFault & { readonly ok: false }) {
  const scan = scanNote(before);
  const { starts } = scan;
  const behind = (line: number): Place => ({ at: starts[line] ?? before.length, line: line + 1 });
  if ('line' in edit) {
    const last = starts.length + 1;
    if (edit.line > last) {
      return fault('not_found', `line ${edit.line} is behind the end. Send at most ${last}`);
    }
    return edit.line === 1 ? { at: markOf(before).length, line: 1 } : behind(edit.line - 1);
  }
  if ('heading' in edit) {
    const [heading, ...others] = headingsNamed(scan.headings, edit.heading);
    if (heading === undefined) return { ok: false, ...noHeading(scan.headings, edit.heading) };
    if (others.length === 0) return behind(heading.last);
    return ambiguous(
      `the heading "${edit.heading}"`,
      [heading, ...others].map(({ line }) => line),
    );
  }
  const found = linesWith(before, starts, edit.marker);
  const [line] = found;
  if (line === undefined) {
    return fault('not_found', 'no line of the note has the marker. Send text that stands in one');
  }
  return found.length === 1 ? behind(line) : ambiguous('the marker', found);
}

/** 1-based; the marker stands within one line. */
function linesWith(text: string, starts: readonly number[], marker: string): readonly number[] {
  const found: number[] = [];
  let line = 0;
  let at = text.indexOf(marker);
  while (at >= 0) {
    while ((starts[line] ?? Infinity) <= at) line += 1;
    found.push(line);
    at = line < starts.length ? text.indexOf(marker, starts[line]) : -1;
  }
  return found;
}

function ambiguous(what: string, lines: readonly number[]): ToolFault & { readonly ok: false } {
  const more = lines.length > MOST_TOLD ? ' …' : '';
  const told = lines.slice(0, MOST_TOLD).join(', ') + more;
  return fault('ambiguous', `${what} stands in the lines ${told}. Send "line" instead`);
}

/** Puts whole lines where one begins, or at the end. */
function put(before: string, at: number, text: string): string {
  const end = lineEndOf(before);
  const head = before.slice(0, at);
  const tail = before.slice(at);
  const gap = head === '' || head === MARK || /[\r\n]$/.test(head) ? '' : end;
  const closed = /[\r\n]$/.test(text);
  const closes = !closed && (tail !== '' || (gap === '' && head !== '' && head !== MARK));
  return head + gap + text + (closes ? end : '') + tail;
}

/** Of its first line. */
function lineEndOf(text: string): string {
  return /\r\n|\r|\n/.exec(text)?.[0] ?? '\n';
}

function markOf(text: string): string {
  return text.startsWith(MARK) ? MARK : '';
}

function fault(code: string, why: string): ToolFault & { readonly ok: false } {
  return { ok: false, code, message: `Nothing was done: ${why}.` };
}
