import type { EditResult } from '../note/edit-result';
import { giveId } from '../note/give-id';
import type { Note } from '../note/note';
import { reparse } from '../note/reparse';
import type { Task } from '../task';
import type { Fault } from './read-operation';

export type Edit = (note: Note) => EditResult;
export type Edited<Extra = unknown> = ({ readonly ok: true; readonly note: Note } & Extra) | Fault;

/** Edits one after another, each on the text that the one before left; all of them or none. */
export function edited(note: Note, edits: readonly Edit[]): Edited {
  let now = note;
  for (const edit of edits) {
    const result = edit(now);
    if (!result.ok) return result;
    now = reparse(now, result);
  }
  return { ok: true, note: now };
}

/** The ids of tasks, each given one if it has none: an operation names them. */
export function withIds(
  note: Note,
  tasks: readonly Task[],
): Edited<{ readonly ids: readonly string[] }> {
  let now = note;
  const given = new Map<string, string>();
  for (const { id, key } of tasks) {
    if (id !== null || given.has(key)) continue;
    const result = giveId(now, key);
    if (!result.ok) return result;
    now = reparse(now, result);
    given.set(key, result.id);
  }
  return { ok: true, note: now, ids: tasks.map(({ id, key }) => id ?? given.get(key) ?? key) };
}
