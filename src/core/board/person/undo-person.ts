import { bumpRev } from '../note/edit-header';
import type { Note } from '../note/note';
import { parseNote } from '../note/parse-note';
import { removeTask } from '../note/remove-task';
import { fault } from '../operation/outcome';
import type { Fault } from '../operation/read-operation';
import type { TouchedLine } from './apply-person';
import { lineSpan, taskLine } from './task-line';

/**
 * Takes a person's change back: each line it touched stands again as it was, what it added goes.
 * Refused where one of the lines is no longer as the change left it.
 */
export function undoPerson(
  note: Note,
  touched: ReadonlyMap<string, TouchedLine>,
): { readonly ok: true; readonly note: Note } | Fault {
  let now = note;
  for (const [id, { before, after }] of [...touched].reverse()) {
    const task = now.board.tasks.find((one) => one.id === id);
    if (task === undefined || taskLine(now, id) !== after) {
      return fault(
        'changed_since',
        `${task === undefined ? 'This task' : `"${task.title}"`} changed since, so it was not undone. Open it to compare.`,
      );
    }
    if (before === undefined) {
      const result = removeTask(now, task.key);
      if (!result.ok) return result;
      now = parseNote(now.board.path, result.text);
    } else {
      const { start, end } = lineSpan(now, id);
      const text = now.text.slice(0, start) + before + now.text.slice(end);
      now = parseNote(now.board.path, text);
    }
  }
  const raised = bumpRev(now);
  return raised.ok ? { ok: true, note: parseNote(now.board.path, raised.text) } : raised;
}
