import { Lines } from '../note/lines';
import type { Note } from '../note/note';

/** Where the line of a task stands in its note, without what ends it. */
export function lineSpan(note: Note, id: string): { start: number; end: number } {
  const task = note.board.tasks.find((one) => one.id === id);
  const lines = new Lines(note.text, 0, 0);
  while (task !== undefined && lines.advance()) {
    if (lines.number === task.line) return { start: lines.start, end: lines.end };
  }
  throw new Error(`assertion: no line of task ${id}`);
}

export function taskLine(note: Note, id: string): string {
  const { start, end } = lineSpan(note, id);
  return note.text.slice(start, end);
}
