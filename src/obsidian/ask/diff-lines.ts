import type { PermissionRequest } from '../../protocol/requests';
import { markedWords, type Marks } from './marked-words';

/**
 * One line of a change, with its number before or after it, from 1. `place` stands where lines are
 * left out, and names those that follow.
 */
export type DiffLine =
  | { readonly kind: 'place'; readonly text: string }
  | {
      readonly kind: 'same';
      readonly text: string;
      readonly before: number;
      readonly after: number;
    }
  | {
      readonly kind: 'removed';
      readonly text: string;
      readonly before: number;
      readonly marks: Marks;
      /** how it ends where that is not as in the rest of the note */
      readonly end?: string;
    }
  | {
      readonly kind: 'added';
      readonly text: string;
      readonly after: number;
      readonly marks: Marks;
      readonly end?: string;
    };

const NO_LINES: readonly DiffLine[] = [];
const read = new WeakMap<PermissionRequest, readonly DiffLine[]>();

/** What an edit would change, where OpenCode sent a unified diff with its request; else nothing. */
export function diffLines(request: PermissionRequest): readonly DiffLine[] {
  const { diff } = request.metadata;
  if (typeof diff !== 'string') return NO_LINES;
  let lines = read.get(request);
  if (lines === undefined) {
    const start = diff.search(/^@@/m);
    lines = start < 0 ? NO_LINES : withMarks(readDiff(diff.slice(start).split(/\r?\n/)));
    read.set(request, lines);
  }
  return lines;
}

function readDiff(diff: readonly string[]): readonly DiffLine[] {
  const lines: DiffLine[] = [];
  let [before, after] = [1, 1];
  for (const line of diff) {
    const place = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,(\d+))? @@/.exec(line);
    const text = line.slice(1);
    if (place !== null) {
      [before, after] = [Number(place[1]), Number(place[2])];
      lines.push({ kind: 'place', text: placeWords(after, Number(place[3] ?? '1')) });
    } else if (line.startsWith('+')) {
      lines.push({ kind: 'added', text, after: after++, marks: [] });
    } else if (line.startsWith('-')) {
      lines.push({ kind: 'removed', text, before: before++, marks: [] });
    } else if (line.startsWith(' ')) {
      lines.push({ kind: 'same', text, before: before++, after: after++ });
    }
  }
  return lines;
}

/** "Lines 10 to 20 of 64", as they will be numbered. */
export function placeWords(first: number, count: number, all?: number): string {
  const of = all === undefined ? '' : ` of ${all.toLocaleString('en')}`;
  const last = first + count - 1;
  return last > first ? `Lines ${first} to ${last}${of}` : `Line ${first}${of}`;
}

/** The words that differ are marked, run by run of lines that were taken out and put in. */
export function withMarks(lines: readonly DiffLine[]): readonly DiffLine[] {
  const marked: DiffLine[] = [];
  for (let at = 0; at < lines.length;) {
    const removed = runOf(lines, at, 'removed');
    const added = runOf(lines, at + removed.length, 'added');
    if (removed.length === 0 && added.length === 0) {
      marked.push(lines[at] as DiffLine);
      at += 1;
      continue;
    }
    const marks = markedWords(
      removed.map(({ text }) => text),
      added.map(({ text }) => text),
    );
    removed.forEach((line, index) => marked.push({ ...line, marks: marks.removed[index] ?? [] }));
    added.forEach((line, index) => marked.push({ ...line, marks: marks.added[index] ?? [] }));
    at += removed.length + added.length;
  }
  return marked;
}

function runOf<K extends 'removed' | 'added'>(
  lines: readonly DiffLine[],
  from: number,
  kind: K,
): readonly Extract<DiffLine, { kind: K }>[] {
  const run: Extract<DiffLine, { kind: K }>[] = [];
  for (let at = from; lines[at]?.kind === kind; at += 1) {
    run.push(lines[at] as Extract<DiffLine, { kind: K }>);
  }
  return run;
}
