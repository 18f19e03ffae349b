import { escapeText, unescapeText } from './escape';
import { isBlank, skipBlanks, trimBlanks } from './list-item';

/** A heading of the form `## text`; offsets into the note's text. */
export interface Heading {
  readonly level: number;
  /** as read: without closing `#` and block id, escapes undone */
  readonly text: string;
  /** of the line */
  readonly start: number;
  readonly end: number;
  /** of its text */
  readonly from: number;
  readonly to: number;
}

/** The heading whose `#` stands at `at`, in the line from `start` to `end`, or null. */
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

/** A text as a heading's: `readHeading` reads it back. */
export function escapeHeading(text: string): string {
  return escapeText(text).replace(/(^| )(#+)$/, '$1\\$2');
}
