import { codeSpans, maskCode, type Span } from './code-spans';
import { FIRST_EMOJI_UNIT, opensParenField, tailKind } from './field-syntax';
import { isBlank, skipBlanks, trimBlanks } from './lines';

const NO_SPANS: readonly Span[] = [];

const REFERENCE = /&#(?:[xX]([0-9a-fA-F]{1,6})|([0-9]{1,7}));/y;

const FIELD_OPENER = /\[[^[\]():\\`]+::/g;

const BLOCK_ID = /(?:^| )\^[A-Za-z0-9-]+(?= *$| +#)/g;

const NOT_IN_A_TITLE = /[\p{Cc}\p{Surrogate}\u2028\u2029]/u;

/**
 * Escapes a one-line text so that no part of it is syntax: by a backslash or, for emoji of fields,
 * a character reference. Text without syntax and code spans stay as they are. `unescapeText`
 * restores the text.
 */
export function escapeText(given: string): string {
  const spans = given.includes('`') ? codeSpans(given, false) : NO_SPANS;
  const masked = spans.length > 0 ? maskCode(given, spans) : given;
  const openers = openersOf(masked);
  let written = '';
  for (let at = 0; at < masked.length;) {
    const code = masked.codePointAt(at) as number;
    const size = code > 0xffff ? 2 : 1;
    if (code >= FIRST_EMOJI_UNIT && tailKind(code) !== undefined) written += `&#${code};`;
    else if (isEscaped(masked, at) || openers.has(at)) written += `\\${given.charAt(at)}`;
    else written += given.slice(at, at + size);
    at += size;
  }
  return written;
}

/**
 * Escapes a one-line text as the value of a bracket field: nothing in it can end the field or pair
 * with characters outside of it. `unescapeText` restores the text.
 */
export function escapeFieldValue(given: string): string {
  let written = '';
  for (const char of given) {
    const code = char.codePointAt(0) as number;
    if (char === '`' || tailKind(code) !== undefined) written += `&#${code};`;
    else written += /[\\&[\]]/.test(char) ? `\\${char}` : char;
  }
  return written;
}

/**
 * Escapes a one-line text so that nothing in it is syntax of a board or of markdown: no field,
 * link, image, tag or code. For text from untrusted sources. `unescapeText` restores the text.
 */
export function escapeMarkup(given: string): string {
  let written = '';
  for (const char of given) {
    const code = char.codePointAt(0) as number;
    if (code >= FIRST_EMOJI_UNIT && tailKind(code) !== undefined) written += `&#${code};`;
    else written += /[\\`*_{}[\]()<>#!|~=$%^&:]/.test(char) ? `\\${char}` : char;
  }
  return written;
}

/** Whether a text opens a comment (HTML or `%%`) and does not close it. */
export function opensComment(written: string): boolean {
  const masked = maskCode(written, codeSpans(written, true)).replace(/\\[!-/:-@[-`{-~]/g, '  ');
  const open = new Set<number>();
  addUnclosed(open, masked, '<!--', '-->', 1);
  addOddComment(open, masked);
  return open.size > 0;
}

/**
 * Undoes `escapeText`. In text written by a person, undoes backslashes before punctuation and
 * numeric references.
 */
export function unescapeText(written: string): string {
  if (!written.includes('\\') && !written.includes('&#')) return written;
  const spans = written.includes('`') ? codeSpans(written, true) : NO_SPANS;
  let given = '';
  let at = 0;
  for (const span of spans) {
    given += unescapePlain(written, at, span.start) + written.slice(span.start, span.end);
    at = span.end;
  }
  return given + unescapePlain(written, at, written.length);
}

/** Whether the character must always be escaped. `masked` has its code spans masked. */
function isEscaped(masked: string, at: number): boolean {
  const char = masked.charAt(at);
  return char === '\\' || char === '`' || (char === '&' && masked.charAt(at + 1) === '#');
}

/** Offsets of what would open a checkbox, field, block id, or an unclosed link or comment. */
function openersOf(masked: string): ReadonlySet<number> {
  const found = new Set<number>();
  if (/^\[.\](?= |$)/u.test(masked)) found.add(0);
  for (const { index } of masked.matchAll(FIELD_OPENER)) {
    if (masked.charAt(index - 1) !== '[') found.add(index);
  }
  for (let at = masked.indexOf('('); at >= 0; at = masked.indexOf('(', at + 1)) {
    if (masked.charAt(at - 1) !== ']' && opensParenField(masked, at, masked.length)) found.add(at);
  }
  for (const { index } of masked.matchAll(BLOCK_ID)) found.add(masked.indexOf('^', index));
  addUnclosed(found, masked, '[[', ']]', 2);
  addUnclosed(found, masked, '](', ')', 1);
  addUnclosed(found, masked, '<!--', '-->', 1);
  addOddComment(found, masked);
  return found;
}

function addUnclosed(
  found: Set<number>,
  masked: string,
  opener: string,
  closer: string,
  escaped: number,
): void {
  const lastCloser = masked.lastIndexOf(closer);
  for (let at = masked.indexOf(opener); at >= 0; at = masked.indexOf(opener, at + 1)) {
    if (lastCloser >= at + opener.length) continue;
    for (let i = 0; i < escaped; i += 1) found.add(at + i);
  }
}

function addOddComment(found: Set<number>, masked: string): void {
  let last = -1;
  let odd = false;
  for (let at = masked.indexOf('%%'); at >= 0; at = masked.indexOf('%%', at + 2)) {
    last = at;
    odd = !odd;
  }
  if (odd) found.add(last).add(last + 1);
}

function unescapePlain(written: string, from: number, to: number): string {
  let given = '';
  for (let at = from; at < to;) {
    const char = written.charAt(at);
    if (char === '\\' && at + 1 < to && /[!-/:-@[-`{-~]/.test(written.charAt(at + 1))) {
      given += written.charAt(at + 1);
      at += 2;
      continue;
    }
    const reference = char === '&' ? readReference(written, at, to) : undefined;
    given += reference?.char ?? char;
    at += reference?.length ?? 1;
  }
  return given;
}

function readReference(
  written: string,
  at: number,
  to: number,
): { char: string; length: number } | undefined {
  REFERENCE.lastIndex = at;
  const match = REFERENCE.exec(written);
  if (!match || at + match[0].length > to) return undefined;
  const [, hex, decimal] = match;
  const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
  if (code > 0x10ffff) return undefined;
  const char = String.fromCodePoint(code);
  return NOT_IN_A_TITLE.test(char) ? undefined : { char, length: match[0].length };
}

/** A heading of the form `## text`; offsets into the note's text. */
export interface Heading {
  readonly level: number;
  /** without closing `#` and block id, unescaped */
  readonly text: string;
  /** offsets of the line */
  readonly start: number;
  readonly end: number;
  /** offsets of its text */
  readonly from: number;
  readonly to: number;
}

/** The heading whose `#` is at `at`, in the line from `start` to `end`; null if it is none. */
export function readHeading(text: string, start: number, at: number, end: number): Heading | null {
  let after = at;
  while (after < end && text.charCodeAt(after) === 0x23) after += 1;
  const level = after - at;
  if (level > 6 || (after < end && !isBlank(text.charCodeAt(after)))) return null;
  const from = skipBlanks(text, after, end);
  let to = trimBlanks(text, from, end);
  to = trimBlanks(text, from, withoutClosing(text, from, to));
  to = trimBlanks(text, from, withoutBlockId(text, from, to));
  return { level, text: unescapeText(text.slice(from, to)), start, end, from, to };
}

function withoutClosing(text: string, from: number, to: number): number {
  let at = to;
  while (at > from && text.charCodeAt(at - 1) === 0x23) at -= 1;
  return at === from || isBlank(text.charCodeAt(at - 1)) ? at : to;
}

function withoutBlockId(text: string, from: number, to: number): number {
  let at = to;
  while (at > from && !isBlank(text.charCodeAt(at - 1))) at -= 1;
  return at > from && /^\^[A-Za-z0-9-]+$/.test(text.slice(at, to)) ? at : to;
}

/** Escapes the text of a heading; `readHeading` restores it. */
export function escapeHeading(text: string): string {
  return escapeText(text).replace(/(^| )(#+)$/, '$1\\$2');
}
