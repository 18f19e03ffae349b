import type { Status } from '../task';
import type { EditResult } from './edit-result';
import type { Note } from './note';

export interface NewTask {
  readonly title: string;
  /** key of the parent task */
  readonly parent?: string;
  /** key of the task it shall follow, as its sibling; goes before `parent` and `phase` */
  readonly after?: string;
  /** text of a heading; made at the note's end if there is none */
  readonly phase?: string;
  readonly dependsOn?: readonly string[];
  readonly status?: Status;
  readonly reason?: string;
  /** local date, `YYYY-MM-DD` */
  readonly today: string;
}

/** Adds a task with the next id, and raises `next`. `key` and `id` are the new task's, and equal. */
export function addTask(note: Note, spec: NewTask): EditResult<{ key: string; id: string }> {
  throw new Error(note.text + spec.title);
}
