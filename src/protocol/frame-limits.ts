/** Limits that are checked without parsing, so that a hostile frame costs little. */

export const MAX_FRAME_BYTES = 1024 * 1024;
export const MAX_DEPTH = 64;

/** UTF-8 bytes of a text. A lone surrogate counts 3, since it is sent as U+FFFD. */
export function utf8Length(text: string): number {
  let bytes = text.length;
  // Printable ASCII, as in most frames, needs no counting.
  if (!/[^ -~]/.test(text)) return bytes;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit < 0x80) continue;
    if (unit < 0x800) bytes += 1;
    else if (isHigh(unit) && isLow(text.charCodeAt(i + 1))) {
      bytes += 2; // 4 bytes for 2 units
      i++;
    } else bytes += 2;
  }
  return bytes;
}

export function fitsFrame(text: string): boolean {
  if (text.length > MAX_FRAME_BYTES) return false;
  // A unit takes at most 3 bytes, so most frames need no counting.
  return text.length * 3 <= MAX_FRAME_BYTES || utf8Length(text) <= MAX_FRAME_BYTES;
}

/**
 * Whether arrays and objects are nested deeper than `most`. Correct for JSON, safe for other text.
 */
export function tooDeep(text: string, most = MAX_DEPTH): boolean {
  if (!hasManyBrackets(text, most)) return false;
  let depth = 0;
  let inString = false;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (inString) {
      if (unit === BACKSLASH) i++;
      else if (unit === QUOTE) inString = false;
    } else if (unit === QUOTE) inString = true;
    else if (unit === BRACE || unit === BRACKET) {
      if (++depth > most) return true;
    } else if (unit === BRACE_END || unit === BRACKET_END) depth--;
  }
  return false;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const BRACKET = 0x5b;
const BRACKET_END = 0x5d;
const BRACE = 0x7b;
const BRACE_END = 0x7d;

/**
 * With at most `most` opening brackets, nothing can be nested deeper. `indexOf` is the fastest way
 * to count them.
 */
function hasManyBrackets(text: string, most: number): boolean {
  let found = 0;
  for (const bracket of ['{', '[']) {
    let at = text.indexOf(bracket);
    while (at !== -1) {
      if (++found > most) return true;
      at = text.indexOf(bracket, at + 1);
    }
  }
  return false;
}

function isHigh(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

function isLow(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}
