import { addTask } from '../note/add-task';
import { setTaskBody } from '../note/edit-body';
import type { Note } from '../note/note';
import { parseNote } from '../note/parse-note';
import { edited } from '../operation/edit-chain';
import { fault } from '../operation/outcome';
import type { Fault } from '../operation/read-operation';
import { readStatus } from '../status-word';
import { PRIORITIES } from '../task';
import { waitPath } from '../wait-path';
import { OWN_FIELDS } from '../note/line-facts';
import type { ReadTask } from './join-notes';

/** Adds a task for each note that a person made: under `parent`, else under the heading `phase`. */
export function addNewNotes(
  note: Note,
  tasks: readonly ReadTask[],
  today: string,
): { readonly ok: true; readonly note: Note } | Fault {
  let now = note;
  for (const task of tasks) {
    const added = addNote(now, task, today);
    if (!added.ok) return fault(added.code, `${task.name}.md: ${added.message}`);
    now = added.note;
  }
  return { ok: true, note: now };
}

function addNote(
  note: Note,
  { name, fields, body }: ReadTask,
  today: string,
): { readonly ok: true; readonly note: Note } | Fault {
  const word = fields.text('status') ?? 'pending';
  const status = readStatus(word);
  if (status === undefined) return fault('bad_status', `"${word}" is no status.`);
  const wish = fields.text('priority');
  const priority = PRIORITIES.find((one) => one === (wish ?? 'normal'));
  if (priority === undefined) return fault('bad_value', `"${wish}" is no priority.`);
  const parent = fields.text('parent');
  if (parent !== null && !note.board.tasks.some(({ key }) => key === parent)) {
    return fault('unknown_task', `there is no task ${parent} to be its parent.`);
  }
  const phase = fields.text('phase');
  const own = OWN_FIELDS.flatMap((key) => {
    const value = fields.text(key);
    return value === null ? [] : [[key, value] as const];
  });
  const added = addTask(note, {
    title: fields.text('title') ?? name,
    status,
    today,
    dependsOn: fields.texts('dependsOn'),
    fields: { ...Object.fromEntries(own), priority, due: fields.text('due') },
    ...(parent !== null && { parent }),
    ...(parent === null && phase !== null && { phase }),
  });
  if (!added.ok) return added;
  const now = parseNote(note.board.path, added.text);
  const way = waitPath(now.board, added.key, fields.texts('dependsOn'));
  if (way !== undefined) return fault('cycle', `it would wait for itself: ${way.join(' → ')}.`);
  if (body.length === 0) return { ok: true, note: now };
  return edited(now, [(one) => setTaskBody(one, added.key, body.join('\n'))]);
}
