import { isFinished } from '../facts';
import { setArchived } from '../archive/set-archived';
import { cutBlocks } from '../archive/cut-blocks';
import { setTaskFields } from '../note/edit-fields';
import type { Note } from '../note/note';
import { parseNote } from '../note/parse-note';
import type { Task } from '../task';
import { edited, withIds } from './edit-chain';
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
  const named = withIds(
    note,
    tasks.flatMap((task) => familyOf(note.board, task)),
  );
  if (!named.ok) return failed(note, named);
  const roots = new Set(withRoots(note, named.note, tasks));
  const { reason } = operation;
  const told = edited(
    named.note,
    typeof reason === 'string'
      ? [...roots].map((key) => (now: Note) => setTaskFields(now, key, { reason }))
      : [],
  );
  if (!told.ok) return failed(note, told);
  const cut = cutBlocks(told.note, roots);
  if (!cut.ok) return failed(note, cut);
  const rest = parseNote(context.path, cut.text);
  const now = parseNote(context.path, setArchived(rest, cut.blocks, []));
  const ids = cut.blocks.flatMap((block) => block.ids);
  const said = saidOf(tasks, ids.length);
  return {
    note: now,
    outcome: { ok: true, said, result: { archived: ids } },
    effects: { archived: cut.blocks },
  };
}

function chooseTasks(
  note: Note,
  { id, force, reason }: OperationOf<'archive'>,
  { seen }: OperationContext,
): { readonly ok: true; readonly tasks: readonly Task[] } | Fault {
  const { board } = note;
  const open = (task: Task): Task[] => familyOf(board, task).filter((one) => !isFinished(one));
  if (id === undefined) {
    const tops = board.tasks.filter(({ parent }) => parent === null);
    return { ok: true, tasks: tops.filter((task) => open(task).length === 0) };
  }
  const found = findTask(board, id, seen);
  if (!found.ok) return found;
  const { task } = found;
  const left = open(task);
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

/** Keys of the chosen tasks, which have ids now. */
function withRoots(before: Note, now: Note, tasks: readonly Task[]): readonly string[] {
  const chosen = new Set(tasks.map(({ key }) => key));
  return before.board.tasks.flatMap(({ key }, at) =>
    chosen.has(key) ? [now.board.tasks[at]?.key ?? key] : [],
  );
}

function saidOf(tasks: readonly Task[], count: number): string {
  const [first] = tasks;
  const many = count === 1 ? '1 task' : `${count} tasks`;
  if (tasks.length > 1 || first === undefined) return `${many} moved to the archive.`;
  const under = count === 1 ? '' : ` with ${count - 1} under it`;
  return `${withTitle(first)}${under} is in the archive; restore brings it back.`;
}
