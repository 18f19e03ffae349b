import { sequenceDiff, type Hunk } from '../../core/board/merge/sequence-diff';
import { textLines, type TextLine } from '../../core/board/merge/text-lines';
import { placeWords, withMarks, type DiffLine } from './diff-lines';

/** Lines around a change that are shown with it. */
const AROUND = 2;

/**
 * What a text has that another has not, by lines, each change with the lines around it. A line that
 * ends otherwise is another line.
 */
export function textDiff(before: string, after: string): readonly DiffLine[] {
  const sides: Sides = { was: linesOf(before), is: linesOf(after), usual: lineEnd(before, after) };
  const hunks = sequenceDiff(sides.was.map(whole), sides.is.map(whole));
  return withMarks(groups(hunks).flatMap((group) => groupLines(group, sides)));
}

interface Sides {
  readonly was: readonly TextLine[];
  readonly is: readonly TextLine[];
  /** how lines end, which is not told */
  readonly usual: string;
}

function linesOf(text: string): readonly TextLine[] {
  return textLines(text).filter((line) => whole(line) !== '');
}

function whole({ text, end }: TextLine): string {
  return text + end;
}

/** Of the first line that ends. */
function lineEnd(...texts: readonly string[]): string {
  return /\r\n|\r|\n/.exec(texts.join(''))?.[0] ?? '\n';
}

/** Changes whose surroundings touch stand together. */
function groups(hunks: readonly Hunk[]): readonly (readonly Hunk[])[] {
  const all: Hunk[][] = [];
  let end = 0;
  for (const hunk of hunks) {
    const last = all.at(-1);
    if (last !== undefined && hunk.before - end <= 2 * AROUND) last.push(hunk);
    else all.push([hunk]);
    end = hunk.before + hunk.beforeLength;
  }
  return all;
}

function groupLines(hunks: readonly Hunk[], { was, is, usual }: Sides): readonly DiffLine[] {
  const [first, last] = [hunks[0], hunks.at(-1)];
  if (first === undefined || last === undefined) return [];
  const above = Math.min(AROUND, first.before);
  const end = Math.min(last.before + last.beforeLength + AROUND, was.length);
  const stop = end + last.after + last.afterLength - last.before - last.beforeLength;
  const start = first.after - above;
  const place = placeWords(Math.min(start + 1, is.length), stop - start, is.length);
  const lines: DiffLine[] = [{ kind: 'place', text: place }];
  let [at, to] = [first.before - above, start];
  const same = (until: number): void => {
    for (; at < until; at += 1, to += 1) {
      lines.push({ kind: 'same', text: was[at]?.text ?? '', before: at + 1, after: to + 1 });
    }
  };
  for (const hunk of hunks) {
    same(hunk.before);
    for (; at < hunk.before + hunk.beforeLength; at += 1) {
      lines.push({ kind: 'removed', ...changed(was[at], usual), before: at + 1 });
    }
    for (; to < hunk.after + hunk.afterLength; to += 1) {
      lines.push({ kind: 'added', ...changed(is[to], usual), after: to + 1 });
    }
  }
  same(end);
  return lines;
}

function changed(line: TextLine | undefined, usual: string) {
  const { text, end } = line ?? { text: '', end: usual };
  return { text, marks: [], ...(end !== usual && { end: END_WORDS.get(end) ?? '' }) };
}

const END_WORDS: ReadonlyMap<string, string> = new Map([
  ['\r\n', 'ends with CR LF'],
  ['\r', 'ends with CR'],
  ['\n', 'ends with LF'],
  ['', 'no line end'],
]);
