import type { Note } from '../note/note';
import { parseNote } from '../note/parse-note';
import { removeTask, type Removal } from '../note/remove-task';
import type { Task } from '../task';
import { conflictWith } from './conflict';
import { familyOf } from './family';
import { findTask, nameOf, withTitle } from './find-task';
import { failed, fault, resultOf, type Applied, type OperationContext } from './outcome';
import type { OperationOf } from './read-operation';

/** `remove`, of a leaf or with what hangs under it. */
export function applyRemove(
  note: Note,
  operation: OperationOf<'remove'>,
  { path, seen, theirs }: OperationContext,
): Applied {
  const { cascade, promote } = operation;
  if (cascade === true && promote === true) {
    return failed(note, fault('bad_field', 'Send cascade or promote, not both.'));
  }
  const found = findTask(note.board, operation.id, seen);
  if (!found.ok) return failed(note, found);
  const { task } = found;
  const how: Removal | undefined =
    cascade === true ? 'cascade' : promote === true ? 'promote' : undefined;
  const touched = how === 'cascade' ? familyOf(note.board, task) : [task];
  const conflict = touched
    .map((one) => conflictWith(note, one, undefined, theirs))
    .find((one) => one !== undefined);
  if (conflict !== undefined) return failed(note, conflict);
  const result = removeTask(note, task.key, how);
  if (!result.ok) return failed(note, result);
  const now = parseNote(path, result.text);
  const said = `${withTitle(task)} is gone${under(note, task, how)}.${left(now, touched)}`;
  return { note: now, outcome: { ok: true, said, result: resultOf(task) } };
}

function under(note: Note, task: Task, how: Removal | undefined): string {
  const count = familyOf(note.board, task).length - 1;
  if (how === undefined || count === 0) return '';
  const many = count === 1 ? '1 sub-task' : `${count} sub-tasks`;
  return how === 'cascade' ? `, with ${many}` : `, its sub-tasks took its place`;
}

/** Those that waited for what is gone are blocked until they are told otherwise. */
function left(now: Note, gone: readonly Task[]): string {
  const ids = new Set(gone.map(({ id }) => id));
  const waiting = now.board.tasks.filter(({ dependsOn }) => dependsOn.some((id) => ids.has(id)));
  if (waiting.length === 0) return '';
  const names = waiting.slice(0, 10).map(nameOf).join(', ');
  return ` ${names} still waits for what is gone: undepend it, or give it another prerequisite.`;
}
