import { editLine, findLine, insertWords, type FoundLine } from './edit-line';
import { refuse, type EditResult } from './edit-result';
import { drawId } from './give-id';
import { BOARD_ID } from './ids';
import type { Note } from './note';
import { applySplices, type Splice } from './splice';
import { fieldsOf } from './task-line';

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
