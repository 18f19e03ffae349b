import type { Status } from '../task';
import type { EditResult } from './edit-result';
import type { Note } from './note';

/** Sets a task's mark, the date of ✅ / ❌ (`today`, `YYYY-MM-DD`), and `reason` where one is given. */
export function setTaskStatus(
  note: Note,
  key: string,
  status: Status,
  opts: { readonly today: string; readonly reason?: string },
): EditResult {
  throw new Error(note.text + key + status + opts.today);
}

/** Replaces a task's title (tags included); its fields stay. */
export function setTaskTitle(note: Note, key: string, title: string): EditResult {
  throw new Error(note.text + key + title);
}

/** Replaces all of `⛔`; an empty list removes it. Cycles are the caller's to refuse. */
export function setTaskDependsOn(note: Note, key: string, ids: readonly string[]): EditResult {
  throw new Error(note.text + key + ids.length);
}
