import { isFinished } from '../facts';
import { refuseBroken } from '../note/edit-header';
import type { EditRefusal } from '../note/edit-result';
import { setTaskStatus } from '../note/edit-task';
import type { Note } from '../note/note';
import { parseNote } from '../note/parse-note';
import { removeTask } from '../note/remove-task';
import type { Task } from '../task';
import { pairTasks } from './pair-tasks';
import { placeTask } from './place-task';
import { restoreTask } from './restore-task';
import { sameLines } from './same-lines';

export interface RollBackOptions {
  /** local date, `YYYY-MM-DD` */
  readonly today: string;
  /** what is rolled back to, for the reason of tasks that stay as cancelled */
  readonly name: string;
}

export interface RolledBack {
  readonly ok: true;
  readonly text: string;
  /** what could not be put back as it was, a sentence each */
  readonly left: readonly string[];
}

/**
 * The tasks of a board as they were; all other text as it is now. A task line says again what it said,
 * in the place under its parent or heading; what is gone is put back, with the text that was under it.
 * A task that was added since goes, but stays as cancelled where it has text or other lines under it.
 * Lines without an id are a person's own: they come and go with nobody. Pure.
 * @param before the note as the checkpoint holds it
 */
export function rollBack(
  note: Note,
  before: Note,
  options: RollBackOptions,
): RolledBack | EditRefusal {
  if (before.layout === null) return refuseBroken(before);
  if (note.layout === null) return refuseBroken(note);
  const left: string[] = [];
  let now = note;
  for (const task of before.board.tasks) {
    if (task.key !== task.id) continue;
    const put = now.board.tasks.some(({ key }) => key === task.key)
      ? placeTask(now, before, task)
      : restoreTask(now, before, task, options.today);
    if (put.ok) now = parseNote(now.board.path, put.text);
    else left.push(put.message);
  }
  now = parseNote(now.board.path, sameLines(now, before, options.today));
  const added = addedSince(now, before);
  for (const key of added.reverse()) {
    const gone = takeAway(now, key, options);
    if (gone.ok) now = parseNote(now.board.path, gone.text);
    else left.push(gone.message);
  }
  return { ok: true, text: now.text, left };
}

function addedSince(now: Note, before: Note): string[] {
  const known = new Set(pairTasks(before.board, now.board).values());
  return now.board.tasks
    .filter((task): task is Task & { id: string } => task.id === task.key && !known.has(task))
    .map(({ key }) => key);
}

/** Sub-tasks were taken away before; who still has some, or text, is kept for the sake of it. */
function takeAway(
  note: Note,
  key: string,
  { today, name }: RollBackOptions,
): { readonly ok: true; readonly text: string } | EditRefusal {
  const removed = removeTask(note, key);
  if (removed.ok || (removed.code !== 'has_body' && removed.code !== 'has_children')) {
    return removed;
  }
  const task = note.board.tasks.find((one) => one.key === key);
  if (task === undefined || isFinished(task)) return { ok: true, text: note.text };
  const reason = `Added after ${name}, which the board was rolled back to`;
  return setTaskStatus(note, key, 'cancelled', { today, reason });
}
