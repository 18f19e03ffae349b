import { trimBlanks } from './list-item';

/** A fence or a comment that runs over several lines; what stands inside is no task and no heading. */
export interface OpenBlock {
  readonly kind: 'fence' | 'html' | 'comment';
  /** offset of the line that opens it */
  readonly start: number;
  /** a line further left than this ends it unclosed: the list item that holds it has ended */
  readonly column: number;
  /** of a fence: the character and how many of them */
  readonly fence: number;
  readonly length: number;
  /** end of its last line so far */
  end: number;
}

const BACKTICK = 0x60;
const TILDE = 0x7e;

/**
 * The block that the line from `at` to `end` opens and doesn't close, or null.
 * @param line offset of the line's start
 * @param column of `at`
 * @param container content column of the list item that holds it, 0 for none
 */
export function opensBlock(
  text: string,
  line: number,
  at: number,
  end: number,
  column: number,
  container: number,
): OpenBlock | null {
  const first = text.charCodeAt(at);
  if (first === 0x25) {
    if (!togglesComment(text, at, end)) return null;
    return { kind: 'comment', start: line, column: 0, fence: 0, length: 0, end };
  }
  if (column - container >= 4) return null;
  if (first === 0x3c) {
    if (!text.startsWith('<!--', at) || text.slice(at + 4, end).includes('-->')) return null;
    return { kind: 'html', start: line, column: container, fence: 0, length: 0, end };
  }
  if (first !== BACKTICK && first !== TILDE) return null;
  const length = runLength(text, at, end);
  if (length < 3) return null;
  if (first === BACKTICK && text.slice(at + length, end).includes('`')) return null;
  return { kind: 'fence', start: line, column: container, fence: first, length, end };
}

/** Whether the line from `at` (first non-blank) to `end` closes the block. */
export function closesBlock(
  open: OpenBlock,
  text: string,
  at: number,
  end: number,
  column: number,
): boolean {
  if (open.kind === 'html') return text.slice(at, end).includes('-->');
  if (open.kind === 'comment') return count(text.slice(at, end), '%%') % 2 === 1;
  if (column - open.column >= 4 || text.charCodeAt(at) !== open.fence) return false;
  const length = runLength(text, at, end);
  return length >= open.length && trimBlanks(text, at + length, end) === at + length;
}

function togglesComment(text: string, at: number, end: number): boolean {
  if (text.charCodeAt(at + 1) !== 0x25) return false;
  return count(text.slice(at, end), '%%') % 2 === 1;
}

function runLength(text: string, at: number, end: number): number {
  const char = text.charCodeAt(at);
  let after = at;
  while (after < end && text.charCodeAt(after) === char) after += 1;
  return after - at;
}

function count(line: string, part: string): number {
  return line.split(part).length - 1;
}
