import { byteLength, MOST_BYTES, MOST_LINES } from '../../board/answer/text-budget';
import type { LineRange } from './note-part';

/** Lines of a note as they are told: as many as an answer takes. */
export interface CutLines {
  /** the note's own characters, line ends included */
  readonly text: string;
  /** the last line that is in it; one less than the first for none */
  readonly to: number;
  /** characters of that line that had no room */
  readonly left: number;
}

/**
 * The first lines of a range that fit; of a first line that alone is too long, its beginning.
 * @param starts offset of each line of the note
 */
export function cutLines(
  text: string,
  starts: readonly number[],
  { from, to }: LineRange,
  room: { readonly lines: number; readonly bytes: number } = {
    lines: MOST_LINES,
    bytes: MOST_BYTES,
  },
): CutLines {
  const startOf = (line: number): number => starts[line - 1] ?? text.length;
  let bytes = 0;
  let last = from - 1;
  while (last < to && last - from + 1 < room.lines) {
    const next = startOf(last + 2) - startOf(last + 1);
    // A character takes a byte or more; what can't fit need not be counted.
    if (bytes + next > room.bytes) break;
    bytes += byteLength(text.slice(startOf(last + 1), startOf(last + 2)));
    if (bytes > room.bytes) break;
    last += 1;
  }
  if (last >= from || last >= to) {
    return { text: text.slice(startOf(from), startOf(last + 1)), to: last, left: 0 };
  }
  const line = text.slice(startOf(from), startOf(from + 1));
  const head = beginning(line, room.bytes);
  return { text: head, to: from, left: line.length - head.length };
}

/** As many whole characters as fit. */
function beginning(text: string, bytes: number): string {
  let head = text.slice(0, bytes);
  while (byteLength(head) > bytes)
    head = head.slice(0, Math.floor((head.length * bytes) / byteLength(head)));
  return head.replace(/[\ud800-\udbff]$/, '');
}
