import { restoreTask } from '../archive/restore-task';
import type { Note } from '../note/note';
import { nameOf, quoted } from './find-task';
import { failed, resultOf, type Applied, type OperationContext } from './outcome';
import type { OperationOf } from './read-operation';

/** `restore`: a task from the archive with all under it, to the end of its phase. */
export function applyRestore(
  note: Note,
  { id }: OperationOf<'restore'>,
  { archive }: OperationContext,
): Applied {
  const restored = restoreTask(note, id, archive);
  if (!restored.ok) return failed(note, restored);
  const { task, block } = restored;
  const where = task.phase === null ? '' : ` in ${quoted(task.phase)}`;
  const under = block.ids.length === 1 ? '' : `, with ${block.ids.length - 1} under it`;
  const said = `${nameOf(task)} ${quoted(task.title)} is back${where}${under}.`;
  return {
    note: restored.note,
    outcome: { ok: true, said, result: resultOf(task) },
    effects: { restored: [block] },
  };
}
