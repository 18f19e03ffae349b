import { codeSpans, maskCode, type Span } from './code-spans';
import { unescapeText } from './escape';
import { BOARD_ID } from './ids';
import { trimBlanks, skipBlanks } from './list-item';

/** `[key:: value]`; offsets into the note's text. */
export interface BracketField extends Span {
  readonly key: string;
  /** of the value, blanks around it left out */
  readonly from: number;
  readonly to: number;
}

/** What stands between mark and tail: title and bracket fields. */
export interface Head {
  /** the parts of the title, in order; none of them empty */
  readonly pieces: readonly Span[];
  readonly fields: readonly BracketField[];
  /** an id behind a 🆔 that is no tail, since other text follows it */
  readonly stray: string | null;
}

const NO_FIELDS: readonly BracketField[] = [];
const FIELD = /\[([^[\]():\\`]+)::/y;
const STRAY = /\u{1F194}\uFE0F?[ \t]*([A-Za-z0-9_-]+)/gu;

/** Reads the text from `from` to `to`, which begins and ends with no blank. */
export function readHead(text: string, from: number, to: number): Head {
  if (from >= to) return { pieces: [], fields: NO_FIELDS, stray: null };
  if (isPlain(text, from, to)) {
    return { pieces: [{ start: from, end: to }], fields: NO_FIELDS, stray: null };
  }
  const head = text.slice(from, to);
  const masked = head.includes('`') ? maskCode(head, codeSpans(head, true)) : head;
  const fields = bracketFields(masked).map((field) => moved(field, from));
  return { pieces: piecesBetween(text, from, to, fields), fields, stray: strayId(masked) };
}

/** A bracket field by its span, as the tail may hold one. */
export function readBracketField(text: string, { start, end }: Span): BracketField | undefined {
  const field = bracketFields(text.slice(start, end))[0];
  return field && moved(field, start);
}

export function fieldValue(text: string, field: BracketField): string {
  return unescapeText(text.slice(field.from, field.to));
}

/** Whether no character can begin a field, a code span or 🆔. */
function isPlain(text: string, from: number, to: number): boolean {
  for (let i = from; i < to; i += 1) {
    const unit = text.charCodeAt(i);
    if (unit === 0x5b || unit === 0x60 || unit === 0xdd94) return false;
  }
  return true;
}

function bracketFields(masked: string): readonly BracketField[] {
  if (!masked.includes('::')) return NO_FIELDS;
  const closerOf = matchBrackets(masked);
  const fields: BracketField[] = [];
  let behind = 0;
  for (const [start, close] of closerOf) {
    if (start < behind || masked.charAt(start - 1) === '[' || masked.charAt(close + 1) === '(') {
      continue;
    }
    FIELD.lastIndex = start;
    const match = FIELD.exec(masked);
    const key = match?.[1]?.trim();
    if (!match || key === undefined || key === '') continue;
    const from = skipBlanks(masked, start + match[0].length, close);
    const to = trimBlanks(masked, from, close);
    fields.push({ key, start, end: close + 1, from, to });
    behind = close + 1;
  }
  return fields;
}

/** Closing bracket of each opening one that has one, from left to right; escaped ones are neither. */
function matchBrackets(masked: string): ReadonlyMap<number, number> {
  const closerOf = new Map<number, number>();
  const open: number[] = [];
  for (let i = 0; i < masked.length; i += 1) {
    const char = masked.charCodeAt(i);
    if (char === 0x5c) i += 1;
    else if (char === 0x5b) {
      open.push(i);
      closerOf.set(i, -1);
    } else if (char === 0x5d) {
      const start = open.pop();
      if (start !== undefined) closerOf.set(start, i);
    }
  }
  for (const start of open) closerOf.delete(start);
  return closerOf;
}

function piecesBetween(
  text: string,
  from: number,
  to: number,
  fields: readonly BracketField[],
): readonly Span[] {
  const pieces: Span[] = [];
  const add = (start: number, end: number): void => {
    start = skipBlanks(text, start, end);
    end = trimBlanks(text, start, end);
    if (start < end) pieces.push({ start, end });
  };
  let at = from;
  for (const field of fields) {
    add(at, field.start);
    at = field.end;
  }
  add(at, to);
  return pieces;
}

function strayId(masked: string): string | null {
  for (const [, id] of masked.matchAll(STRAY)) {
    if (id !== undefined && BOARD_ID.test(id)) return id;
  }
  return null;
}

function moved(field: BracketField, by: number): BracketField {
  const { key, start, end, from, to } = field;
  return { key, start: start + by, end: end + by, from: from + by, to: to + by };
}
