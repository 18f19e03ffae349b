/**
 * Iterates over the lines of a text without copying them. CR, LF and CRLF each end a line, also
 * mixed; the text after the last of them is a line unless it is empty. Linear in the text, whatever
 * its line ends.
 */
export class LineScanner {
  /** offset of the line */
  start = 0;
  /** offset of its line end */
  end = 0;
  /** offset of the line after it */
  next: number;
  /** offsets of the nearest LF and CR at or after `start` */
  private lf = -1;
  private cr = -1;

  /** @param number 1-based number of the line before the one at `from` */
  constructor(
    readonly text: string,
    from: number,
    public number: number,
  ) {
    this.next = from;
  }

  /** Moves to the next line. @returns false after the last */
  advance(): boolean {
    const { text } = this;
    if (this.next >= text.length) return false;
    this.start = this.next;
    this.number += 1;
    if (this.lf < this.start) this.lf = indexOrEnd(text.indexOf('\n', this.start), text);
    if (this.cr < this.start) this.cr = indexOrEnd(text.indexOf('\r', this.start), text);
    this.end = this.cr < this.lf ? this.cr : this.lf;
    const pair = this.cr < this.lf && this.cr + 1 === this.lf;
    this.next = Math.min(pair ? this.lf + 1 : this.end + 1, text.length);
    return true;
  }
}

function indexOrEnd(at: number, text: string): number {
  return at < 0 ? text.length : at;
}

const SPACE = 0x20;

const TAB = 0x09;

/** Column after a character. A tab extends to the next multiple of four, as in CommonMark. */
export function columnAfter(column: number, charCode: number): number {
  return charCode === TAB ? column + 4 - (column % 4) : column + 1;
}

/** Offset of the first character at or after `at` that is neither space nor tab, at most `end`. */
export function skipBlanks(text: string, at: number, end: number): number {
  while (at < end && isBlank(text.charCodeAt(at))) at += 1;
  return at;
}

/** Offset after the last character before `end` that is neither space nor tab, at least `from`. */
export function trimBlanks(text: string, from: number, end: number): number {
  while (end > from && isBlank(text.charCodeAt(end - 1))) end -= 1;
  return end;
}

export function isBlank(charCode: number): boolean {
  return charCode === SPACE || charCode === TAB;
}

/**
 * Offset after a list marker (`-`, `*`, `+`, `1.`, `1)`) at `at`, or -1. A blank or the end of the
 * line must follow it.
 */
export function markerEnd(text: string, at: number, end: number): number {
  const first = text.charCodeAt(at);
  let after = at + 1;
  if (first !== 0x2d && first !== 0x2a && first !== 0x2b) {
    after = at;
    while (after < end && after < at + 9 && isDigit(text.charCodeAt(after))) after += 1;
    const closer = text.charCodeAt(after);
    if (after === at || after >= end || (closer !== 0x2e && closer !== 0x29)) return -1;
    after += 1;
  }
  return after >= end || isBlank(text.charCodeAt(after)) ? after : -1;
}

/**
 * Offset of the `]` of a checkbox (`[x]`, with any one character) at `at`, or -1. A blank or the
 * end of the line must follow it.
 */
export function markClose(text: string, at: number, end: number): number {
  if (text.charCodeAt(at) !== 0x5b) return -1;
  const pair = (text.charCodeAt(at + 1) & 0xfc00) === 0xd800;
  const close = at + (pair ? 3 : 2);
  if (close >= end || text.charCodeAt(close) !== 0x5d) return -1;
  return close + 1 === end || isBlank(text.charCodeAt(close + 1)) ? close : -1;
}

function isDigit(charCode: number): boolean {
  return charCode >= 0x30 && charCode <= 0x39;
}
