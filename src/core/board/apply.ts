import {
  describeArchived,
  archiveTasks,
  finishedTopLevelTasks,
  restoreTask,
} from './archive/archive-tasks';
import { isFinished, isUnderReview } from './facts';
import { fault, type Conflict, type Fault } from '../fault';
import { refuseChange } from './change-faults';
import { subtreeOf, findTask, findTasks, nameOf, quoted, nameWithTitle } from './find-task';
import { setTitle } from './note/edit-header';
import type { EditResult } from './note/edit-result';
import { applyTaskEdit, type TaskEdit } from './note/edit-task';
import { giveId, renumberTask, withIds } from './note/give-id';
import type { Note } from './note/note';
import { withText } from './note/parse-note';
import { addCompletionLine, addTask, addTypedTask, moveTask, removeTask } from './note/place-task';
import { checkTitle } from './note/title';
import { checkTypedTask } from './note/typed-task';
import type { Op, ChangeOperationOf, TaskRef } from './op';
import { toOperationResult, type OperationOutcome, type OperationResult } from './outcome';
import {
  conflictWith,
  criteriaFault,
  isReviewed,
  refusePlaceCycle,
  claimFault,
  refuseCycle,
  reviewFault,
  refuseBlocked,
  taskAsShown,
  type WantedField,
  type ApplyContext,
} from './policy';
import type { Board, Task } from './task';
import { FIELD_NAMES, fieldValues } from './tasks-schema';

/**
 * Applies one operation to a board's note. Pure: a failed operation leaves the note unchanged.
 * Differences between agents and persons are in the policy.
 */
export function apply(note: Note, op: Op, context: ApplyContext): OperationOutcome {
  const done = applyByType(note, op, context);
  if (!context.policy.guarded || !done.ok || done.note === undefined) return done;
  return reviewFault(note.board, done.note.board) ?? done;
}

function applyByType(note: Note, op: Op, context: ApplyContext): OperationOutcome {
  switch (op.type) {
    case 'init':
      return setBoardTitle(note, op, context);
    case 'add':
      return add(note, op, context);
    case 'update':
    case 'complete':
    case 'depend':
    case 'undepend':
      return update(note, op, context);
    case 'move':
      return move(note, op, context);
    case 'remove':
      return remove(note, op, context);
    case 'claim':
      return claim(note, op, context);
    case 'archive':
      return archive(note, op, context);
    case 'restore':
      return restore(note, op, context);
    case 'renumber':
      return editReferencedTask(note, op.id, 'has a number of its own', ({ id, key }) =>
        id === null ? giveId(note, key) : renumberTask(note, key),
      );
    case 'result':
      return editReferencedTask(note, op.id, 'has a result', ({ key }) =>
        addCompletionLine(note, key, 'Result', op.result),
      );
    case 'accept':
    case 'send_back':
      return review(note, op, context);
    case 'replace': {
      const now = withText(note, op.text);
      return applySuccess(now, 'replaced the whole text', { tasks: now.board.tasks.length });
    }
  }
}

function setBoardTitle(
  note: Note,
  op: ChangeOperationOf<'init'>,
  { policy, theirs }: ApplyContext,
): OperationOutcome {
  const checked = checkTitle(op.title);
  if (!checked.ok) return checked;
  const renamed = theirs.find(({ field }) => field === 'board title');
  if (renamed !== undefined && renamed.after !== checked.title) {
    const message = `The person named this board ${quoted(note.board.title)} since you last looked; that stays.`;
    const conflict: Conflict = {
      ...{ id: null, field: 'title', rev: note.board.rev },
      ...{ yours: checked.title, theirs: renamed.after },
    };
    return { ...fault('conflict', message), conflicts: [conflict] };
  }
  const now = setTitle(note, checked.title);
  if (!now.ok) return now;
  const { title } = now.board;
  return applySuccess(now, policy.wording.titled(note.board.title, title), { title, made: false });
}

