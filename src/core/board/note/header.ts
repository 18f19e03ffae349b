import * as z from 'zod/mini';
import type { Problem } from '../task';
import { utf8Bytes } from '../utf8';
import { isConflictMarker } from './block-scan';
import { readHeaderValues, type HeaderValues } from './header-values';
import { Lines } from './lines';
import { trimBlanks } from './list-item';

/** A counter that a person may have broken: 0 then. */
const counter = z.catch(
  z.pipe(z.string().check(z.regex(/^\s*[0-9]{1,15}\s*$/)), z.transform(Number)),
  0,
);

/** The header of a board note, format 1. Other keys are kept and mean nothing here. */
export const headerSchema = z.object({
  board: z.literal('1'),
  session: z.string().check(z.minLength(1)),
  agent: z.string().check(z.minLength(1)),
  title: z.optional(z.string()),
  prefix: z.string().check(z.regex(/^(?=.*[a-z])[0-9a-z]{4}$/)),
  next: counter,
  rev: counter,
  /** the session that the plan goes on in: no program changes this board any more */
  continued: z.optional(z.string().check(z.minLength(1))),
  /** `true`: views leave the board out */
  shelved: z.optional(z.string()),
});
export type HeaderData = z.infer<typeof headerSchema>;

/** Offsets into the note's text. */
export interface Header {
  readonly data: HeaderData;
  readonly values: HeaderValues;
  /** of the line that closes it */
  readonly close: number;
  /** of the line behind it, and the number of lines up to there */
  readonly end: number;
  readonly lines: number;
}

export type HeaderRead =
  | { readonly ok: true; readonly header: Header }
  | { readonly ok: false; readonly problem: Problem };

const LARGEST = 65_536;
const BYTE_ORDER_MARK = 0xfeff;

/** Reads the front matter of a note. Problems are in words for a person, with their line. */
export function readHeader(text: string): HeaderRead {
  const from = text.charCodeAt(0) === BYTE_ORDER_MARK ? 1 : 0;
  const lines = new Lines(text, from, 0);
  if (!lines.advance() || !isRule(text, lines)) {
    return broken(1, 'the header is missing. Begin the note with "---" and "board: 1"');
  }
  const start = lines.next;
  let lastKey = 1;
  let inKeys = true;
  while (lines.advance() && lines.start - start <= LARGEST) {
    if (isConflictMarker(text, lines.start, lines.end)) return broken(lines.number, CONFLICT);
    if (isRule(text, lines)) return readClosed(text, start, lines, lastKey);
    inKeys &&= looksLikeHeader(text.slice(lines.start, lines.end));
    if (inKeys) lastKey = lines.number;
  }
  if (lines.start - start > LARGEST) return broken(1, TOO_LONG);
  return broken(lastKey, NOT_CLOSED);
}

export const CONFLICT = 'two versions meet here. Keep one of them and remove the marks';
const NOT_CLOSED = 'the header is not closed. Add "---" after it';
const TOO_LONG = 'the header is longer than 64 KiB. Shorten it';

/** @param lastKey the last line that looks like a part of the header */
function readClosed(text: string, start: number, lines: Lines, lastKey: number): HeaderRead {
  const yaml = text.slice(start, lines.start);
  if (yaml.length * 3 > LARGEST && utf8Bytes(yaml).length > LARGEST) return broken(1, TOO_LONG);
  const read = readHeaderValues(yaml, start);
  if (!read.ok) {
    const line = Math.min(lineAt(text, start, read.at), lines.number - 1);
    if (line > lastKey && lastKey + 1 < lines.number) return broken(lastKey, NOT_CLOSED);
    return broken(line, `the header ${read.reason}`);
  }
  const { values } = read;
  const record = Object.fromEntries([...values].map(([key, value]) => [key, value.text]));
  const checked = headerSchema.safeParse(record);
  if (!checked.success) {
    const key = String(checked.error.issues[0]?.path[0] ?? 'board');
    const at = values.get(key)?.at;
    const line = at === undefined ? lines.number : lineAt(text, start, at);
    return broken(line, reasonFor(key, values.get(key)?.text));
  }
  const place = { close: lines.start, end: lines.next, lines: lines.number };
  return { ok: true, header: { data: checked.data, values, ...place } };
}

function reasonFor(key: string, text: string | null | undefined): string {
  if (text === undefined) return `the header has no "${key}". Add it above this line`;
  if (key === 'board' && /^[2-9]$/.test(text ?? '')) {
    return `this board has format ${text}, which is newer. Update Agent Task Boards`;
  }
  if (key === 'board') return '"board" is the format. Write "board: 1"';
  if (key === 'prefix')
    return '"prefix" must be four of a–z and 0–9, one of them a letter. Correct it';
  return `"${key}" must be one line of text. Correct it`;
}

function broken(line: number, reason: string): HeaderRead {
  return { ok: false, problem: { line, reason: `Line ${line}: ${reason}.` } };
}

function isRule(text: string, { start, end }: Lines): boolean {
  return trimBlanks(text, start, end) === start + 3 && text.startsWith('---', start);
}

function looksLikeHeader(line: string): boolean {
  return /^(?:[^\s#>\-*`[][^:]*:(?:\s|$)|\s+\S|#[^#\s]|#\s*$|- )/.test(line);
}

function lineAt(text: string, start: number, at: number): number {
  const lines = new Lines(text, start, 1);
  while (lines.advance() && lines.next <= at);
  return Math.max(lines.number, 2);
}
