import { headerSplices } from '../note/edit-header';
import type { Note } from '../note/note';
import { parseNote } from '../note/parse-note';
import { applySplices } from '../note/splice';
import { readArchived } from './archived-numbers';

/** The note with a `next` behind every archived number, where a person took it from the header. */
export function pastArchived(note: Note): Note {
  const { board, layout, text } = note;
  const written = layout?.header.values.get('archived')?.text;
  if (layout === null || written === undefined) return note;
  const { finished, open } = readArchived(written);
  const least = [...finished, ...open].reduce((most, n) => Math.max(most, n + 1), 0);
  if (least <= layout.next) return note;
  return parseNote(board.path, applySplices(text, headerSplices(layout, 'next', String(least))));
}