function add(note: Note, op: ChangeOperationOf<'add'>, context: ApplyContext): OperationOutcome {
  const { policy, today } = context;
  const misplaced = policy.titles === 'text' ? placeFieldsFault(op) : undefined;
  if (misplaced !== undefined) return misplaced;
  const text = readTitle(note.board, op.title, context);
  if (!text.ok) return text;
  const { typed } = text;
  const behind = findTasks(note, op.after === undefined ? [] : [op.after], context, 'after');
  if (!behind.ok) return behind;
  const above = findTasks(note, op.parent === undefined ? [] : [op.parent], context, 'parent');
  if (!above.ok) return above;
  const waits = findTasks(note, op.dependsOn ?? [], context);
  if (!waits.ok) return waits;
  // An agent refers to the new task's neighbours by id later, so they get ids now.
  const near = [...(typed === undefined ? behind.tasks : []), ...above.tasks];
  const named = withIds(note, [...near, ...waits.tasks]);
  if (!named.ok) return named;
  // Giving ids keeps the order of the tasks.
  const [after, parent] = [behind, above].map(({ tasks: [task] }) =>
    task === undefined ? task : named.board.tasks[note.board.tasks.indexOf(task)]?.key,
  );
  const place = { after, parent, phase: op.phase };
  const dependsOn = [...new Set(named.ids.slice(near.length))];
  const { body } = op;
  const held = completionForReview(note.board, op, context);
  const { status } = { ...op, ...held };
  const fields = { ...fieldValues(op), ...(held && { review: held.review }) };
  const added =
    typed === undefined
      ? addTask(named, { ...place, title: text.title, today, dependsOn, fields, status })
      : addTypedTask(named, typed, place);
  if (!added.ok) return added;
  // Fields that were passed besides a typed task, whose text may contain some of them itself.
  const all = typed && [...new Set([...typed.facts.dependsOn, ...dependsOn])];
  const beside = typed && { status, fields, ...(dependsOn.length > 0 && { dependsOn: all }) };
  const whole = { fields: {}, ...beside, ...(typeof body === 'string' && { body }) };
  const now = applyTaskEdit(added, added.id, whole, today);
  if (!now.ok) return now;
  const task = now.board.tasks.find(({ key }) => key === added.id);
  const reads = typed === undefined || (task?.title === typed.title && task.malformed === null);
  if (task === undefined || !reads) return refuseChange('bad_title', 'titleMisread');
  const cycle = refusePlaceCycle(now, task, policy.name);
  const said = policy.wording.added(now, task) + (held === undefined ? '' : `.${REVIEW_NOTICE}`);
  return cycle ?? applySuccess(now, said, toOperationResult(task));
}

/** Status and review date of a task that an agent adds as completed but the person must review. */
function completionForReview(
  board: Board,
  { status, body }: ChangeOperationOf<'add'>,
  { policy, today }: ApplyContext,
): CompletionForReview | undefined {
  if (!policy.guarded || status !== 'completed') return undefined;
  const lines = (body ?? '').split(/\r\n|\r|\n/);
  const reviewed = isReviewed(board, { approve: null, body: lines });
  return reviewed ? { status: 'in_progress', review: today } : undefined;
}

interface CompletionForReview {
  readonly status: 'in_progress';
  /** date since when it waits for the person's review */
  readonly review: string;
}

/** Tells a model that the person reviews this completion. */
const REVIEW_NOTICE =
  ' It is not done until the person accepts it: it stays in_progress, and what depends on it waits. Do not wait for it: go on with other tasks; a later answer tells what the person decided.';

function placeFieldsFault({ after, parent, phase }: ChangeOperationOf<'add'>): Fault | undefined {
  if (after !== undefined && (parent !== undefined || phase !== undefined)) {
    return fault(
      'bad_field',
      'after says where the task stands; send it without parent and phase.',
    );
  }
  if (parent === undefined || phase === undefined) return undefined;
  return fault(
    'bad_field',
    'A subtask stands in the phase of its parent; send parent without phase.',
  );
}

