import type { Note } from '../note/note';
import type { Task } from '../task';
import { waitPath } from '../wait-path';
import { nameOf } from './find-task';
import { namesOf } from './names-of';
import { fault } from './outcome';
import type { Fault } from './read-operation';
import { refuseCycle } from './refuse-cycle';

/** Why a task may not stand where it was moved to: a sub-task waits for all that those above it wait for. */
export function newCycle(now: Note, task: Task): Fault | undefined {
  const tasks = new Map(now.board.tasks.map((one) => [one.key, one]));
  const waits: string[] = [];
  let at = task.parent === null ? undefined : tasks.get(task.parent);
  while (at !== undefined) {
    waits.push(...at.dependsOn);
    at = at.parent === null ? undefined : tasks.get(at.parent);
  }
  const path = waitPath(now.board, task.key, waits);
  if (path === undefined) return refuseCycle(now, task, task.dependsOn);
  const message = `There ${nameOf(task)} would wait for itself: what it would stand under waits for ${namesOf(now, path)}.`;
  return fault('cycle', message);
}
