import { cutLines, behindLine } from '../note/block-lines';
import { headerSplices } from '../note/edit-header';
import { numberOf } from '../note/ids';
import type { Note } from '../note/note';
import { applySplices } from '../note/splice';
import { readArchived, writeArchived } from './archived-numbers';
import type { BlockText } from './block-text';

/**
 * The note whose header says which tasks stand in the archive, and from which number on new ids are
 * drawn: an id that went there is never given again.
 */
export function setArchived(
  { board, layout, text }: Note,
  put: readonly Pick<BlockText, 'ids' | 'finished'>[],
  back: readonly Pick<BlockText, 'ids'>[],
): string {
  if (layout === null) return text;
  const numbersOf = (ids: readonly string[]): readonly number[] =>
    ids.flatMap((id) => numberOf(id, board.prefix) ?? []);
  const old = layout.header.values.get('archived');
  const before = readArchived(old?.text);
  const come = numbersOf(put.flatMap(({ ids }) => ids));
  const done = new Set(numbersOf(put.flatMap(({ finished }) => finished)));
  const moved = new Set([...come, ...numbersOf(back.flatMap(({ ids }) => ids))]);
  const stay = (numbers: readonly number[]): number[] => numbers.filter((n) => !moved.has(n));
  const value = writeArchived({
    finished: [...stay(before.finished), ...done],
    open: [...stay(before.open), ...come.filter((n) => !done.has(n))],
  });
  const next = Math.max(layout.next, ...come.map((n) => n + 1));
  const counted = come.length === 0 ? [] : headerSplices(layout, 'next', String(next));
  if (value !== '')
    return applySplices(text, [...counted, ...headerSplices(layout, 'archived', value)]);
  if (old === undefined || old.from < 0) return applySplices(text, counted);
  return cutLines(text, old.at, behindLine(text, old.to));
}
