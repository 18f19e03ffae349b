import { addTask } from '../note/add-task';
import type { EditResult } from '../note/edit-result';
import type { Note } from '../note/note';
import { parseNote } from '../note/parse-note';
import { newSuggestions, type Suggestion } from './suggest-todos';

/** Adds suggestions that a person chose, at the board's end, all of them or none; what is there is not added again. */
export function addSuggestions(
  note: Note,
  chosen: readonly Suggestion[],
  today: string,
): EditResult {
  let now = note;
  for (const one of chosen) {
    if (newSuggestions([one], now.board).length === 0) continue;
    const { title, status } = one;
    const added = addTask(now, { title, status, today });
    if (!added.ok) return added;
    now = parseNote(note.board.path, added.text);
  }
  return { ok: true, text: now.text };
}
