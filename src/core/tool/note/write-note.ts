import type * as z from 'zod/mini';
import { defineTool, type ChangedText, type Tool, type ToolFault } from '../tool';
import { createNote, updateNote } from './definitions';
import { findFrontMatter, scanNote, type NoteHeading, type NoteScan } from './scan-note';
import { findHeadings, headingNotFound } from './note-part';
import { textLines } from '../../board/merge/text-edits';

/**
 * Tool that changes an existing note. The place of the change is found when the note is written.
 */
export function updateNoteTool(): Tool {
  return defineTool({
    ...updateNote,
    plan(input) {
      const { path, content, dryRun, mode } = input;
      const edit = readEdit(input);
      if ('code' in edit) return edit;
      const fault = halfCharacterFault(content);
      if (fault !== undefined) return fault;
      return {
        kind: 'change',
        path,
        dryRun,
        byText: mode === 'insert',
        change: (before) =>
          before === undefined
            ? { ok: false, code: 'not_found', message: NO_NOTE }
            : editNote(before, edit, content),
      };
    },
  });
}

const NO_NOTE =
  'Nothing was done: there is no note with this path. Make it with obsidian_create_note, or look for it with obsidian_search_vault.';

/** Requires exactly one place for `insert`, and none for other modes. */
function readEdit(input: z.infer<ReturnType<typeof updateNote.args>>): NoteEdit | ToolFault {
  const { mode, line, heading, marker } = input;
  const places: readonly NoteEdit[] = [
    ...(line === undefined ? [] : [{ mode: 'insert', line } as const]),
    ...(heading === undefined ? [] : [{ mode: 'insert', heading } as const]),
    ...(marker === undefined ? [] : [{ mode: 'insert', marker } as const]),
  ];
  if (mode !== 'insert') {
    if (places.length === 0) return { mode };
    return fault(
      'bad_arguments',
      `line, heading and marker go with mode "insert", not with "${mode}"`,
    );
  }
  const [place] = places;
  if (place === undefined || places.length > 1) {
    return fault('bad_arguments', 'mode "insert" takes exactly one of line, heading and marker');
  }
  if (marker !== undefined && /[\r\n]/.test(marker)) {
    return fault('bad_arguments', 'the marker must stand within one line. Send a part of one line');
  }
  return place;
}

/**
 * Tool that creates a note from the text sent, or replaces a note with it if `overwrite` is set.
 */
export function createNoteTool(): Tool {
  return defineTool({
    ...createNote,
    plan({ path, content, overwrite, dryRun }) {
      const fault = halfCharacterFault(content);
      if (fault !== undefined) return fault;
      return {
        kind: 'change',
        path,
        dryRun,
        change: (before) => createText(before, content, overwrite),
      };
    },
  });
}

function createText(
  before: string | undefined,
  content: string,
  overwrite: boolean,
): NoteEditResult {
  const words = before === undefined ? 'New note, ' : 'Replaced all of it with ';
  if (before === undefined || overwrite) {
    return { ok: true, after: content, words: words + lineWords(content) };
  }
  const message =
    'Nothing was done: there is a note with this path. Change it with obsidian_update_note, or send overwrite true.';
  return { ok: false, code: 'exists', message };
}

/** Where to put the new text, or that it replaces everything. */
export type NoteEdit =
  | { readonly mode: 'replace' }
  | { readonly mode: 'append' }
  | { readonly mode: 'prepend' }
  | { readonly mode: 'insert'; readonly line: number }
  | { readonly mode: 'insert'; readonly heading: string }
  | { readonly mode: 'insert'; readonly marker: string };

type NoteEditResult = ChangedText | (ToolFault & { readonly ok: false });

const BOM = '\uFEFF';

/** Most lines with the marker that are reported. */
const MAX_LISTED_LINES = 10;

/**
 * Puts new text into a note. The new text gets the note's line breaks and lines of its own. All
 * other bytes stay, including the byte order mark, and the note ends with a line break only if it
 * did before.
 */
export function editNote(before: string, edit: NoteEdit, content: string): NoteEditResult {
  const text = content.slice(bomOf(content).length).replaceAll(/\r\n|\r|\n/g, lineEndOf(before));
  if (edit.mode === 'replace') {
    const after = bomOf(before) + text;
    return { ok: true, after, words: `Replaced all of it with ${lineWords(text)}` };
  }
  if (text === '') return fault('bad_arguments', 'the content is empty');
  if (edit.mode === 'append') {
    const after = insertLines(before, before.length, text);
    return { ok: true, after, words: `Appended ${lineWords(text)}` };
  }
  if (edit.mode === 'prepend') {
    const at = findFrontMatter(before)?.next ?? bomOf(before).length;
    return {
      ok: true,
      after: insertLines(before, at, text),
      words: `Put ${lineWords(text)} at the top`,
    };
  }
  const place = findInsertionPoint(before, edit, text);
  if ('ok' in place) return place;
  const words = `Inserted ${lineWords(text)} as line ${place.line}`;
  return { ok: true, after: insertLines(before, place.at, place.text ?? text), words };
}

interface InsertionPoint {
  /** offset */
  readonly at: number;
  /** 1-based line number of the inserted text */
  readonly line: number;
  /** the inserted text, if the place requires changing it */
  readonly text?: string;
}

