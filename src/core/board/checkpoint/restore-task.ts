import { addTask } from '../note/add-task';
import { setTaskBody } from '../note/edit-body';
import { findTask } from '../note/edit-line';
import type { EditResult } from '../note/edit-result';
import type { Note } from '../note/note';
import { parseNote } from '../note/parse-note';
import type { Task } from '../task';
import { oldPlace } from './place-task';

/** Puts back a task that is gone: its line as it was, at its old place, with the text under it. */
export function restoreTask(note: Note, before: Note, task: Task, today: string): EditResult {
  const old = findTask(before, task.key);
  if (!old.ok) return old;
  const added = addTask(note, { title: 'restored', today, ...oldPlace(note, before, task) });
  if (!added.ok) return added;
  const now = parseNote(note.board.path, added.text);
  const found = findTask(now, added.key);
  if (!found.ok) return found;
  const line = before.text.slice(old.block.box, old.block.lineEnd);
  const { box, lineEnd } = found.block;
  const text = now.text.slice(0, box) + line + now.text.slice(lineEnd);
  if (task.body.length === 0) return { ok: true, text };
  return setTaskBody(parseNote(note.board.path, text), task.key, task.body.join('\n'));
}
