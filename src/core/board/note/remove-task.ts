import type { EditResult } from './edit-result';
import type { Note } from './note';

/** Removes the line of a task that has neither sub-tasks (`has_children`) nor text under it (`has_body`). */
export function removeTask(note: Note, key: string): EditResult {
  throw new Error(note.text + key);
}