function findInsertionPoint(
  before: string,
  edit: Extract<NoteEdit, { readonly mode: 'insert' }>,
  text: string,
): InsertionPoint | (ToolFault & { readonly ok: false }) {
  const scan = scanNote(before);
  const { starts } = scan;
  const afterLine = (line: number): InsertionPoint => ({
    at: starts[line] ?? before.length,
    line: line + 1,
  });
  if ('line' in edit) {
    const last = starts.length + 1;
    if (edit.line > last) {
      return fault('not_found', `line ${edit.line} is behind the end. Send at most ${last}`);
    }
    return edit.line === 1 ? { at: bomOf(before).length, line: 1 } : afterLine(edit.line - 1);
  }
  if ('heading' in edit) {
    const [heading, ...others] = findHeadings(scan.headings, edit.heading);
    if (heading === undefined)
      return { ok: false, ...headingNotFound(scan.headings, edit.heading) };
    if (others.length === 0) return belowHeading(before, scan, heading, text);
    const lines = [heading, ...others].map(({ line }) => line);
    return ambiguous(`the heading "${edit.heading}"`, lines);
  }
  const found = linesWith(before, starts, edit.marker);
  const [line] = found;
  if (line === undefined) {
    return fault('not_found', 'no line of the note has the marker. Send text that stands in one');
  }
  return found.length === 1 ? afterLine(line) : ambiguous('the marker', found);
}

/**
 * Places text below the blank line after a heading, followed by another blank line. List items are
 * added to the start of a list that is there, with its marker.
 */
function belowHeading(
  before: string,
  { starts }: NoteScan,
  { last }: NoteHeading,
  text: string,
): InsertionPoint {
  const at = (line: number): number => starts[line - 1] ?? before.length;
  const lineText = (line: number): string => before.slice(at(line), at(line + 1)).trimEnd();
  let next = last + 1;
  while (next <= starts.length && lineText(next) === '') next += 1;
  const head = parseListItem(lineText(next));
  const joined = head === undefined ? undefined : toItemsOf(head, text);
  if (joined !== undefined) return { at: at(next), line: next, text: joined };
  if (next === last + 1) return { at: at(next), line: next };
  const place = { at: at(last + 2), line: last + 2 };
  if (next > starts.length || next > last + 2) return place;
  const end = lineEndOf(before);
  return { ...place, text: text.trimEnd() + end + end };
}

/** The parts of a list item's first line. */
interface Item {
  readonly indent: string;
  readonly marker: string;
  /** the blanks after the marker, and the text */
  readonly rest: string;
}

function parseListItem(line: string): Item | undefined {
  if (/^[ \t]*(?:(?:\*[ \t]*){3,}|(?:-[ \t]*){3,})$/.test(line)) return undefined;
  const [, indent = '', marker, rest = ''] =
    /^([ \t]*)([-*+]|\d{1,9}[.)])((?:[ \t].*)?)$/.exec(line) ?? [];
  return marker === undefined ? undefined : { indent, marker, rest };
}

/**
 * Gives list items the indentation and markers of another list; undefined if the text is not only
 * items.
 */
function toItemsOf(list: Item, text: string): string | undefined {
  const lines = text.split(/\r\n|\r|\n/);
  const baseIndent = indentOf(lines[0] ?? '');
  const nested = (line: string): boolean => line.trim() === '' || indentOf(line) > baseIndent;
  if (nested(lines[0] ?? '') || !lines.every((line) => nested(line) || parseListItem(line))) {
    return undefined;
  }
  const number = Number.parseInt(list.marker, 10);
  let count = 0;
  let wider = 0;
  return text.replaceAll(/[^\r\n]+/g, (line) => {
    const item = nested(line) ? undefined : parseListItem(line);
    if (item === undefined) return line.trim() === '' ? line : ' '.repeat(wider) + line;
    const marker = Number.isNaN(number) ? list.marker : `${number + count}${list.marker.slice(-1)}`;
    count += 1;
    const { indent } = item;
    wider = Math.max(0, list.indent.length + marker.length - indent.length - item.marker.length);
    return list.indent + marker + item.rest;
  });
}

function indentOf(line: string): number {
  return line.length - line.trimStart().length;
}

/** Numbers of the lines that contain the marker, 1-based. The marker is within one line. */
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
  const more = lines.length > MAX_LISTED_LINES ? ' …' : '';
  const listed = lines.slice(0, MAX_LISTED_LINES).join(', ') + more;
  return fault('ambiguous', `${what} stands in the lines ${listed}. Send "line" instead`);
}

/** Inserts whole lines at the start of a line or at the end. */
function insertLines(before: string, at: number, text: string): string {
  const end = lineEndOf(before);
  const head = before.slice(0, at);
  const tail = before.slice(at);
  const gap = head === '' || head === BOM || /[\r\n]$/.test(head) ? '' : end;
  const closed = /[\r\n]$/.test(text);
  const closes = !closed && (tail !== '' || (gap === '' && head !== '' && head !== BOM));
  return head + gap + text + (closes ? end : '') + tail;
}

/** The first line break of a text. */
function lineEndOf(text: string): string {
  return /\r\n|\r|\n/.exec(text)?.[0] ?? '\n';
}

function bomOf(text: string): string {
  return text.startsWith(BOM) ? BOM : '';
}

function fault(code: string, why: string): ToolFault & { readonly ok: false } {
  return { ok: false, code, message: `Nothing was done: ${why}.` };
}

/** Returns a fault for a text with half a surrogate pair, which has no UTF-8 form. */
function halfCharacterFault(content: string): ToolFault | undefined {
  if (!/\p{Surrogate}/u.test(content)) return undefined;
  return fault('bad_arguments', 'the content has half a character. Send it as well-formed text');
}

/** "1 line", "3 lines" */
function lineWords(text: string): string {
  const lines = textLines(text);
  const count = lines.length - (lines.at(-1)?.text === '' ? 1 : 0);
  return count === 1 ? '1 line' : `${count} lines`;
}
