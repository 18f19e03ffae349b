import { boardFacts } from '../facts';
import { setTaskBody } from '../note/edit-body';
import { setTaskFields, type FieldValues } from '../note/edit-fields';
import { setTaskDependsOn, setTaskStatus, setTaskTitle } from '../note/edit-task';
import type { Note } from '../note/note';
import { checkTitle } from '../note/title';
import type { Board, Status, Task } from '../task';
import { waitPath } from '../wait-path';
import { findTasks, namesOf } from './apply-add';
import { whileBlocked } from './blocked-status';
import { conflictWith, type Wanted } from './conflict';
import { edited, withIds, type Edit } from './edit-chain';
import { findTask, nameOf, quoted, shortened, withTitle } from './find-task';
import { failed, fault, resultOf, type Applied, type OperationContext } from './outcome';
import type { Fault, OperationOf } from './read-operation';
import { FIELD_NAMES, fieldText, fieldValues } from './task-fields';

export type Update = OperationOf<'update' | 'complete' | 'depend' | 'undepend'>;

/** What an operation sets; undefined stays. */
interface Wish {
  readonly status?: Status | undefined;
  readonly title?: string | undefined;
  readonly dependsOn?: readonly string[] | undefined;
  readonly fields: FieldValues;
  readonly body: string | undefined;
}

/** `update`, and those that are one: `complete` of the status, `depend` and `undepend` of the prerequisites. */
export function applyUpdate(note: Note, operation: Update, context: OperationContext): Applied {
  const found = findTask(note.board, operation.id, context.seen);
  if (!found.ok) return failed(note, found);
  const waits = prerequisites(note, operation, found.task, context);
  if (!waits.ok) return failed(note, waits);
  const named = withIds(note, [found.task, ...waits.tasks]);
  if (!named.ok) return failed(note, named);
  const [id = '', ...ids] = named.ids;
  const task = taskWith(named.note.board, id);
  const allowed = wishOf(operation, waits.list(ids), task);
  if (!allowed.ok) return failed(note, allowed);
  const { wish } = allowed;
  const refused = collision(note, found.task, wish, context) ?? cycle(named.note, task, wish);
  if (refused !== undefined) return failed(note, refused);
  const prepared = edited(named.note, edits(id, { ...wish, status: undefined }, context.today));
  if (!prepared.ok) return failed(note, prepared);
  const held = whileBlocked(prepared.note.board, taskWith(prepared.note.board, id), wish.status, {
    force: forced(operation),
    reason: wish.fields.reason,
  });
  if (held !== undefined) return failed(note, held);
  const result = edited(
    prepared.note,
    edits(id, { status: wish.status, fields: {}, body: undefined }, context.today),
  );
  if (!result.ok) return failed(note, result);
  const now = taskWith(result.note.board, id);
  const said = describe(named.note, result.note, task, now, wish);
  const stays = allowed.held === undefined ? '' : ` ${allowed.held}`;
  return { note: result.note, outcome: { ok: true, said: said + stays, result: resultOf(now) } };
}

type Waits =
  | Fault
  | {
      readonly ok: true;
      readonly tasks: readonly Task[];
      /** the whole list of prerequisites afterwards, from the ids of `tasks`; undefined: as it is */
      readonly list: (ids: readonly string[]) => readonly string[] | undefined;
    };

function prerequisites(
  note: Note,
  operation: Update,
  { dependsOn }: Task,
  context: OperationContext,
): Waits {
  if (operation.type === 'undepend') {
    // One that is no longer on the board can only be named as it is written.
    const written = operation.dependsOn.map(String).filter((id) => dependsOn.includes(id));
    const rest = operation.dependsOn.filter((id) => !written.includes(String(id)));
    const found = findTasks(note, rest, context);
    if (!found.ok) return found;
    const gone = new Set<string | null>([...written, ...found.tasks.map(({ id }) => id)]);
    return { ok: true, tasks: [], list: () => dependsOn.filter((id) => !gone.has(id)) };
  }
  const references = operation.type === 'complete' ? undefined : operation.dependsOn;
  const found = findTasks(note, references ?? [], context);
  if (!found.ok) return found;
  const before = operation.type === 'depend' ? dependsOn : [];
  return { ...found, list: (ids) => references && [...new Set([...before, ...ids])] };
}

function taskWith(board: Board, id: string): Task {
  const task = board.tasks.find((one) => one.id === id);
  if (task === undefined) throw new Error(`assertion: no task ${id} after it was named`);
  return task;
}