function readTitle(board: Board, given: string, { policy }: ApplyContext) {
  if (policy.titles === 'text') return { ...checkTitle(given), typed: undefined };
  const typed = checkTypedTask(board, given);
  return typed.ok ? { ok: true as const, title: typed.title, typed } : typed;
}

type Update = ChangeOperationOf<'update' | 'complete' | 'depend' | 'undepend'>;

/**
 * Applies `update` and its short forms: `complete` sets the status, `depend` and `undepend` the
 * prerequisites.
 */
function update(note: Note, op: Update, context: ApplyContext): OperationOutcome {
  const { policy, today, told } = context;
  const found = findTask(note.board, op.id, context.seen);
  if (!found.ok) return found;
  const title =
    op.type === 'update' && op.title !== undefined
      ? readTitle(note.board, op.title, context)
      : undefined;
  if (title?.ok === false) return title;
  const waits = prerequisites(note, op, found.task, context);
  if (!waits.ok) return waits;
  const named = withIds(note, [found.task, ...waits.tasks]);
  if (!named.ok) return named;
  const [id = ''] = named.keys;
  const was = taskOf(named.board, id);
  const wanted = editOf(op, title?.title, waits.list(named.ids.slice(1)));
  const allowed = guardEdit(op, wanted, was, named.board, context);
  if (!allowed.ok) return allowed;
  const { edit } = allowed;
  const refused =
    editConflict(note, found.task, edit, context) ??
    refuseCycle(named, was, cycleRelevant(op, was, edit, context), policy.name);
  if (refused !== undefined) return refused;
  const { dependsOn, ...rest } = edit;
  const prepared = applyTaskEdit(named, id, { dependsOn, fields: {} }, today);
  if (!prepared.ok) return prepared;
  const { board } = prepared;
  const { reason } = edit.fields;
  const known = told(prepared).board;
  const blocked = policy.guarded
    ? refuseBlocked(board, taskOf(board, id), wanted.status, isForced(op), reason, known)
    : undefined;
  if (blocked !== undefined) return blocked;
  const typed = title?.typed;
  const after = applyTaskEdit(prepared, id, rest, today, typed);
  if (!after.ok) return after;
  const is = taskAsShown(after, taskOf(after.board, id), context);
  const circle = typed && refuseCycle(after, is, is.dependsOn, policy.name);
  if (circle !== undefined) return circle;
  const changed = {
    before: told(named),
    after: told(after),
    was: taskAsShown(named, was, context),
    is,
  };
  const held = edit.review === undefined ? '' : REVIEW_NOTICE;
  return applySuccess(after, policy.wording.updated(changed, edit) + held, toOperationResult(is));
}

function taskOf(board: Board, key: string): Task {
  const task = board.tasks.find((one) => one.key === key);
  if (task === undefined) throw new Error(`assertion: no task ${key} after it was named`);
  return task;
}

/**
 * Finds the tasks that an operation names as prerequisites. `list` returns the task's new
 * `dependsOn`; undefined if the operation does not change it.
 */
function prerequisites(note: Note, op: Update, { dependsOn }: Task, context: ApplyContext) {
  if (op.type === 'undepend') {
    // A task that is no longer on the board can only be named by the id in `dependsOn`.
    const written = op.dependsOn.map(idOf).filter((id) => dependsOn.includes(id));
    const rest = op.dependsOn.filter((ref) => !written.includes(idOf(ref)));
    const found = findTasks(note, rest, context);
    if (!found.ok) return found;
    const gone = new Set<string | null>([...written, ...found.tasks.map(({ id }) => id)]);
    return { ...found, tasks: [], list: () => dependsOn.filter((id) => !gone.has(id)) };
  }
  const references = op.type === 'complete' ? undefined : op.dependsOn;
  const found = findTasks(note, references ?? [], context);
  if (!found.ok) return found;
  const before = op.type === 'depend' ? dependsOn : [];
  const list = (ids: readonly string[]) => references && [...new Set([...before, ...ids])];
  return { ...found, list };
}

