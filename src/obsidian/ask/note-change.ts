import type { NoteChange } from '../../core/permission/ask';
import type { DiffLine } from './diff-lines';
import { textDiff } from './text-diff';

/** A change as it is shown: computed once, however often it is drawn. */
export interface ChangeView {
  readonly lines: readonly DiffLine[];
  /** "6 lines added, 2 removed · 2.1 kB to 2.3 kB" */
  readonly words: string;
}

const views = new WeakMap<NoteChange, ChangeView>();

export function changeView(change: NoteChange): ChangeView {
  let view = views.get(change);
  if (view === undefined) {
    const lines = textDiff(change.before ?? '', change.after);
    view = { lines, words: `${countWords(lines) ?? 'No line changes'} · ${sizeWords(change)}` };
    views.set(change, view);
  }
  return view;
}

/** "6 lines added, 2 removed"; undefined where there is neither. */
export function countWords(lines: readonly DiffLine[]): string | undefined {
  let [added, removed] = [0, 0];
  for (const { kind } of lines) {
    if (kind === 'added') added += 1;
    if (kind === 'removed') removed += 1;
  }
  if (added === 0) return removed === 0 ? undefined : `${linesOf(removed)} removed`;
  const also = removed === 0 ? '' : `, ${removed.toLocaleString('en')} removed`;
  return `${linesOf(added)} added${also}`;
}

function linesOf(count: number): string {
  return count === 1 ? '1 line' : `${count.toLocaleString('en')} lines`;
}

function sizeWords({ before, after }: NoteChange): string {
  const now = bytesWords(after);
  return before === undefined ? now : `${bytesWords(before)} to ${now}`;
}

/** "312 bytes", "2.1 kB": a kB has 1,000 bytes. */
function bytesWords(text: string): string {
  const bytes = new TextEncoder().encode(text).length;
  if (bytes < 1_000) return bytes === 1 ? '1 byte' : `${bytes} bytes`;
  const digits = { minimumFractionDigits: 1, maximumFractionDigits: 1 };
  return bytes < 1_000_000
    ? `${(bytes / 1_000).toLocaleString('en', digits)} kB`
    : `${(bytes / 1_000_000).toLocaleString('en', digits)} MB`;
}
