import type { Note } from '../note/note';
import type { Task } from '../task';
import { findTask } from './find-task';
import { fault, type OperationContext } from './outcome';
import type { Fault, Reference } from './read-operation';

/** All tasks of a list of references, or the first fault. */
export function findTasks(
  note: Note,
  references: readonly Reference[],
  { seen }: OperationContext,
  field = 'dependsOn',
): { readonly ok: true; readonly tasks: readonly Task[] } | Fault {
  const tasks: Task[] = [];
  for (const reference of references) {
    const found = findTask(note.board, reference, seen);
    if (!found.ok) return field === 'id' ? found : inField(field, found);
    if (!tasks.includes(found.task)) tasks.push(found.task);
  }
  return { ok: true, tasks };
}

function inField(field: string, { code, message }: Fault): Fault {
  return fault(code, `${field}: ${message}`);
}
