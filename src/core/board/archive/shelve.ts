import { behindLine, cutLines } from '../note/block-lines';
import { headerSplices } from '../note/edit-header';
import type { Note } from '../note/note';
import { applySplices } from '../note/splice';

/**
 * The note of a board that views leave out until it is asked for again (`shelved: true` in its
 * header), or that they show again. Nothing else of it changes: programs work on it as before.
 */
export function shelvedText({ layout, text }: Note, shelved: boolean): string {
  if (layout === null) return text;
  if (shelved) return applySplices(text, headerSplices(layout, 'shelved', 'true'));
  const old = layout.header.values.get('shelved');
  return old === undefined || old.from < 0
    ? text
    : cutLines(text, old.at, behindLine(text, old.to));
}
