import { addTask } from '../note/add-task';
import { setTaskBody } from '../note/edit-body';
import type { Note } from '../note/note';
import { parseNote } from '../note/parse-note';
import { checkTitle } from '../note/title';
import { edited, withIds } from './edit-chain';
import { nameOf, withTitle } from './find-task';
import { findTasks } from './find-tasks';
import { namesOf } from './names-of';
import { failed, fault, resultOf, type Applied, type OperationContext } from './outcome';
import type { OperationOf } from './read-operation';
import { refuseCycle } from './refuse-cycle';
import { fieldValues } from './task-fields';

export function applyAdd(
  note: Note,
  operation: OperationOf<'add'>,
  context: OperationContext,
): Applied {
  const checked = checkTitle(operation.title);
  if (!checked.ok) return failed(note, checked);
  const { parent, after } = operation;
  if (after !== undefined && (parent !== undefined || operation.phase !== undefined)) {
    const message = 'after says where the task stands; send it without parent and phase.';
    return failed(note, fault('bad_field', message));
  }
  if (parent !== undefined && operation.phase !== undefined) {
    const message = 'A sub-task stands in the phase of its parent; send parent without phase.';
    return failed(note, fault('bad_field', message));
  }
  const near = findTasks(
    note,
    [after ?? parent ?? []].flat(),
    context,
    after === undefined ? 'parent' : 'after',
  );
  if (!near.ok) return failed(note, near);
  const waits = findTasks(note, operation.dependsOn ?? [], context);
  if (!waits.ok) return failed(note, waits);
  const named = withIds(note, [...near.tasks, ...waits.tasks]);
  if (!named.ok) return failed(note, named);
  const ids = [...named.ids];
  const beside = near.tasks.length === 0 ? undefined : ids.shift();
  const added = addTask(named.note, {
    title: checked.title,
    today: context.today,
    dependsOn: [...new Set(ids)],
    ...(beside !== undefined && { [after === undefined ? 'parent' : 'after']: beside }),
    ...(operation.phase !== undefined && { phase: operation.phase }),
    ...(operation.status !== undefined && { status: operation.status }),
    fields: fieldValues(operation),
  });
  if (!added.ok) return failed(note, added);
  const { body } = operation;
  const whole = edited(
    parseNote(context.path, added.text),
    typeof body === 'string' ? [(now) => setTaskBody(now, added.key, body)] : [],
  );
  return whole.ok ? told(note, whole.note, added.key) : failed(note, whole);
}

function told(before: Note, now: Note, key: string): Applied {
  const task = now.board.tasks.find((one) => one.key === key);
  if (task === undefined) return failed(before, fault('bad_title', 'The task was not readable.'));
  const cycle = refuseCycle(now, task, task.dependsOn);
  if (cycle !== undefined) return failed(before, cycle);
  const parent = now.board.tasks.find((one) => one.key === task.parent);
  const said = [
    withTitle(task),
    ...(parent === undefined ? [] : [`under ${nameOf(parent)}`]),
    ...(task.dependsOn.length === 0 ? [] : [`waits for ${namesOf(now, task.dependsOn)}`]),
  ];
  return { note: now, outcome: { ok: true, said: said.join(', '), result: resultOf(task) } };
}
