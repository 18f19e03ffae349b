import { sequenceDiff } from '../../core/board/merge/sequence-diff';
import { editorText } from '../../core/board/merge/text-lines';
import type { DiffLine } from './diff-lines';

/** Lines around a change that are shown with it. */
const AROUND = 2;

/** What a text has that another has not, by lines, each change with the lines around it. */
export function textDiff(before: string, after: string): readonly DiffLine[] {
  const [was, is] = [editorText(before).split('\n'), editorText(after).split('\n')];
  const lines: DiffLine[] = [];
  let shown = 0;
  const same = (from: number, to: number): void => {
    for (const text of was.slice(from, to)) lines.push({ kind: 'same', text });
  };
  const hunks = sequenceDiff(was, is);
  hunks.forEach(({ before: at, beforeLength, after: to, afterLength }, index) => {
    const from = Math.max(shown, at - AROUND);
    if (from > shown || index === 0) {
      lines.push({ kind: 'place', text: `Line ${from + 1}` });
    }
    same(from, at);
    shown = at + beforeLength;
    for (const text of was.slice(at, shown)) lines.push({ kind: 'removed', text });
    for (const text of is.slice(to, to + afterLength)) lines.push({ kind: 'added', text });
    const end = Math.min(shown + AROUND, hunks[index + 1]?.before ?? was.length);
    same(shown, end);
    shown = end;
  });
  return lines;
}
