import { fault } from '../../fault';
import { headerSplices } from './edit-header';
import { editLine, locateTaskLine, insertWords, type LocatedTaskLine } from './edit-task';
import type { EditResult, Splice } from './edit-result';
import type { Task } from '../task';
import type { Layout, Note } from './note';
import { writtenField } from './line-facts';
import { BOARD_ID } from './ids';
import { fieldsOf } from './task-line';

/**
 * Gives the next id to a task without one, which becomes its key, and raises `next`; a task that
 * has an id keeps it.
 */
export function giveId(note: Note, key: string): EditResult<{ id: string }> {
  const found = locateTaskLine(note, key);
  if (!found.ok) return found;
  const { line, layout, task } = found;
  if (task.id !== null) return { ...note, id: task.id };
  const { id, header } = nextTaskId(note, layout);
  const splices = [insertWords(note.text, found, line.headEnd, writtenField(line, 'id', id))];
  if (!line.tail.blockId) splices.push(insertWords(note.text, found, line.tail.end, `^${id}`));
  const edited = editLine(note, found, splices, { id }, header);
  return edited.ok ? { ...edited, id } : edited;
}

/**
 * Gives ids to those tasks that have none, since operations refer to tasks by id. @returns the
 * note, and the tasks' ids and new keys
 */
export function withIds(
  note: Note,
  tasks: readonly Task[],
): EditResult<{ readonly ids: readonly string[]; readonly keys: readonly string[] }> {
  let now = note;
  const given = new Map<string, string>();
  for (const { id, key } of tasks) {
    if (id !== null || given.has(key)) continue;
    const result = giveId(now, key);
    if (!result.ok) return result;
    now = result;
    given.set(key, result.id);
  }
  const keys = tasks.map(({ key }) => given.get(key) ?? key);
  return { ...now, keys, ids: tasks.map(({ id }, at) => id ?? keys[at] ?? '') };
}

/** The next id, and the splices that raise `next` in the header. */
export function nextTaskId(note: Note, layout: Layout): { id: string; header: readonly Splice[] } {
  const header = headerSplices(layout, 'next', String(layout.next + 1));
  return { id: `${note.board.prefix}-${layout.next}`, header };
}

/**
 * Gives a pasted duplicate the next id, after `🆔` and as block id; a block id of the person's own
 * stays. Tasks that depend on the old id still depend on the first task with it. Refused with
 * `bad_id` if the task is no duplicate.
 */
export function renumberTask(note: Note, key: string): EditResult {
  const found = locateTaskLine(note, key);
  if (!found.ok) return found;
  const { task } = found;
  if (task.id === null || task.key === task.id) {
    return fault('bad_id', `"${task.title}" is not a duplicate of another task, so its id stays.`);
  }
  return withNextId(note, found);
}

/** Replaces the id of a line by the next one. */
export function withNextId(note: Note, found: LocatedTaskLine): EditResult {
  const { layout, line } = found;
  const { id, header } = nextTaskId(note, layout);
  const [old] = fieldsOf(line, 'id');
  const splices = old ? [{ from: old.from, to: old.to, text: id }] : [];
  splices.push(...blockIdSplices(note.text, found, id));
  return editLine(note, found, splices, { id }, header);
}

function blockIdSplices(text: string, found: LocatedTaskLine, id: string): readonly Splice[] {
  const { blockId, end } = found.line.tail;
  if (!blockId) return [insertWords(text, found, end, `^${id}`)];
  const from = blockId.start + 1;
  const written = text.slice(from, blockId.end);
  const given = written === found.task.id || BOARD_ID.test(written);
  return given ? [{ from, to: blockId.end, text: id }] : [];
}
