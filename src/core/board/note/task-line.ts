import { codeSpans, maskCode, type Span } from './code-spans';
import {
  blockIdEnd,
  dataviewFields,
  FIRST_EMOJI_UNIT,
  isDataview,
  isDataviewField,
  isFieldValue,
  opensParenField,
  readParenField,
  tailKind,
  type BracketField,
  type TailField,
  type TailKind,
} from './field-syntax';
import { unescapeText } from './escape';
import { isBlank, skipBlanks, trimBlanks } from './lines';
import { BOARD_ID } from './ids';

/** The parts of a task line after its checkbox; offsets into the note's text. */
export interface TaskLine {
  /** where the text after the checkbox begins; where the head (title and bracket fields) ends */
  readonly from: number;
  readonly headEnd: number;
  readonly tail: Tail;
  readonly title: string;
  /** the parts of the title: those before the tail, and tags in the tail; from left to right */
  readonly pieces: readonly Span[];
  readonly fields: readonly BracketField[];
  /** those of `fields` that are Dataview spellings of tail fields */
  readonly dataview: readonly TailField[];
  /** an id with text behind it, which makes the line ambiguous: no program edits it then */
  readonly stray: string | null;
}

/** @param after offset after the `]` of the checkbox */
export function readTaskLine(text: string, after: number, lineEnd: number): TaskLine {
  const from = skipBlanks(text, after, lineEnd);
  const special = firstSpecial(text, from, lineEnd);
  const tail = readTail(text, from, special, lineEnd);
  const headEnd = trimBlanks(text, from, tail.start);
  const head = readHead(text, from, special, headEnd);
  let { pieces, fields } = head;
  for (let i = tail.extras.length - 1; i >= 0; i -= 1) {
    const extra = tail.extras[i] as Span;
    const field = isDataview(text, extra) && readBracketField(text, extra);
    if (field) fields = [...fields, field];
    else pieces = [...pieces, extra];
  }
  const dataview = dataviewFields(text, fields);
  const title = titleOf(text, pieces);
  return { from, headEnd, tail, title, pieces, fields, dataview, stray: head.stray };
}

/**
 * Fields of these kinds in either dialect, the effective one first: emoji from right to left, then
 * brackets from left to right.
 */
export function fieldsOf(line: TaskLine, ...kinds: readonly TailKind[]): readonly TailField[] {
  return [...line.tail.fields, ...line.dataview].filter(({ kind }) => kinds.includes(kind));
}

function titleOf(text: string, pieces: readonly Span[]): string {
  if (pieces.length === 1) {
    const { start, end } = pieces[0] as Span;
    return unescapeText(text.slice(start, end));
  }
  return pieces.map(({ start, end }) => unescapeText(text.slice(start, end))).join(' ');
}

/** The end of a task line: emoji fields, block id, and the tags and bracket fields among them. */
interface Tail {
  /** offset where it begins; the end of the line (without trailing blanks) if there is none */
  readonly start: number;
  /** from right to left */
  readonly fields: readonly TailField[];
  readonly blockId: Span | null;
  /** tags and bracket fields after `start`, from right to left */
  readonly extras: readonly Span[];
  /** offset after the last non-blank character */
  readonly end: number;
}

const NONE: readonly Span[] = [];

const VARIATION = 0xfe0f;

/**
 * Reads the tail of a line backwards from its end, until a part does not belong to a tail.
 * @param special offset of the first character that can begin a field (`firstSpecial`)
 */
function readTail(text: string, from: number, special: number, lineEnd: number): Tail {
  const end = trimBlanks(text, from, lineEnd);
  const fields: TailField[] = [];
  let extras: Span[] | null = null;
  let blockId: Span | null = null;
  let hasId = false;
  let start = end;
  let at = end;
  while (at > from) {
    const part = partBefore(text, from, special, at);
    if (part === null) break;
    if (part.kind === 'extra') (extras ??= []).push(part);
    else if (part.kind === 'blockId') {
      if (blockId || fields.length > 0) break;
      blockId = part;
      start = part.start;
    } else {
      if (part.kind === 'id' && hasId) break;
      hasId ||= part.kind === 'id';
      fields.push(part);
      start = part.start;
    }
    at = trimBlanks(text, from, part.start);
  }
  return { start, fields, blockId, extras: extras?.filter((x) => x.start >= start) ?? NONE, end };
}

/** Offset of the first character that can begin a field, a code span or 🆔; `end` for none. */
function firstSpecial(text: string, from: number, end: number): number {
  for (let at = from; at < end; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit >= FIRST_EMOJI_UNIT || unit === 0x5b || unit === 0x60) return at;
    if (unit === 0x28 && opensParenField(text, at, end)) return at;
  }
  return end;
}

type Part = TailField | (Span & { readonly kind: 'extra' }) | (Span & { readonly kind: 'blockId' });

/**
 * The part of a tail that ends at `end`: a tag, a block id, a bracket field; else the nearest field
 * emoji to the left, if all in between is its value. Null if the text there is not part of a tail.
 */
