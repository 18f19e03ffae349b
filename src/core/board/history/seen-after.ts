import type { Note } from '../note/note';
import { parseNote } from '../note/parse-note';
import { noteHunks } from './note-hunks';
import { revertHunks } from './revert-hunks';

/**
 * What an agent saw of a board, with a change of its own made on it too, so that it does not pass for
 * a person's; undefined where the lines that were changed are not those that it saw.
 */
export function seenAfter(seen: string, before: Note, after: Note): string | undefined {
  if (seen === before.text) return after.text;
  const note = parseNote(before.board.path, seen);
  if (note.board.broken !== null) return undefined;
  const there = revertHunks(note, noteHunks(after, before).hunks);
  return there.ok ? there.text : undefined;
}
