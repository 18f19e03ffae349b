import type { Note } from '../note/note';
import type { Task } from '../task';
import { findTasks } from './find-tasks';
import type { OperationContext } from './outcome';
import type { Fault } from './read-operation';
import type { Update } from './wish';

export type Prerequisites =
  | Fault
  | {
      readonly ok: true;
      readonly tasks: readonly Task[];
      /** the whole list of prerequisites afterwards, from the ids of `tasks`; undefined: as it is */
      readonly list: (ids: readonly string[]) => readonly string[] | undefined;
    };

/** The tasks that an operation names as prerequisites, and what its task waits for then. */
export function prerequisites(
  note: Note,
  operation: Update,
  { dependsOn }: Task,
  context: OperationContext,
): Prerequisites {
  if (operation.type === 'undepend') {
    // One that is no longer on the board can only be named as it is written.
    const written = operation.dependsOn.map(String).filter((id) => dependsOn.includes(id));
    const rest = operation.dependsOn.filter((id) => !written.includes(String(id)));
    const found = findTasks(note, rest, context);
    if (!found.ok) return found;
    const gone = new Set<string | null>([...written, ...found.tasks.map(({ id }) => id)]);
    return { ok: true, tasks: [], list: () => dependsOn.filter((id) => !gone.has(id)) };
  }
  const references = operation.type === 'complete' ? undefined : operation.dependsOn;
  const found = findTasks(note, references ?? [], context);
  if (!found.ok) return found;
  const before = operation.type === 'depend' ? dependsOn : [];
  return { ...found, list: (ids) => references && [...new Set([...before, ...ids])] };
}