function partBefore(text: string, from: number, special: number, end: number): Part | null {
  const last = text.charCodeAt(end - 1);
  if (last === 0x5d) return bracketField(text, from, end);
  const field = last === 0x29 ? parenField(text, from, end) : null;
  if (field) return field;
  let oneWord = true;
  for (let at = end - 1; at >= from; at -= 1) {
    const unit = text.charCodeAt(at);
    if (unit < FIRST_EMOJI_UNIT) {
      if (oneWord && (unit === 0x23 || unit === 0x5e)) {
        const first = at === from || isBlank(text.charCodeAt(at - 1));
        if (first && unit === 0x23 && isTag(text, at, end))
          return { kind: 'extra', start: at, end };
        if (first && unit === 0x5e && isBlockId(text, at, end)) {
          return { kind: 'blockId', start: at, end };
        }
      }
      if (isBlank(unit)) {
        if (at < special) return null;
        oneWord = false;
      }
      // No value contains `[`, `\\`, `]` or a backtick.
      if (unit >= 0x5b && unit <= 0x60 && unit !== 0x5e && unit !== 0x5f) return null;
      continue;
    }
    if (unit === VARIATION) continue;
    const start = (unit & 0xfc00) === 0xdc00 && at > from ? at - 1 : at;
    const kind = tailKind(text.codePointAt(start) as number);
    if (kind === undefined) continue;
    const behind = at + 1 < end && text.charCodeAt(at + 1) === VARIATION ? at + 2 : at + 1;
    const value = skipBlanks(text, behind, end);
    return isFieldValue(kind, text, value, end) ? { kind, start, end, from: value, to: end } : null;
  }
  return null;
}

/** A Dataview field `(key:: value)` that ends at `end`; other text in parentheses is plain text. */
function parenField(text: string, from: number, end: number): Part | null {
  let start = end - 2;
  while (start > from && text.charCodeAt(start) !== 0x28 && text.charCodeAt(start) !== 0x29) {
    start -= 1;
  }
  if (start > from && !isBlank(text.charCodeAt(start - 1))) return null;
  return readParenField(text, start, end) ? { kind: 'extra', start, end } : null;
}

function isBlockId(text: string, start: number, end: number): boolean {
  return end - start >= 2 && blockIdEnd(text, start + 1, end) === end;
}

/** Whether the text is a tag: `#` and characters that begin nothing else, at least one. */
function isTag(text: string, start: number, end: number): boolean {
  if (end - start < 2) return false;
  for (let i = start + 1; i < end; i += 1) {
    if ('#`[]()\\^'.includes(text.charAt(i))) return false;
    if (isFieldUnit(text, i)) return false;
  }
  return true;
}

function isFieldUnit(text: string, at: number): boolean {
  if (text.charCodeAt(at) < FIRST_EMOJI_UNIT) return false;
  return tailKind(text.codePointAt(at) as number) !== undefined;
}

/** A field `[key:: value]` that ends at `end`, without brackets inside. */
function bracketField(text: string, from: number, end: number): Part | null {
  let start = end - 2;
  while (start >= from && text.charCodeAt(start) !== 0x5b && text.charCodeAt(start) !== 0x5d) {
    start -= 1;
  }
  if (start < from || text.charCodeAt(start) !== 0x5b) return null;
  const opened = start === from || isBlank(text.charCodeAt(start - 1));
  if (!opened || !/^\[[^[\]():\\`]+::[^\\`]*\]$/.test(text.slice(start, end))) return null;
  return { kind: 'extra', start, end };
}

const NO_BRACKETS: readonly BracketField[] = [];

const FIELD = /\[([^[\]():\\`]+)::/y;

const STRAY = /\u{1F194}\uFE0F?[ \t]*([A-Za-z0-9_-]+)/gu;

/**
 * Reads the head from `from` to `to`, which neither begins nor ends with a blank.
 * @param special offset of the first character that can begin a field, a code span or 🆔
 */
function readHead(
  text: string,
  from: number,
  special: number,
  to: number,
): Pick<TaskLine, 'pieces' | 'fields' | 'stray'> {
  if (special >= to || from >= to) {
    const pieces = from >= to ? [] : [{ start: from, end: to }];
    return { pieces, fields: NO_BRACKETS, stray: null };
  }
  const head = text.slice(from, to);
  const masked = head.includes('`') ? maskCode(head, codeSpans(head, true)) : head;
  const fields = inlineFields(masked).map((field) => shifted(field, from));
  return { pieces: piecesBetween(text, from, to, fields), fields, stray: strayId(masked) };
}

/** Reads a bracket field found in the tail. */
function readBracketField(text: string, { start, end }: Span): BracketField | undefined {
  const field = inlineFields(text.slice(start, end))[0];
  return field && shifted(field, start);
}

export function fieldValue(text: string, field: BracketField): string {
  return unescapeText(text.slice(field.from, field.to));
}

/** Bracket and parenthesis fields, from left to right. */
function inlineFields(masked: string): readonly BracketField[] {
  if (!masked.includes('::')) return NO_BRACKETS;
  const fields = bracketFields(masked);
  if (!masked.includes('(')) return fields;
  return [...fields, ...parenFields(masked, fields)].sort((a, b) => a.start - b.start);
}

/**
 * Parenthesis fields outside of bracket fields. A link's target (`](…)`) and an escaped parenthesis
 * are text.
 */
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

/** Opening brackets from left to right, each with its closing one; escaped brackets are skipped. */
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
    // The Tasks plugin allows a comma after each of its Dataview fields.
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

function shifted(field: BracketField, by: number): BracketField {
  const { key, start, end, from, to } = field;
  return { key, start: start + by, end: end + by, from: from + by, to: to + by };
}
