import { headerSplices } from './edit-header';
import { editLine, findLine, insertWords } from './edit-line';
import type { EditResult } from './edit-result';
import type { Layout, Note } from './note';
import { applySplices, type Splice } from './splice';
import { writtenField } from './written-field';

/** Gives the next id to a line without one, and raises `next`; a task that has an id keeps it. The task's key is the id then. */
export function giveId(note: Note, key: string): EditResult<{ id: string }> {
  const found = findLine(note, key);
  if (!found.ok) return found;
  const { line, layout, task } = found;
  if (task.id !== null) return { ok: true, text: note.text, id: task.id };
  const { id, header } = drawId(note, layout);
  const splices = [insertWords(note.text, found, line.headEnd, writtenField(line, 'id', id))];
  if (!line.tail.blockId) {
    splices.push(insertWords(note.text, found, line.tail.end, `^${id}`));
  }
  const checked = editLine(note, found, splices, { id });
  if (!checked.ok) return checked;
  return { ok: true, text: applySplices(note.text, [...header, ...splices]), id };
}

/** The next id, and what raises `next` in the header. */
export function drawId(note: Note, layout: Layout): { id: string; header: readonly Splice[] } {
  const header = headerSplices(layout, 'next', String(layout.next + 1));
  return { id: `${note.board.prefix}-${layout.next}`, header };
}
