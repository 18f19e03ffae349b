import { setTaskFields } from '../note/edit-fields';
import type { Note } from '../note/note';
import { parseNote } from '../note/parse-note';
import { edited, withIds } from '../operation/edit-chain';
import { familyOf } from '../operation/family';
import { withTitle } from '../operation/find-task';
import type { Fault } from '../operation/read-operation';
import type { Task } from '../task';
import type { BlockText } from './block-text';
import { cutBlocks } from './cut-blocks';
import { setArchived } from './set-archived';

/**
 * The board without some tasks and all that belongs to them, and these as they go to the archive;
 * each has an id then.
 * @param reason why one goes that is not finished; it keeps that
 */
export function archiveTasks(
  note: Note,
  tasks: readonly Task[],
  reason?: string | null,
): { readonly ok: true; readonly text: string; readonly blocks: readonly BlockText[] } | Fault {
  const named = withIds(
    note,
    tasks.flatMap((task) => familyOf(note.board, task)),
  );
  if (!named.ok) return named;
  const roots = keysIn(note, named.note, tasks);
  const told = edited(
    named.note,
    typeof reason === 'string'
      ? roots.map((key) => (now: Note) => setTaskFields(now, key, { reason }))
      : [],
  );
  if (!told.ok) return told;
  const cut = cutBlocks(told.note, new Set(roots));
  if (!cut.ok) return cut;
  const rest = parseNote(note.board.path, cut.text);
  return { ok: true, text: setArchived(rest, cut.blocks, []), blocks: cut.blocks };
}

/** Keys of tasks in the note in which they have ids. */
function keysIn(before: Note, now: Note, tasks: readonly Task[]): readonly string[] {
  const chosen = new Set(tasks.map(({ key }) => key));
  return before.board.tasks.flatMap(({ key }, at) =>
    chosen.has(key) ? [now.board.tasks[at]?.key ?? key] : [],
  );
}

/** @param count of the tasks with all under them */
export function archivedSaid(tasks: readonly Task[], count: number): string {
  const [first] = tasks;
  const many = count === 1 ? '1 task' : `${count} tasks`;
  if (tasks.length > 1 || first === undefined) return `${many} moved to the archive.`;
  const under = count === 1 ? '' : ` with ${count - 1} under it`;
  return `${withTitle(first)}${under} is in the archive; restore brings it back.`;
}

/** The tasks at the top that are finished with all under them. */
export function finishedTops({ board }: Note): readonly Task[] {
  return board.tasks.filter(
    (task) =>
      task.parent === null &&
      familyOf(board, task).every(({ status }) => status === 'completed' || status === 'cancelled'),
  );
}
