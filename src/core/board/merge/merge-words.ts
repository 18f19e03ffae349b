import { sequenceDiff, type Hunk } from './sequence-diff';

/** What became of a line that two sides changed. */
export interface MergedLine {
  readonly text: string;
  /** both changed the same, each in its own way: `text` has it from the preferred side */
  readonly clash: boolean;
}

export type Side = 'mine' | 'theirs';

interface Change extends Hunk {
  readonly side: Side;
}

/** Merges two versions of a line of prose word by word; changes that touch each other clash. */
export function mergeWords(base: string, mine: string, theirs: string, prefer: Side): MergedLine {
  if (mine === theirs || theirs === base) return { text: mine, clash: false };
  if (mine === base) return { text: theirs, clash: false };
  const [before, own, other] = [words(base), words(mine), words(theirs)];
  const changes: Change[] = [
    ...sequenceDiff(before, own).map((hunk): Change => ({ ...hunk, side: 'mine' })),
    ...sequenceDiff(before, other).map((hunk): Change => ({ ...hunk, side: 'theirs' })),
  ].sort((a, b) => a.before - b.before || a.beforeLength - b.beforeLength);
  if (changes.some((change, at) => touches(changes[at - 1], change))) {
    return { text: prefer === 'mine' ? mine : theirs, clash: true };
  }
  let text = '';
  let at = 0;
  for (const { side, ...hunk } of changes) {
    const from = side === 'mine' ? own : other;
    text += before.slice(at, hunk.before).join('');
    text += from.slice(hunk.after, hunk.after + hunk.afterLength).join('');
    at = hunk.before + hunk.beforeLength;
  }
  return { text: text + before.slice(at).join(''), clash: false };
}

/** One side's own changes never touch each other. */
function touches(left: Change | undefined, right: Change): boolean {
  return left !== undefined && right.before <= left.before + left.beforeLength;
}

export function words(line: string): readonly string[] {
  return line.match(/[\p{L}\p{N}_-]+|\s+|[^]/gu) ?? [];
}
