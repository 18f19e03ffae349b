import type { Span } from './code-spans';
import { opensParenField, readParenField } from './dataview';
import { FIRST_EMOJI_UNIT, tailKind, type TailKind } from './field-emoji';
import { blockIdEnd, isFieldValue } from './field-value';
import { isBlank, skipBlanks, trimBlanks } from './list-item';

/** An emoji and its value; offsets into the note's text. */
export interface TailField extends Span {
  readonly kind: TailKind;
  /** of the value */
  readonly from: number;
  readonly to: number;
}

/** The end of a task line: fields that begin with an emoji, block id, and what stands among them. */
export interface Tail {
  /** offset where it begins; the line's end (less trailing blanks) if there is none */
  readonly start: number;
  /** from right to left */
  readonly fields: readonly TailField[];
  readonly blockId: Span | null;
  /** tags and bracket fields behind `start`, from right to left */
  readonly extras: readonly Span[];
  /** offset behind the last character that is no blank */
  readonly end: number;
}

const NONE: readonly Span[] = [];
const VARIATION = 0xfe0f;

/**
 * Reads the tail of a line from its end, as far to the left as all is tail.
 * @param special offset of the first character that can begin a field (`firstSpecial`)
 */
export function readTail(text: string, from: number, special: number, lineEnd: number): Tail {
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
export function firstSpecial(text: string, from: number, end: number): number {
  for (let at = from; at < end; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit >= FIRST_EMOJI_UNIT || unit === 0x5b || unit === 0x60) return at;
    if (unit === 0x28 && opensParenField(text, at, end)) return at;
  }
  return end;
}

interface Extra extends Span {
  readonly kind: 'extra';
}

interface BlockId extends Span {
  readonly kind: 'blockId';
}

type Part = TailField | Extra | BlockId;

/**
 * The part of a tail that ends at `end`: a tag, a block id, a bracket field; else the nearest field emoji
 * to the left, if all between is its value. Null where that is no part of a tail.
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
      // `[`, `\\`, `]` and a backtick stand in no value.
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

/** `(key:: value)` of the Dataview dialect that ends at `end`; any other text in parentheses is text. */
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

/** `#` and at least one character that may stand in a tag; none of those that begin something else. */
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

/** `[key:: value]` that ends at `end`; without brackets inside. */
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