function idOf(ref: TaskRef): string {
  return typeof ref === 'object' ? (ref.id ?? '') : String(ref);
}

/** Prerequisites to check for cycles. A person is not refused for a cycle that existed before. */
function cycleRelevant(
  op: Update,
  { dependsOn }: Task,
  edit: TaskEdit,
  { policy }: ApplyContext,
): readonly string[] | undefined {
  if (policy.guarded || op.type !== 'depend') return edit.dependsOn;
  return edit.dependsOn?.filter((id) => !dependsOn.includes(id));
}

function editOf(
  op: Update,
  title: string | undefined,
  dependsOn: readonly string[] | undefined,
): TaskEdit {
  if (op.type === 'depend' || op.type === 'undepend') return { title, dependsOn, fields: {} };
  if (op.type === 'complete') {
    const fields = typeof op.reason === 'string' ? { reason: op.reason } : {};
    return { title, dependsOn, status: 'completed', fields };
  }
  const { approve, body, status } = op;
  const fields = { ...fieldValues(op), ...(approve !== undefined && { approve }) };
  // null removes the body, as an empty string does.
  return { title, dependsOn, status, fields, body: body === undefined ? undefined : (body ?? '') };
}

/**
 * Refuses an agent's completion of the person's own task; turns one that the person reviews into a
 * request for review.
 */
function guardEdit(
  op: Update,
  edit: TaskEdit,
  task: Task,
  board: Board,
  { policy, today, judged }: ApplyContext,
): { readonly ok: true; readonly edit: TaskEdit } | Fault {
  if (!policy.guarded) return { ok: true, edit };
  const criteria = criteriaFault(board, task, edit.body);
  if (criteria !== undefined) return criteria;
  if (edit.status !== 'completed' || task.status === 'completed') return { ok: true, edit };
  if (task.owner === 'me' && !isForced(op)) {
    const message = `${nameWithTitle(task)} is the person's own task; leave it to them, or send "force": true.`;
    return fault('owned_by_person', message);
  }
  const body = edit.body === undefined ? task.body : edit.body.split(/\r\n|\r|\n/);
  const waits = isUnderReview(task);
  if (!waits && !isReviewed(board, { ...task, body }, judged?.(board, task))) {
    return { ok: true, edit };
  }
  const review = (waits ? task.review : null) ?? today;
  return { ok: true, edit: { ...edit, status: 'in_progress', review } };
}

function isForced(op: Update): boolean {
  return 'force' in op && op.force === true;
}

function editConflict(
  note: Note,
  task: Task,
  edit: TaskEdit,
  { theirs }: ApplyContext,
): Fault | undefined {
  const wanted: WantedField[] = [];
  if (edit.status !== undefined) wanted.push({ field: 'status', value: edit.status });
  if (edit.review !== undefined) wanted.push({ field: 'review', value: edit.review });
  if (edit.title !== undefined) wanted.push({ field: 'title', value: edit.title });
  if (edit.dependsOn !== undefined) {
    wanted.push({ field: 'dependsOn', value: edit.dependsOn.join(', ') || null });
  }
  for (const name of FIELD_NAMES) {
    const value = name === 'body' ? edit.body : edit.fields[name];
    if (value !== undefined) wanted.push({ field: name, value: value === '' ? null : value });
  }
  return conflictWith(note, task, wanted, theirs);
}

