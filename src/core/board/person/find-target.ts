import { giveId } from '../note/give-id';
import type { Note } from '../note/note';
import { reparse } from '../note/reparse';
import { fault } from '../operation/outcome';
import type { Fault } from '../operation/read-operation';
import type { Board, Task, TaskTarget } from '../task';

/**
 * The task that a view means: by id, of several with one id the one with the title that the view saw; a
 * line without an id where the view saw it, else by its title if that is the only one.
 */
export function findTarget(
  board: Board,
  { id, line, title }: TaskTarget,
): { readonly ok: true; readonly task: Task } | Fault {
  const same = board.tasks.filter(
    (task) => task.id === id && (id !== null || task.title === title),
  );
  const titled = same.filter((task) => task.title === title);
  const task =
    titled.find((one) => one.line === line) ??
    (id !== null || titled.length === 1 ? (titled[0] ?? same[0]) : undefined);
  if (task !== undefined) return { ok: true, task };
  const message = `"${title}" is no longer there, or was changed. Look at the board again.`;
  return fault('unknown_task', message);
}

/** The tasks that a view means, and the note in which each of them has an id; `keys` as there. */
export function withTargets(
  note: Note,
  targets: readonly TaskTarget[],
):
  | {
      readonly ok: true;
      readonly note: Note;
      readonly keys: readonly string[];
      readonly tasks: readonly Task[];
    }
  | Fault {
  const tasks: Task[] = [];
  for (const target of targets) {
    const found = findTarget(note.board, target);
    if (!found.ok) return found;
    tasks.push(found.task);
  }
  let now = note;
  const given = new Map<string, string>();
  for (const { id, key } of tasks) {
    if (id !== null || given.has(key)) continue;
    const result = giveId(now, key);
    if (!result.ok) return result;
    now = reparse(now, result);
    given.set(key, result.id);
  }
  return { ok: true, note: now, tasks, keys: tasks.map(({ key }) => given.get(key) ?? key) };
}
