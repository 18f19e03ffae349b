import type { FieldValues } from '../note/edit-fields';
import { checkTitle } from '../note/title';
import type { Status, Task } from '../task';
import { withTitle } from './find-task';
import { fault } from './outcome';
import type { Fault, OperationOf } from './read-operation';
import { fieldValues } from './task-fields';

export type Update = OperationOf<'update' | 'complete' | 'depend' | 'undepend'>;

/** What an operation sets; undefined stays. */
export interface Wish {
  readonly status?: Status | undefined;
  readonly title?: string | undefined;
  readonly dependsOn?: readonly string[] | undefined;
  readonly fields: FieldValues;
  /** empty: taken away */
  readonly body: string | undefined;
}

/** What the operation may set: some tasks are done only when the person says so. */
export function wishOf(
  operation: Update,
  dependsOn: readonly string[] | undefined,
  task: Task,
): { readonly ok: true; readonly wish: Wish; readonly held?: string } | Fault {
  const title = titleOf(operation);
  if (typeof title === 'object') return title;
  const status = statusOf(operation);
  const wish: Wish = {
    status,
    title,
    dependsOn,
    fields: fieldsOf(operation),
    body: operation.type === 'update' ? bodyOf(operation.body) : undefined,
  };
  if (status !== 'completed' || task.status === 'completed' || isForced(operation)) {
    return { ok: true, wish };
  }
  if (task.owner === 'me') {
    const message = `${withTitle(task)} is the person's own task; leave it to them, or send "force": true.`;
    return fault('owned_by_person', message);
  }
  if (task.approve !== 'me') return { ok: true, wish };
  const held = 'It stays in_progress until the person approves it.';
  return { ok: true, wish: { ...wish, status: 'in_progress' }, held };
}

export function isForced(operation: Update): boolean {
  return 'force' in operation && operation.force === true;
}

function statusOf(operation: Update): Status | undefined {
  if (operation.type === 'complete') return 'completed';
  return operation.type === 'update' ? operation.status : undefined;
}

function titleOf(operation: Update): string | undefined | Fault {
  if (operation.type !== 'update' || operation.title === undefined) return undefined;
  const checked = checkTitle(operation.title);
  return checked.ok ? checked.title : checked;
}

function fieldsOf(operation: Update): FieldValues {
  if (operation.type === 'update') return fieldValues(operation);
  return operation.type === 'complete' && typeof operation.reason === 'string'
    ? { reason: operation.reason }
    : {};
}

/** null takes the body away, as an empty one does. */
function bodyOf(body: string | null | undefined): string | undefined {
  return body === undefined ? undefined : (body ?? '');
}