/** Accepts or sends back a task that waits for the person's review. */
function review(
  note: Note,
  op: ChangeOperationOf<'accept' | 'send_back'>,
  context: ApplyContext,
): OperationOutcome {
  const found = findTask(note.board, op.id, context.seen);
  if (!found.ok) return found;
  const { task } = found;
  if (!isUnderReview(task)) {
    return refuseChange('no_review', 'noReview', { task: nameWithTitle(task) });
  }
  const named = withIds(note, [task]);
  if (!named.ok) return named;
  const [key = ''] = named.keys;
  const { today } = context;
  const status = op.type === 'accept' ? 'completed' : 'in_progress';
  const ended = applyTaskEdit(named, key, { status, fields: {} }, today);
  if (!ended.ok) return ended;
  const now = op.type === 'accept' ? ended : addCompletionLine(ended, key, 'Sent back', op.words);
  if (!now.ok) return now;
  const did = op.type === 'accept' ? 'was accepted' : `was sent back: ${op.words.trim()}`;
  return applySuccess(
    now,
    `${nameWithTitle(task)} ${did}`,
    toOperationResult(taskOf(now.board, key)),
  );
}

/** Moves a task after or before another, under a parent, or to the end of a phase. */
function move(note: Note, op: ChangeOperationOf<'move'>, context: ApplyContext): OperationOutcome {
  const { policy, seen, theirs } = context;
  const [place, ...more] = (['after', 'before', 'parent', 'phase'] as const).filter(
    (name) => op[name] !== undefined,
  );
  if (place === undefined || more.length > 0) {
    const message = 'Send one of after, parent and phase: where the task should go.';
    return fault(place === undefined ? 'missing_field' : 'bad_field', message);
  }
  const found = findTask(note.board, op.id, seen);
  if (!found.ok) return found;
  const { task } = found;
  const target = findTasks(note, place === 'phase' ? [] : [op[place] ?? ''], context, place);
  if (!target.ok) return target;
  // If a person has moved the task to another parent or phase since, it stays there.
  const places = (['parent', 'phase'] as const).map((field) => ({ field, value: undefined }));
  const conflict = conflictWith(note, task, places, theirs);
  if (conflict !== undefined) return conflict;
  const named = withIds(note, [task, ...target.tasks]);
  if (!named.ok) return named;
  const [id = '', other = ''] = named.keys;
  const now = moveTask(named, id, { [place]: place === 'phase' ? (op.phase ?? '') : other });
  if (!now.ok) return now;
  const moved = now.board.tasks.find(({ key }) => key === id);
  if (moved === undefined) return fault('bad_place', 'The task was not readable.');
  const cycle = refusePlaceCycle(now, moved, policy.name);
  if (cycle !== undefined) return cycle;
  const told = taskAsShown(now, moved, context);
  const said = policy.wording.moved(now, told, { place, beside: target.tasks[0] });
  return applySuccess(now, said, toOperationResult(told));
}

/** Removes a task without subtasks, or with `cascade` or `promote` one that has some. */
function remove(
  note: Note,
  op: ChangeOperationOf<'remove'>,
  context: ApplyContext,
): OperationOutcome {
  const { policy, seen, theirs } = context;
  const { cascade, promote } = op;
  if (cascade === true && promote === true) {
    return fault('bad_field', 'Send cascade or promote, not both.');
  }
  const found = findTask(note.board, op.id, seen);
  if (!found.ok) return found;
  const { task } = found;
  const how = cascade === true ? 'cascade' : promote === true ? 'promote' : undefined;
  for (const one of how === 'cascade' ? subtreeOf(note.board, task) : [task]) {
    const conflict = conflictWith(note, one, undefined, theirs);
    if (conflict !== undefined) return conflict;
  }
  const now = removeTask(note, task.key, how);
  return now.ok
    ? applySuccess(now, policy.wording.removed(note, now, task, how), toOperationResult(task))
    : now;
}

