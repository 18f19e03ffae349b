import { moveTask } from '../note/move-task';
import type { Note } from '../note/note';
import { parseNote } from '../note/parse-note';
import type { Task } from '../task';
import { conflictWith } from './conflict';
import { withIds } from './edit-chain';
import { nameOf, quoted, withTitle } from './find-task';
import { findTasks } from './find-tasks';
import { newCycle } from './new-cycle';
import { failed, fault, resultOf, type Applied, type OperationContext } from './outcome';
import type { Fault, OperationOf } from './read-operation';

/** `move`: after a task, under a parent, or to the end of a phase. */
export function applyMove(
  note: Note,
  operation: OperationOf<'move'>,
  context: OperationContext,
): Applied {
  const where = placesOf(operation);
  const [place, ...more] = where;
  if (place === undefined || more.length > 0) {
    const message = 'Send one of after, parent and phase: where the task shall stand.';
    return failed(note, fault(place === undefined ? 'missing_field' : 'bad_field', message));
  }
  const references = place === 'phase' ? [] : [operation[place] ?? ''];
  const found = findTasks(note, [operation.id], context, 'id');
  if (!found.ok) return failed(note, found);
  const target = findTasks(note, references, context, place);
  if (!target.ok) return failed(note, target);
  const [task] = found.tasks;
  if (task === undefined) return failed(note, fault('unknown_task', 'No such task.'));
  const conflict = movedByPerson(note, task, context);
  if (conflict !== undefined) return failed(note, conflict);
  const named = withIds(note, [task, ...target.tasks]);
  if (!named.ok) return failed(note, named);
  const [id = '', other = ''] = named.ids;
  const to = place === 'phase' ? (operation.phase ?? '') : other;
  const result = moveTask(named.note, id, { [place]: to });
  if (!result.ok) return failed(note, result);
  const now = parseNote(context.path, result.text);
  const moved = now.board.tasks.find((one) => one.id === id);
  if (moved === undefined) return failed(note, fault('bad_place', 'The task was not readable.'));
  const cycle = newCycle(now, moved);
  if (cycle !== undefined) return failed(note, cycle);
  return { note: now, outcome: { ok: true, said: said(now, moved), result: resultOf(moved) } };
}

function placesOf({
  after,
  parent,
  phase,
}: OperationOf<'move'>): readonly ('after' | 'parent' | 'phase')[] {
  return [
    ...(after === undefined ? [] : (['after'] as const)),
    ...(parent === undefined ? [] : (['parent'] as const)),
    ...(phase === undefined ? [] : (['phase'] as const)),
  ];
}

/** A person who moved it to another parent or phase since has it stay there. */
function movedByPerson(note: Note, task: Task, { theirs }: OperationContext): Fault | undefined {
  const wanted = (['parent', 'phase'] as const).map((field) => ({ field, value: undefined }));
  return conflictWith(note, task, wanted, theirs);
}

function said(now: Note, task: Task): string {
  const parent = now.board.tasks.find(({ key }) => key === task.parent);
  if (parent !== undefined) return `${withTitle(task)} is a sub-task of ${nameOf(parent)}.`;
  if (task.phase !== null) return `${withTitle(task)} stands in ${quoted(task.phase)}.`;
  const tasks = now.board.tasks.filter(({ parent, phase }) => parent === null && phase === null);
  const before = tasks[tasks.findIndex(({ key }) => key === task.key) - 1];
  const where = before === undefined ? 'stands first' : `stands behind ${nameOf(before)}`;
  return `${withTitle(task)} ${where}.`;
}
