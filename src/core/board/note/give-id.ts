import { headerSplices } from './edit-header';
import { editLine, findLine, insertWords, type FoundLine } from './edit-task';
import { applySplices, refuse, type EditResult, type Splice } from './edit-result';
import type { Layout, Note } from './note';
import { writtenField } from './line-facts';
import { BOARD_ID } from './ids';
import { fieldsOf } from './task-line';

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

/**
 * Gives a pasted duplicate the next id, behind `🆔` and as block id; a block id that a person made up
 * stays. What waits for the old id waits for the first task with it, as before. Refused with `bad_id`
 * where the task is no duplicate.
 */
export function reissue(note: Note, key: string): EditResult<{ id: string }> {
  const found = findLine(note, key);
  if (!found.ok) return found;
  const { task, layout, line } = found;
  if (task.id === null || task.key === task.id) {
    return refuse('bad_id', `"${task.title}" is no duplicate of another task, so its id stays.`);
  }
  const { id, header } = drawId(note, layout);
  const [old] = fieldsOf(line, 'id');
  const splices = old ? [{ from: old.from, to: old.to, text: id }] : [];
  splices.push(...blockIdSplices(note.text, found, id));
  const checked = editLine(note, found, splices, { id });
  if (!checked.ok) return checked;
  return { ok: true, text: applySplices(note.text, [...header, ...splices]), id };
}

function blockIdSplices(text: string, found: FoundLine, id: string): readonly Splice[] {
  const { blockId, end } = found.line.tail;
  if (!blockId) return [insertWords(text, found, end, `^${id}`)];
  const from = blockId.start + 1;
  const written = text.slice(from, blockId.end);
  const given = written === found.task.id || BOARD_ID.test(written);
  return given ? [{ from, to: blockId.end, text: id }] : [];
}
