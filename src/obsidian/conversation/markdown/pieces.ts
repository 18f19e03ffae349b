/**
 * A text that grows, cut where nothing that comes later can change what stands before: finished
 * pieces are drawn once, only the tail is drawn again.
 */
export interface Pieces {
  readonly closed: readonly string[];
  readonly tail: string;
  /** where the tail begins */
  readonly from: number;
}

export const NO_PIECES: Pieces = { closed: [], tail: '', from: 0 };

/** The pieces of a text; those of `before` stay the same strings where the text only grew. */
export function cutPieces(text: string, before: Pieces = NO_PIECES): Pieces {
  const grew = before.from > 0 && text.startsWith(before.closed.join(''));
  const closed = grew ? [...before.closed] : [];
  let from = grew ? before.from : 0;
  let fence: string | undefined;
  let blank = false;
  let at = from;
  while (at < text.length) {
    const end = text.indexOf('\n', at);
    const line = text.slice(at, end < 0 ? undefined : end);
    // A line that starts at the margin goes on with no list item; only then the cut is sure.
    if (blank && fence === undefined && /^[^\s]/.test(line) && at > from) {
      closed.push(text.slice(from, at));
      from = at;
    }
    fence = fenceAfter(line, fence);
    blank = line.trim() === '';
    if (end < 0) break;
    at = end + 1;
  }
  const tail = text.slice(from);
  return { closed, tail, from };
}

/** The fence that is open after a line. */
export function fenceAfter(line: string, open: string | undefined): string | undefined {
  const [, found, rest = ''] = /^\s*(`{3,}|~{3,})(.*)$/.exec(line) ?? [];
  if (found === undefined) return open;
  if (open === undefined) return found.startsWith('`') && rest.includes('`') ? undefined : found;
  const closes = found[0] === open[0] && found.length >= open.length && rest.trim() === '';
  return closes ? undefined : open;
}
