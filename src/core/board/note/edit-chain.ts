import type { EditResult } from './edit-result';
import { giveId } from './give-id';
import type { Note } from './note';
import { withText } from './parse-note';
import type { Task } from '../task';
import type { Fault } from '../../fault';

export type Edit = (note: Note) => EditResult;
type Edited<Extra = unknown> = ({ readonly ok: true; readonly note: Note } & Extra) | Fault;

/** Edits one after another, each on the text that the one before left; all of them or none. */
export function edited(note: Note, edits: readonly Edit[]): Edited {
  let now = note;
  for (const edit of edits) {
    const result = edit(now);
    if (!result.ok) return result;
    now = withText(now, result.text);
  }
  return { ok: true, note: now };
}

/** The ids and keys of tasks, each given an id if it has none: an operation names them. */
export function withIds(
  note: Note,
  tasks: readonly Task[],
): Edited<{ readonly ids: readonly string[]; readonly keys: readonly string[] }> {
  let now = note;
  const given = new Map<string, string>();
  for (const { id, key } of tasks) {
    if (id !== null || given.has(key)) continue;
    const result = giveId(now, key);
    if (!result.ok) return result;
    now = withText(now, result.text);
    given.set(key, result.id);
  }
  const keys = tasks.map(({ key }) => given.get(key) ?? key);
  return { ok: true, note: now, keys, ids: tasks.map(({ id }, at) => id ?? keys[at] ?? '') };
}