function claim(
  note: Note,
  op: ChangeOperationOf<'claim'>,
  context: ApplyContext,
): OperationOutcome {
  const { policy, caller, seen, theirs, today } = context;
  const found = findTask(note.board, op.id, seen);
  if (!found.ok) return found;
  const { task } = found;
  const wanted: readonly WantedField[] = [
    { field: 'owner', value: caller },
    { field: 'status', value: 'in_progress' },
  ];
  const refused =
    (policy.guarded ? claimFault(note, task.key, context) : undefined) ??
    conflictWith(note, task, wanted, theirs);
  if (refused !== undefined) return refused;
  const named = withIds(note, [task]);
  if (!named.ok) return named;
  const [id = ''] = named.keys;
  const now = applyTaskEdit(named, id, { fields: { owner: caller }, status: 'in_progress' }, today);
  if (!now.ok) return now;
  const is = taskAsShown(now, taskOf(now.board, id), context);
  return applySuccess(now, policy.wording.claimed(now, is, caller), toOperationResult(is));
}

/** Archives one task with its subtasks, or every finished top-level task with its subtasks. */
function archive(
  note: Note,
  op: ChangeOperationOf<'archive'>,
  context: ApplyContext,
): OperationOutcome {
  if (context.archiveFault !== undefined) return context.archiveFault;
  const chosen = chooseTasks(note, op, context);
  if (!chosen.ok) return chosen;
  const { tasks } = chosen;
  if (tasks.length === 0) {
    return context.policy.guarded
      ? applySuccess(note, 'nothing is finished with all its subtasks, so nothing was archived.', {
          archived: [],
        })
      : refuseChange('nothing_finished', 'nothingFinished');
  }
  const now = archiveTasks(note, tasks, op.reason);
  if (!now.ok) return now;
  const ids = now.blocks.flatMap((block) => block.ids);
  const said = describeArchived(tasks, ids.length);
  return { ...applySuccess(now, said, { archived: ids }), effects: { archived: now.blocks } };
}

function chooseTasks(
  note: Note,
  { id, tasks, force, reason }: ChangeOperationOf<'archive'>,
  context: ApplyContext,
): { readonly ok: true; readonly tasks: readonly Task[] } | Fault {
  const { board } = note;
  if (tasks !== undefined) return findTasks(note, tasks, context, 'id');
  if (id === undefined) return { ok: true, tasks: finishedTopLevelTasks(note) };
  const { policy, seen } = context;
  const found = findTask(board, id, seen);
  if (!found.ok) return found;
  const { task } = found;
  const left = subtreeOf(board, task).filter((one) => !isFinished(one));
  const forced = force === true && typeof reason === 'string';
  if (left.length === 0 || !policy.guarded || forced) return { ok: true, tasks: [task] };
  const names = left.slice(0, 10).map(nameOf).join(', ');
  if (force === true) {
    return fault('missing_field', `${names} is not finished. Send "reason" with "force".`);
  }
  return fault(
    'not_finished',
    `${nameWithTitle(task)} can't be archived: ${names} is not finished. Finish that first, or send "force": true with a reason.`,
  );
}

/** Restores a task and its subtasks from the archive to the end of its phase. */
function restore(
  note: Note,
  { id }: ChangeOperationOf<'restore'>,
  context: ApplyContext,
): OperationOutcome {
  const now = restoreTask(note, idOf(id), context.archive);
  if (!now.ok) return now;
  const { task, block } = now;
  const said = context.policy.wording.restored(task, block.ids.length);
  return { ...applySuccess(now, said, toOperationResult(task)), effects: { restored: [block] } };
}

function editReferencedTask(
  note: Note,
  id: TaskRef,
  what: string,
  edit: (task: Task) => EditResult,
): OperationOutcome {
  const found = findTask(note.board, id);
  if (!found.ok) return found;
  const now = edit(found.task);
  return now.ok
    ? applySuccess(now, `${nameWithTitle(found.task)} ${what}`, toOperationResult(found.task))
    : now;
}

function applySuccess(
  note: Note,
  said: string,
  result: OperationResult,
): OperationOutcome & { ok: true } {
  return { ok: true, note, said, result };
}
