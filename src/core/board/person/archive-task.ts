import { archivedSaid, archiveTasks, finishedTops } from '../archive/archive-tasks';
import { restoreTask } from '../archive/restore-task';
import type { Note } from '../note/note';
import { withTitle } from '../operation/find-task';
import { fault } from '../operation/outcome';
import type { TaskTarget } from '../task';
import type { PersonStep } from './apply-person';
import { findTarget } from './find-target';

/** A task with all that belongs to it, or all that is finished, goes to the archive. */
export function archiveByPerson(note: Note, target: TaskTarget | undefined): PersonStep {
  const found = target && findTarget(note.board, target);
  if (found?.ok === false) return found;
  const tasks = found === undefined ? finishedTops(note) : [found.task];
  if (tasks.length === 0) {
    return fault('nothing_finished', 'No task is finished with all its sub-tasks.');
  }
  const moved = archiveTasks(note, tasks);
  if (!moved.ok) return moved;
  const count = moved.blocks.flatMap(({ ids }) => ids).length;
  return { ok: true, text: moved.text, said: archivedSaid(tasks, count), archived: moved.blocks };
}

export function restoreByPerson(note: Note, id: string, archive: Note | undefined): PersonStep {
  const restored = restoreTask(note, id, archive);
  if (!restored.ok) return restored;
  const said = `${withTitle(restored.task)} is back from the archive`;
  return { ok: true, text: restored.note.text, said, restored: [restored.block] };
}
