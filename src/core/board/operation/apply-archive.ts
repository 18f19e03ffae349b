import { isFinished } from '../facts';
import { archivedSaid, archiveTasks, finishedTops } from '../archive/archive-tasks';
import type { Note } from '../note/note';
import { parseNote } from '../note/parse-note';
import type { Task } from '../task';
import { familyOf } from './family';
import { findTask, nameOf, withTitle } from './find-task';
import { failed, fault, type Applied, type OperationContext } from './outcome';
import type { Fault, OperationOf } from './read-operation';

/** `archive`: one task with its sub-tasks, or every finished task at the top with its. */
export function applyArchive(
  note: Note,
  operation: OperationOf<'archive'>,
  context: OperationContext,
): Applied {
  if (context.archiveFault !== undefined) return failed(note, context.archiveFault);
  const chosen = chooseTasks(note, operation, context);
  if (!chosen.ok) return failed(note, chosen);
  const { tasks } = chosen;
  if (tasks.length === 0) {
    const said = 'nothing is finished with all its sub-tasks, so nothing was archived.';
    return { note, outcome: { ok: true, said, result: { archived: [] } } };
  }
  const moved = archiveTasks(note, tasks, operation.reason);
  if (!moved.ok) return failed(note, moved);
  const ids = moved.blocks.flatMap((block) => block.ids);
  return {
    note: parseNote(context.path, moved.text),
    outcome: { ok: true, said: archivedSaid(tasks, ids.length), result: { archived: ids } },
    effects: { archived: moved.blocks },
  };
}

function chooseTasks(
  note: Note,
  { id, force, reason }: OperationOf<'archive'>,
  { seen }: OperationContext,
): { readonly ok: true; readonly tasks: readonly Task[] } | Fault {
  const { board } = note;
  if (id === undefined) return { ok: true, tasks: finishedTops(note) };
  const found = findTask(board, id, seen);
  if (!found.ok) return found;
  const { task } = found;
  const left = familyOf(board, task).filter((one) => !isFinished(one));
  if (left.length === 0) return { ok: true, tasks: [task] };
  const names = left.slice(0, 10).map(nameOf).join(', ');
  if (force !== true) {
    return fault(
      'not_finished',
      `${withTitle(task)} can't be archived: ${names} is not finished. Finish that first, or send "force": true with a reason.`,
    );
  }
  if (typeof reason === 'string') return { ok: true, tasks: [task] };
  return fault('missing_field', `${names} is not finished. Send "reason" with "force".`);
}
