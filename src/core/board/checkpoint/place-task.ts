import { refuse, type EditResult } from '../note/edit-result';
import { moveTask, type Target } from '../note/move-task';
import type { Note } from '../note/note';
import type { Task } from '../task';

/** Moves a task back under the parent and heading that it had; one that stands there stays where it is. */
export function placeTask(note: Note, before: Note, task: Task): EditResult {
  const now = note.board.tasks.find(({ key }) => key === task.key);
  if (now === undefined || (now.parent === task.parent && now.phase === task.phase)) {
    return { ok: true, text: note.text };
  }
  const target = oldPlace(note, before, task);
  if (target !== undefined) return moveTask(note, task.key, target);
  const message = `"${task.title}" stands elsewhere now, and no task or heading shows where it stood. Move it in the note.`;
  return refuse('bad_place', message);
}

/**
 * Where a task stood: behind the nearest task before it that still stands beside it, else under its
 * parent, else under its heading. Undefined where none of them is there.
 */
export function oldPlace(note: Note, before: Note, task: Task): Target | undefined {
  const now = new Map(note.board.tasks.map((one) => [one.key, one]));
  const at = before.board.tasks.findIndex(({ key }) => key === task.key);
  const sibling = before.board.tasks.slice(0, at).findLast((other) => {
    const there = now.get(other.key);
    const beside = other.parent === task.parent && other.phase === task.phase;
    return beside && there?.parent === task.parent && there.phase === task.phase;
  });
  if (sibling !== undefined) return { after: sibling.key };
  if (task.parent !== null) return now.has(task.parent) ? { parent: task.parent } : undefined;
  return task.phase === null ? undefined : { phase: task.phase };
}
