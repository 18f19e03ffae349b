import type { EditResult } from './edit-result';
import type { Note } from './note';

/** Sets the board's title: in the header and, where it says the same, in the title heading. */
export function setTitle(note: Note, title: string): EditResult {
  throw new Error(note.text + title);
}

/** Raises `rev` by one; once per write by a program. */
export function bumpRev(note: Note): EditResult {
  throw new Error(note.text);
}
