import { findTask } from '../core/board/operation/find-task';
import {
  readOperation,
  type Fault,
  type Operation,
  type OperationOf,
  type Reference,
} from '../core/board/operation/read-operation';
import { fieldValues } from '../core/board/operation/task-fields';
import type { Board, TaskTarget } from '../core/board/task';
import type { PersonOperation } from '../core/board/todo-manager';
import type { SentOperation } from './operation-kinds';

type ReadAsPerson = { readonly ok: true; readonly operations: readonly PersonOperation[] } | Fault;

/** Operations in the words of the tool as what the person does to the same tasks. */
export function personOperations(board: Board, sent: readonly SentOperation[]): ReadAsPerson {
  const all: PersonOperation[] = [];
  for (const raw of sent) {
    const read = readOperation(raw);
    if (!read.ok) return read;
    const done = translated(board, read.operation);
    if (!done.ok) return done;
    all.push(...done.operations);
  }
  return { ok: true, operations: all };
}

function translated(board: Board, operation: Operation): ReadAsPerson {
  switch (operation.type) {
    case 'init':
      return done({ type: 'title', title: operation.title });
    case 'add':
      return added(board, operation);
    case 'restore':
      return done({ type: 'restore', id: idOf(board, operation.id) });
    case 'archive':
      if (operation.id === undefined) return done({ type: 'archive' });
      return on(board, operation.id, (target) => [{ type: 'archive', target }]);
    case 'update':
      return updated(board, operation);
    case 'complete':
      return on(board, operation.id, (target) => [{ type: 'status', target, status: 'completed' }]);
    case 'claim':
      return on(board, operation.id, (target) => [
        { type: 'fields', target, fields: { owner: 'me' } },
        { type: 'status', target, status: 'in_progress' },
      ]);
    case 'remove': {
      const { cascade, promote } = operation;
      const how = {
        ...(cascade !== undefined && { cascade }),
        ...(promote !== undefined && { promote }),
      };
      return on(board, operation.id, (target) => [{ type: 'remove', target, ...how }]);
    }
    case 'move':
      return placed(board, operation, (place) =>
        on(board, operation.id, (target) => [{ type: 'move', target, ...place }]),
      );
    case 'depend':
    case 'undepend':
      return connected(board, operation);
    case 'undo':
    case 'list':
    case 'get':
    case 'ready':
    case 'analyze':
    case 'history':
      return fault('not_a_persons', `${operation.type} is no change that a person makes.`);
  }
}

function added(board: Board, operation: OperationOf<'add'>): ReadAsPerson {
  const { type: _, title, parent: __, after: ___, phase: ____, ...rest } = operation;
  const more = Object.entries(rest).filter(([, value]) => value !== undefined);
  if (more.length > 0) {
    const names = more.map(([name]) => name).join(', ');
    return fault(
      'not_a_persons',
      `A person adds a task by title and place; set ${names} with update.`,
    );
  }
  return placed(board, operation, (place) => done({ type: 'add', title, ...place }));
}

function updated(board: Board, operation: OperationOf<'update'>): ReadAsPerson {
  const { id, title, status, reason, dependsOn, body } = operation;
  if (dependsOn !== undefined) {
    return fault(
      'not_a_persons',
      'A person adds and takes away what a task waits for: depend, undepend.',
    );
  }
  const { reason: why, ...others } = fieldValues(operation);
  const fields = status === undefined ? fieldValues(operation) : others;
  return on(board, id, (target) => [
    ...(title === undefined ? [] : [{ type: 'rename', target, title } as const]),
    ...(Object.keys(fields).length === 0 && body === undefined
      ? []
      : [
          {
            type: 'fields',
            target,
            fields,
            ...(body !== undefined && { body: body ?? '' }),
          } as const,
        ]),
    ...(status === undefined
      ? []
      : [
          {
            type: 'status',
            target,
            status,
            ...(typeof reason === 'string' && { reason }),
          } as const,
        ]),
  ]);
}

function connected(board: Board, operation: OperationOf<'depend' | 'undepend'>): ReadAsPerson {
  const others: TaskTarget[] = [];
  for (const reference of operation.dependsOn) {
    const other = findTask(board, reference);
    if (!other.ok) return other;
    others.push(targetOf(other.task));
  }
  return on(board, operation.id, (target) => [{ type: operation.type, target, on: others }]);
}

interface Place {
  readonly after?: TaskTarget;
  readonly parent?: TaskTarget;
  readonly phase?: string;
}

interface GivenPlace {
  readonly after?: Reference | undefined;
  readonly parent?: Reference | undefined;
  readonly phase?: string | undefined;
}

function placed(
  board: Board,
  { after, parent, phase }: GivenPlace,
  then: (place: Place) => ReadAsPerson,
): ReadAsPerson {
  const place: { -readonly [Key in keyof Place]: Place[Key] } =
    phase === undefined ? {} : { phase };
  for (const [name, reference] of [
    ['after', after],
    ['parent', parent],
  ] as const) {
    if (reference === undefined) continue;
    const found = findTask(board, reference);
    if (!found.ok) return found;
    place[name] = targetOf(found.task);
  }
  return then(place);
}

function on(
  board: Board,
  reference: Reference,
  what: (target: TaskTarget) => readonly PersonOperation[],
): ReadAsPerson {
  const found = findTask(board, reference);
  return found.ok ? { ok: true, operations: what(targetOf(found.task)) } : found;
}

function targetOf({ id, line, title }: TaskTarget): TaskTarget {
  return { id, line, title };
}

/** What is archived is named by its id; a number means one of this board. */
function idOf({ prefix }: Board, reference: Reference): string {
  const number = /^#?(\d+)$/.exec(String(reference))?.[1];
  return number === undefined ? String(reference) : `${prefix}-${number}`;
}

function done(operation: PersonOperation): ReadAsPerson {
  return { ok: true, operations: [operation] };
}

function fault(code: string, message: string): Fault {
  return { ok: false, code, message };
}