/** What the operation may set: some tasks are done only when the person says so. */
function wishOf(
  operation: Update,
  dependsOn: readonly string[] | undefined,
  task: Task,
): { readonly ok: true; readonly wish: Wish; readonly held?: string } | Fault {
  const status =
    operation.type === 'complete'
      ? 'completed'
      : operation.type === 'update'
        ? operation.status
        : undefined;
  let title: string | undefined;
  if (operation.type === 'update' && operation.title !== undefined) {
    const checked = checkTitle(operation.title);
    if (!checked.ok) return checked;
    title = checked.title;
  }
  const fields = fieldsOf(operation);
  const body = operation.type === 'update' ? bodyOf(operation.body) : undefined;
  const wish = { status, title, dependsOn, fields, body };
  if (status !== 'completed' || task.status === 'completed' || forced(operation)) {
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

function fieldsOf(operation: Update): FieldValues {
  if (operation.type === 'update') return fieldValues(operation);
  return operation.type === 'complete' && typeof operation.reason === 'string'
    ? { reason: operation.reason }
    : {};
}

function forced(operation: Update): boolean {
  return 'force' in operation && operation.force === true;
}

/** null takes the body away, as an empty one does. */
function bodyOf(body: string | null | undefined): string | undefined {
  return body === undefined ? undefined : (body ?? '');
}

function collision(
  note: Note,
  task: Task,
  wish: Wish,
  { theirs }: OperationContext,
): Fault | undefined {
  const wanted: Wanted[] = [];
  if (wish.status !== undefined) wanted.push({ field: 'status', value: wish.status });
  if (wish.title !== undefined) wanted.push({ field: 'title', value: wish.title });
  if (wish.dependsOn !== undefined) {
    wanted.push({ field: 'dependsOn', value: wish.dependsOn.join(', ') || null });
  }
  for (const name of FIELD_NAMES) {
    const value = name === 'body' ? wish.body : wish.fields[name];
    if (value !== undefined) wanted.push({ field: name, value: value === '' ? null : value });
  }
  return wanted
    .map((one) => conflictWith(note, task, one, theirs))
    .find((conflict) => conflict !== undefined);
}

function cycle(note: Note, task: Task, { dependsOn }: Wish): Fault | undefined {
  const path = dependsOn && waitPath(note.board, task.key, dependsOn);
  if (path === undefined) return undefined;
  const own = nameOf(task);
  const end = path[path.length - 1];
  const way = namesOf(note, path);
  const why =
    end === task.id
      ? ''
      : ` (${namesOf(note, [end ?? ''])} is a sub-task of ${own}, and waits with it)`;
  return fault('cycle', `This would make ${own} wait for itself: ${own}, ${way}${why}.`);
}

function edits(
  id: string,
  { dependsOn, title, status, fields, body }: Wish,
  today: string,
): readonly Edit[] {
  const all: Edit[] = [];
  if (dependsOn !== undefined) all.push((note) => setTaskDependsOn(note, id, dependsOn));
  if (title !== undefined) all.push((note) => setTaskTitle(note, id, title));
  if (Object.keys(fields).length > 0) all.push((note) => setTaskFields(note, id, fields));
  if (body !== undefined) all.push((note) => setTaskBody(note, id, body));
  if (status !== undefined) all.push((note) => setTaskStatus(note, id, status, { today }));
  return all;
}

function describe(before: Note, after: Note, was: Task, is: Task, wish: Wish): string {
  const said: string[] = [];
  if (wish.title !== undefined) {
    said.push(was.title === is.title ? 'had this title' : `was ${quoted(was.title)}`);
  }
  if (wish.dependsOn !== undefined) {
    const { dependsOn } = is;
    said.push(`waits for ${dependsOn.length === 0 ? 'nothing' : namesOf(after, dependsOn)}`);
  }
  said.push(...fieldsSaid(is, wish));
  if (wish.status !== undefined) {
    said.push(was.status === is.status ? `was ${is.status} already` : `is ${is.status}`);
  }
  return `${withTitle(is)}: ${said.join(', ')}.${consequences(before, after, is, wish)}`;
}

function fieldsSaid(task: Task, { fields, body }: Wish): readonly string[] {
  const set = FIELD_NAMES.filter((name) => name !== 'body' && fields[name] !== undefined);
  return [
    ...set.map((name) => `${name} ${shortened(fieldText(task, name) ?? 'none', 60)}`),
    ...(body === undefined ? [] : [body === '' ? 'without a body' : 'with this body']),
  ];
}

function consequences(before: Note, after: Note, task: Task, { status }: Wish): string {
  if (status === undefined) return '';
  const [was, is] = [boardFacts(before.board), boardFacts(after.board)];
  const names = (tasks: readonly Task[]): string =>
    `${tasks.slice(0, 10).map(nameOf).join(', ')}${tasks.length > 10 ? ` and ${tasks.length - 10} more` : ''}`;
  const said: string[] = [];
  const open = status === 'completed' ? openSubTasks(after.board, task) : [];
  if (open.length > 0) said.push(` Its open sub-tasks keep their status: ${names(open)}.`);
  const waits =
    status === 'in_progress' || status === 'completed' ? is.get(task.key)?.blockedBy : [];
  if (waits !== undefined && waits.length > 0) {
    said.push(` It still waited for ${namesOf(after, waits)}.`);
  }
  const freed = after.board.tasks.filter(
    ({ key }) =>
      was.get(key)?.blocked === true && is.get(key)?.blocked === false && key !== task.key,
  );
  if (freed.length > 0) said.push(` Unblocked: ${names(freed)}.`);
  return said.join('');
}

function openSubTasks(board: Board, task: Task): readonly Task[] {
  const family = new Set([task.key]);
  return board.tasks.filter((one) => {
    if (one.parent === null || !family.has(one.parent)) return false;
    family.add(one.key);
    return one.status !== 'completed' && one.status !== 'cancelled';
  });
}
