import { findLine } from './edit-line';
import type { Note } from './note';

/**
 * A task's title as it is written in the note: markdown, with its escapes, so that a markdown renderer
 * shows the title. Undefined where the line can't be read.
 */
export function writtenTitle(note: Note, key: string): string | undefined {
  const found = findLine(note, key);
  if (!found.ok) return undefined;
  return found.line.pieces.map(({ start, end }) => note.text.slice(start, end)).join(' ');
}
