import { behindLine, cutLines } from '../note/blocks';
import { headerSplices } from '../note/edit-header';
import type { Note } from '../note/note';
import type { Change } from '../history/board-writer';
import { applySplices } from '../note/edit-result';

/** Has views leave a board out, or show it again. */
export function shelving(path: string, shelved: boolean): (note: Note | undefined) => Change {
  const said = shelved ? 'Put away.' : 'Brought back.';
  return (note) =>
    note === undefined
      ? { ok: false, code: 'unknown_board', message: `${path} is gone.` }
      : { ok: true, text: shelvedText(note, shelved), said: [said] };
}

/**
 * The note of a board that views leave out until it is asked for again (`shelved: true` in its
 * header), or that they show again. Nothing else of it changes: programs work on it as before.
 */
function shelvedText({ layout, text }: Note, shelved: boolean): string {
  if (layout === null) return text;
  if (shelved) return applySplices(text, headerSplices(layout, 'shelved', 'true'));
  const old = layout.header.values.get('shelved');
  return old === undefined || old.from < 0
    ? text
    : cutLines(text, old.at, behindLine(text, old.to));
}
