import { sequenceDiff } from '../../core/board/merge/sequence-diff';
import { unifiedHunks } from '../../core/tool/note/change-text';

/**
 * The difference between two texts in the form of `diff -u`; empty if they are equal.
 * @param before undefined if there was no file; `after` undefined if the file is removed
 */
export function unifiedDiff(
  path: string,
  before: string | undefined,
  after: string | undefined,
): string {
  const [was, is] = [linesOf(before), linesOf(after)];
  const hunks = unifiedHunks(sequenceDiff(was, is), was, is, prefixed);
  if (hunks.length === 0) return '';
  const [from = '', to = ''] = [before, after].map((text) =>
    text === undefined ? '/dev/null' : path,
  );
  return [`--- ${from}`, `+++ ${to}`, ...hunks, ''].join('\n');
}

function linesOf(text = ''): readonly string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

function prefixed(sign: string, lines: readonly string[]): readonly string[] {
  return lines.flatMap((line) =>
    line.endsWith('\n') ? sign + line.slice(0, -1) : [sign + line, '\\ No newline at end of file'],
  );
}
