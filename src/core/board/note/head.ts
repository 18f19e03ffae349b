import { codeSpans, maskCode, type Span } from './code-spans';
import { isDataviewField, readParenField } from './dataview';
import { unescapeText } from './escape';
import { BOARD_ID } from './ids';
import { trimBlanks, skipBlanks } from './list-item';

/** `[key:: value]`, or `(key:: value)` in the Dataview dialect; offsets into the note's text. */
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

/**
 * Reads the text from `from` to `to`, which begins and ends with no blank.
 * @param special offset of the first character that can begin a field, a code span or 🆔
 */
export function readHead(text: string, from: number, special: number, to: number): Head {
  if (from >= to) return { pieces: [], fields: NO_FIELDS, stray: null };
  if (special >= to) {
    return { pieces: [{ start: from, end: to }], fields: NO_FIELDS, stray: null };
  }
  const head = text.slice(from, to);
  const masked = head.includes('`') ? maskCode(head, codeSpans(head, true)) : head;
  const fields = inlineFields(masked).map((field) => moved(field, from));
  return { pieces: piecesBetween(text, from, to, fields), fields, stray: strayId(masked) };
}

/** A bracket field by its span, as the tail may hold one. */
export function readBracketField(text: string, { start, end }: Span): BracketField | undefined {
  const field = inlineFields(text.slice(start, end))[0];
  return field && moved(field, start);
}

export function fieldValue(text: string, field: BracketField): string {
  return unescapeText(text.slice(field.from, field.to));
}

/** From left to right. */
function inlineFields(masked: string): readonly BracketField[] {
  if (!masked.includes('::')) return NO_FIELDS;
  const fields = bracketFields(masked);
  if (!masked.includes('(')) return fields;
  return [...fields, ...parenFields(masked, fields)].sort((a, b) => a.start - b.start);
}

/** Those that stand in no bracket field. A link's target (`](…)`) and an escaped parenthesis are text. */
function parenFields(masked: string, fields: readonly BracketField[]): readonly BracketField[] {
  const found: BracketField[] = [];
  let next = 0;
  for (let at = 0; at < masked.length; at += 1) {
    const char = masked.charCodeAt(at);
    if (char === 0x5c) at += 1;
    if (char !== 0x28 || masked.charCodeAt(at - 1) === 0x5d) continue;
    while ((fields[next]?.end ?? Infinity) <= at) next += 1;
    const inside = (fields[next]?.start ?? Infinity) < at;
    const field = inside ? undefined : readParenField(masked, at, masked.length);
    if (field) found.push(field);
  }
  return found;
}

function bracketFields(masked: string): readonly BracketField[] {
  const fields: BracketField[] = [];
  let behind = 0;
  for (const { start, close } of bracketPairs(masked)) {
    if (close < 0 || start < behind) continue;
    if (masked.charAt(start - 1) === '[' || masked.charAt(close + 1) === '(') continue;
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

interface Pair {
  readonly start: number;
  /** -1 for none */
  close: number;
}

/** Opening brackets from left to right, each with the one that closes it; escaped ones are neither. */
function bracketPairs(masked: string): readonly Pair[] {
  const pairs: Pair[] = [];
  const open: Pair[] = [];
  for (let i = 0; i < masked.length; i += 1) {
    const char = masked.charCodeAt(i);
    if (char === 0x5c) i += 1;
    else if (char === 0x5b) {
      const pair = { start: i, close: -1 };
      pairs.push(pair);
      open.push(pair);
    } else if (char === 0x5d) {
      const pair = open.pop();
      if (pair) pair.close = i;
    }
  }
  return pairs;
}

function piecesBetween(
  text: string,
  from: number,
  to: number,
  fields: readonly BracketField[],
): readonly Span[] {
  const pieces: Span[] = [];
  const add = (start: number, end: number, before?: BracketField): void => {
    start = skipBlanks(text, start, end);
    end = trimBlanks(text, start, end);
    // Tasks allows a comma behind each of its fields in the Dataview dialect.
    const comma = end === start + 1 && text.charCodeAt(start) === 0x2c;
    const separates = comma && before && isDataviewField(text, before);
    if (start < end && !separates) pieces.push({ start, end });
  };
  let at = from;
  let before: BracketField | undefined;
  for (const field of fields) {
    add(at, field.start, before);
    at = field.end;
    before = field;
  }
  add(at, to, before);
  return pieces;
}

function strayId(masked: string): string | null {
  if (!masked.includes('🆔')) return null;
  for (const [, id] of masked.matchAll(STRAY)) {
    if (id !== undefined && BOARD_ID.test(id)) return id;
  }
  return null;
}

function moved(field: BracketField, by: number): BracketField {
  const { key, start, end, from, to } = field;
  return { key, start: start + by, end: end + by, from: from + by, to: to + by };
}
