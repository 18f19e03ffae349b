import { setTaskBody } from '../note/edit-body';
import { setTaskFields } from '../note/edit-fields';
import { setTaskDependsOn, setTaskStatus, setTaskTitle } from '../note/edit-task';
import type { Note } from '../note/note';
import type { Board, Task } from '../task';
import { whileBlocked } from './blocked-status';
import { conflictWith, type Wanted } from './conflict';
import { consequences } from './consequences';
import { edited, withIds, type Edit } from './edit-chain';
import { findTask, quoted, shortened, withTitle } from './find-task';
import { namesOf } from './names-of';
import { failed, resultOf, type Applied, type OperationContext } from './outcome';
import { prerequisites } from './prerequisites';
import type { Fault } from './read-operation';
import { refuseCycle } from './refuse-cycle';
import { FIELD_NAMES, fieldText } from './task-fields';
import { isForced, wishOf, type Update, type Wish } from './wish';

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
  const refused =
    collision(note, found.task, wish, context) ?? refuseCycle(named.note, task, wish.dependsOn);
  if (refused !== undefined) return failed(note, refused);
  const { dependsOn } = wish;
  const prepared = edited(
    named.note,
    dependsOn === undefined ? [] : [(now) => setTaskDependsOn(now, id, dependsOn)],
  );
  if (!prepared.ok) return failed(note, prepared);
  const held = whileBlocked(prepared.note.board, taskWith(prepared.note.board, id), wish.status, {
    force: isForced(operation),
    reason: wish.fields.reason,
  });
  if (held !== undefined) return failed(note, held);
  const result = edited(prepared.note, edits(id, wish, context.today));
  if (!result.ok) return failed(note, result);
  const now = taskWith(result.note.board, id);
  const said = describe(named.note, result.note, task, now, wish);
  const stays = allowed.held === undefined ? '' : ` ${allowed.held}`;
  return { note: result.note, outcome: { ok: true, said: said + stays, result: resultOf(now) } };
}

function taskWith(board: Board, id: string): Task {
  const task = board.tasks.find((one) => one.id === id);
  if (task === undefined) throw new Error(`assertion: no task ${id} after it was named`);
  return task;
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
  return conflictWith(note, task, wanted, theirs);
}

/** All but the prerequisites. Each edit reads the note again, so a reason goes with the status. */
function edits(id: string, { title, status, fields, body }: Wish, today: string): readonly Edit[] {
  const all: Edit[] = [];
  const { reason, ...others } = fields;
  const said = typeof reason === 'string' && reason.trim() !== '' ? reason : undefined;
  if (status !== undefined && said !== undefined && Object.keys(others).length === 0) {
    all.push((note) => setTaskStatus(note, id, status, { today, reason: said }));
  } else {
    if (Object.keys(fields).length > 0) all.push((note) => setTaskFields(note, id, fields));
    if (status !== undefined) all.push((note) => setTaskStatus(note, id, status, { today }));
  }
  if (title !== undefined) all.push((note) => setTaskTitle(note, id, title));
  if (body !== undefined) all.push((note) => setTaskBody(note, id, body));
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
  return `${withTitle(is)}: ${said.join(', ')}.${consequences(before, after, is, wish.status)}`;
}

function fieldsSaid(task: Task, { fields, body }: Wish): readonly string[] {
  const set = FIELD_NAMES.filter((name) => name !== 'body' && fields[name] !== undefined);
  return [
    ...set.map((name) => `${name} ${shortened(fieldText(task, name) ?? 'none', 60)}`),
    ...(body === undefined ? [] : [body === '' ? 'without a body' : 'with this body']),
  ];
}
