import { cutLines, behindLine } from '../note/block-lines';
import { headerSplices } from '../note/edit-header';
import { numberOf } from '../note/ids';
import type { Note } from '../note/note';
import { applySplices } from '../note/splice';
import { readNumbers, writeNumbers } from './archived-numbers';

/**
 * The note whose header says which finished tasks stand in the archive, and from which number on new
 * ids are drawn: an id that went there is never given again.
 */
export function setArchived(
  { board, layout, text }: Note,
  change: { readonly put?: readonly string[]; readonly back?: readonly string[] },
): string {
  if (layout === null) return text;
  const numbersOf = (ids: readonly string[] = []): readonly number[] =>
    ids.flatMap((id) => numberOf(id, board.prefix) ?? []);
  const old = layout.header.values.get('archived');
  const before = readNumbers(old?.text ?? '');
  const back = new Set(numbersOf(change.back));
  const numbers = [...before, ...numbersOf(change.put)].filter((n) => !back.has(n));
  const next = Math.max(layout.next, ...numbersOf(change.put).map((n) => n + 1));
  const counted =
    change.put === undefined || change.put.length === 0
      ? []
      : headerSplices(layout, 'next', String(next));
  if (numbers.length > 0) {
    return applySplices(text, [
      ...counted,
      ...headerSplices(layout, 'archived', writeNumbers(numbers)),
    ]);
  }
  if (old === undefined || old.from < 0) return applySplices(text, counted);
  return cutLines(text, old.at, behindLine(text, old.to));
}
