import { bodyMeaning } from './note/body-meaning';
import { nameOf } from './operation/find-task';
import type { Operation } from './operation/read-operation';
import type { Task } from './task';

/**
 * Why a session that was started for a task may not change it so; undefined where it may. What says
 * when the task is done, and whose word that is, is not for who works on it to change.
 */
export function beyondOwn(operation: Operation, task: Task): string | undefined {
  const name = nameOf(task);
  const persons = task.owner === 'me' || task.approve === 'me';
  if (persons && 'force' in operation && operation.force === true) {
    return `${name} is done when the person says so, and "force" is not for this session`;
  }
  if (operation.type !== 'update') return undefined;
  if (task.owner === 'me' && operation.owner !== undefined && operation.owner !== 'me') {
    return `${name} is the person's own task, and this session may not take it`;
  }
  if (operation.body === undefined) return undefined;
  const body = (operation.body ?? '').split(/\r\n|\r|\n/);
  return same(bodyMeaning({ body }).success, bodyMeaning(task).success)
    ? undefined
    : `The lines "Success: …" of ${name} say when it is done: send them in the body as they are`;
}

function same(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((line, at) => line === b[at]);
}
