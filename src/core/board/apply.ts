import { archivedSaid, archiveTasks, finishedTops, restoreTask } from './archive/archive-tasks';
import { isFinished } from './facts';
import { fault, type Conflict, type Fault } from '../fault';
import { familyOf, findTask, findTasks, nameOf, quoted, withTitle } from './find-task';
import { edited, withIds, type Edit } from './note/edit-chain';
import { setTitle } from './note/edit-header';
import {
  setTaskBody,
  setTaskDependsOn,
  setTaskFields,
  setTaskStatus,
  setTaskTitle,
  typedEdits,
} from './note/edit-task';
import { reissue } from './note/give-id';
import type { Note } from './note/note';
import { parseNote, withText } from './note/parse-note';
import { addTask, addTypedTask, moveTask, removeTask } from './note/place-task';
import { checkTitle } from './note/title';
import { type TypedTask, checkTyped } from './note/typed-task';
import type { Op, OpOf, TaskRef } from './op';
import { failed, resultOf, type Applied, type OperationResult } from './outcome';
import {
  conflictWith,
  newCycle,
  notFree,
  refuseCycle,
  whileBlocked,
  toldTask,
  type Wanted,
  type ApplyContext,
} from './policy';
import type { Wish } from './said';
import type { Board, Task } from './task';
import { FIELD_NAMES, fieldValues } from './tasks-schema';

/**
 * Makes one change of a board's note. Pure: what failed leaves the note as it was. What an agent
 * and a person may differ in is the policy's.
 */
export function apply(note: Note, op: Op, context: ApplyContext): Applied {
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
      return renumber(note, op);
  }
}

function setBoardTitle(note: Note, op: OpOf<'init'>, { policy, theirs }: ApplyContext): Applied {
  const checked = checkTitle(op.title);
  if (!checked.ok) return failed(note, checked);
  const renamed = theirs.find(({ field }) => field === 'board title');
  if (renamed !== undefined && renamed.after !== checked.title) {
    const message = `The person named this board ${quoted(note.board.title)} since you last looked; that stays.`;
    const conflict: Conflict = {
      ...{ id: null, field: 'title', rev: note.board.rev },
      ...{ yours: checked.title, theirs: renamed.after },
    };
    return failed(note, { ...fault('conflict', message), conflicts: [conflict] });
  }
  const result = setTitle(note, checked.title);
  if (!result.ok) return failed(note, result);
  const now = parseNote(note.board.path, result.text);
  const { title } = now.board;
  return done(now, policy.tell.titled(note.board.title, title), { title, made: false });
}

function add(note: Note, op: OpOf<'add'>, context: ApplyContext): Applied {
  const { policy } = context;
  const misplaced = policy.titles === 'text' ? placedTwice(op) : undefined;
  if (misplaced !== undefined) return failed(note, misplaced);
  const text = readTitle(note.board, op.title, context);
  if (!text.ok) return failed(note, text);
  const near = nearTasks(note, op, context);
  if (!near.ok) return failed(note, near);
  const waits = findTasks(note, op.dependsOn ?? [], context);
  if (!waits.ok) return failed(note, waits);
  const named = withIds(note, [...near.named, ...waits.tasks]);
  if (!named.ok) return failed(note, named);
  const keyOf = keysBefore(note, named.note);
  const place = {
    ...(near.after !== undefined && { after: keyOf(near.after) }),
    ...(near.parent !== undefined && { parent: keyOf(near.parent) }),
    ...(op.phase !== undefined && { phase: op.phase }),
  };
  const { typed } = text;
  const dependsOn = [...new Set(named.ids.slice(near.named.length))];
  const { status, body } = op;
  const fields = fieldValues(op);
  const added =
    typed === undefined
      ? addTask(named.note, {
          ...{ ...place, title: text.title, today: context.today, dependsOn, fields },
          ...(status !== undefined && { status }),
        })
      : addTypedTask(named.note, typed, place);
  if (!added.ok) return failed(note, added);
  const { key } = added;
  const beside = { status, fields, ...(dependsOn.length > 0 && { dependsOn }) };
  const whole = edited(parseNote(note.board.path, added.text), [
    ...(typed === undefined ? [] : withTyped(key, typed, beside, context.today)),
    ...(typeof body === 'string' ? [(now: Note) => setTaskBody(now, key, body)] : []),
  ]);
  if (!whole.ok) return failed(note, whole);
  const now = whole.note;
  const task = now.board.tasks.find(({ key }) => key === added.key);
  if (task === undefined || (typed !== undefined && !readsAsTyped(task, typed))) {
    return failed(note, fault('bad_title', NOT_THERE));
  }
  const cycle = newCycle(now, task, policy.name);
  if (cycle !== undefined) return failed(note, cycle);
  return done(now, policy.tell.added(now, task), resultOf(task));
}

/** What is given beside a typed task, which may say some of it itself. */
function withTyped(
  key: string,
  typed: TypedTask,
  { status, dependsOn, fields }: Wish,
  today: string,
): readonly Edit[] {
  const all = dependsOn && [...new Set([...typed.facts.dependsOn, ...dependsOn])];
  return [
    ...(all === undefined ? [] : [(now: Note) => setTaskDependsOn(now, key, all)]),
    ...(Object.keys(fields).length === 0 ? [] : [(now: Note) => setTaskFields(now, key, fields)]),
    ...(status === undefined ? [] : [(now: Note) => setTaskStatus(now, key, status, { today })]),
  ];
}

const NOT_THERE = 'There the line would say something else. Type another title.';

function readsAsTyped(task: Task, typed: TypedTask): boolean {
  return task.title === typed.title && task.malformed === null;
}

function placedTwice({ after, parent, phase }: OpOf<'add'>): Fault | undefined {
  if (after !== undefined && (parent !== undefined || phase !== undefined)) {
    return fault(
      'bad_field',
      'after says where the task stands; send it without parent and phase.',
    );
  }
  if (parent === undefined || phase === undefined) return undefined;
  return fault(
    'bad_field',
    'A sub-task stands in the phase of its parent; send parent without phase.',
  );
}

interface Near {
  readonly ok: true;
  readonly after?: Task;
  readonly parent?: Task;
  /** those that are given an id: an agent names them by it later */
  readonly named: readonly Task[];
}

function nearTasks(
  note: Note,
  { after, parent }: OpOf<'add'>,
  context: ApplyContext,
): Near | Fault {
  const behind = findTasks(note, after === undefined ? [] : [after], context, 'after');
  if (!behind.ok) return behind;
  const above = findTasks(note, parent === undefined ? [] : [parent], context, 'parent');
  if (!above.ok) return above;
  const typed = context.policy.titles === 'typed';
  return {
    ok: true,
    ...(behind.tasks[0] !== undefined && { after: behind.tasks[0] }),
    ...(above.tasks[0] !== undefined && { parent: above.tasks[0] }),
    named: typed ? above.tasks : [...behind.tasks, ...above.tasks],
  };
}

/** The keys of tasks after some were given ids: the order of the tasks stays. */
function keysBefore(before: Note, now: Note): (task: Task) => string {
  return (task) => now.board.tasks[before.board.tasks.indexOf(task)]?.key ?? task.key;
}

type TitleRead = { readonly ok: true; readonly title: string; readonly typed?: TypedTask } | Fault;

function readTitle(board: Board, given: string, { policy }: ApplyContext): TitleRead {
  if (policy.titles === 'text') return checkTitle(given);
  const typed = checkTyped(board, given);
  return typed.ok ? { ok: true, title: typed.title, typed } : typed;
}

type Update = OpOf<'update' | 'complete' | 'depend' | 'undepend'>;

/** `update`, and those that are one: `complete` of the status, `depend` and `undepend` of the prerequisites. */
function update(note: Note, op: Update, context: ApplyContext): Applied {
  const { policy } = context;
  const found = findTask(note.board, op.id, context.seen);
  if (!found.ok) return failed(note, found);
  const title =
    op.type === 'update' && op.title !== undefined
      ? readTitle(note.board, op.title, context)
      : undefined;
  if (title?.ok === false) return failed(note, title);
  const waits = prerequisites(note, op, found.task, context);
  if (!waits.ok) return failed(note, waits);
  const named = withIds(note, [found.task, ...waits.tasks]);
  if (!named.ok) return failed(note, named);
  const [id = ''] = named.keys;
  const [, ...ids] = named.ids;
  const was = taskOf(named.note.board, id);
  const allowed = allow(op, wishOf(op, title?.title, waits.list(ids)), was, context);
  if (!allowed.ok) return failed(note, allowed);
  const { wish } = allowed;
  const refused =
    collision(note, found.task, wish, context) ??
    refuseCycle(named.note, was, cycleRelevant(op, was, wish, context), policy.name);
  if (refused !== undefined) return failed(note, refused);
  const { dependsOn } = wish;
  const prepared = edited(
    named.note,
    dependsOn === undefined ? [] : [(now) => setTaskDependsOn(now, id, dependsOn)],
  );
  if (!prepared.ok) return failed(note, prepared);
  const held = policy.guarded
    ? whileBlocked(prepared.note.board, taskOf(prepared.note.board, id), wish.status, {
        force: isForced(op),
        reason: wish.fields.reason,
        told: context.told(prepared.note).board,
      })
    : undefined;
  if (held !== undefined) return failed(note, held);
  const typed = title?.typed;
  const result = edited(prepared.note, edits(id, wish, typed, context.today));
  if (!result.ok) return failed(note, result);
  const is = toldTask(result.note, taskOf(result.note.board, id), context);
  const circle = typed && refuseCycle(result.note, is, is.dependsOn, policy.name);
  if (circle !== undefined) return failed(note, circle);
  const said = policy.tell.updated(
    {
      before: context.told(named.note),
      after: context.told(result.note),
      was: toldTask(named.note, was, context),
      is,
    },
    wish,
  );
  return done(result.note, said + (allowed.held ?? ''), resultOf(is));
}

function taskOf(board: Board, key: string): Task {
  const task = board.tasks.find((one) => one.key === key);
  if (task === undefined) throw new Error(`assertion: no task ${key} after it was named`);
  return task;
}

type Prerequisites =
  | Fault
  | {
      readonly ok: true;
      readonly tasks: readonly Task[];
      /** the whole list of prerequisites afterwards, from the ids of `tasks`; undefined: as it is */
      readonly list: (ids: readonly string[]) => readonly string[] | undefined;
    };

/** The tasks that an operation names as prerequisites, and what its task waits for then. */
function prerequisites(
  note: Note,
  op: Update,
  { dependsOn }: Task,
  context: ApplyContext,
): Prerequisites {
  if (op.type === 'undepend') {
    // One that is no longer on the board can only be named as it is written.
    const written = op.dependsOn.map(idOf).filter((id) => dependsOn.includes(id));
    const rest = op.dependsOn.filter((ref) => !written.includes(idOf(ref)));
    const found = findTasks(note, rest, context);
    if (!found.ok) return found;
    const gone = new Set<string | null>([...written, ...found.tasks.map(({ id }) => id)]);
    return { ok: true, tasks: [], list: () => dependsOn.filter((id) => !gone.has(id)) };
  }
  const references = op.type === 'complete' ? undefined : op.dependsOn;
  const found = findTasks(note, references ?? [], context);
  if (!found.ok) return found;
  const before = op.type === 'depend' ? dependsOn : [];
  return { ...found, list: (ids) => references && [...new Set([...before, ...ids])] };
}

function idOf(ref: TaskRef): string {
  return typeof ref === 'object' ? (ref.id ?? '') : String(ref);
}

/** A person who adds a prerequisite is not refused for a circle that stood there before. */
function cycleRelevant(
  op: Update,
  { dependsOn }: Task,
  wish: Wish,
  { policy }: ApplyContext,
): readonly string[] | undefined {
  if (policy.guarded || op.type !== 'depend') return wish.dependsOn;
  return wish.dependsOn?.filter((id) => !dependsOn.includes(id));
}

function wishOf(
  op: Update,
  title: string | undefined,
  dependsOn: readonly string[] | undefined,
): Wish {
  const wish = { title, dependsOn };
  switch (op.type) {
    case 'update': {
      const { approve, body, status } = op;
      const fields = { ...fieldValues(op), ...(approve !== undefined && { approve }) };
      // null takes the body away, as an empty one does.
      return { ...wish, status, fields, body: body === undefined ? undefined : (body ?? '') };
    }
    case 'complete':
      return {
        ...wish,
        status: 'completed',
        fields: typeof op.reason === 'string' ? { reason: op.reason } : {},
      };
    case 'depend':
    case 'undepend':
      return { ...wish, fields: {} };
  }
}

type Allowed = { readonly ok: true; readonly wish: Wish; readonly held?: string } | Fault;

/** Some tasks are done by an agent only when the person says so. */
function allow(op: Update, wish: Wish, task: Task, { policy }: ApplyContext): Allowed {
  const completes = wish.status === 'completed' && task.status !== 'completed';
  if (!policy.guarded || !completes || isForced(op)) return { ok: true, wish };
  if (task.owner === 'me') {
    const message = `${withTitle(task)} is the person's own task; leave it to them, or send "force": true.`;
    return fault('owned_by_person', message);
  }
  if (task.approve !== 'me') return { ok: true, wish };
  const held = ' It stays in_progress until the person approves it.';
  return { ok: true, wish: { ...wish, status: 'in_progress' }, held };
}

function isForced(op: Update): boolean {
  return 'force' in op && op.force === true;
}

function collision(
  note: Note,
  task: Task,
  wish: Wish,
  { theirs }: ApplyContext,
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
function edits(
  id: string,
  { title, status, fields, body }: Wish,
  typed: TypedTask | undefined,
  today: string,
): readonly Edit[] {
  const all: Edit[] = [];
  const { reason, ...others } = fields;
  const said = typeof reason === 'string' && reason.trim() !== '' ? reason : undefined;
  if (status !== undefined && said !== undefined && Object.keys(others).length === 0) {
    all.push((note) => setTaskStatus(note, id, status, { today, reason: said }));
  } else {
    if (Object.keys(fields).length > 0) all.push((note) => setTaskFields(note, id, fields));
    if (status !== undefined) all.push((note) => setTaskStatus(note, id, status, { today }));
  }
  if (typed !== undefined) all.push(...typedEdits(id, typed));
  else if (title !== undefined) all.push((note) => setTaskTitle(note, id, title));
  if (body !== undefined) all.push((note) => setTaskBody(note, id, body));
  return all;
}

/** After a task, under a parent, or to the end of a phase. */
function move(note: Note, op: OpOf<'move'>, context: ApplyContext): Applied {
  const { policy, seen, theirs } = context;
  const [place, ...more] = (['after', 'parent', 'phase'] as const).filter(
    (name) => op[name] !== undefined,
  );
  if (place === undefined || more.length > 0) {
    const message = 'Send one of after, parent and phase: where the task shall stand.';
    return failed(note, fault(place === undefined ? 'missing_field' : 'bad_field', message));
  }
  const found = findTask(note.board, op.id, seen);
  if (!found.ok) return failed(note, found);
  const { task } = found;
  const target = findTasks(note, place === 'phase' ? [] : [op[place] ?? ''], context, place);
  if (!target.ok) return failed(note, target);
  // A person who moved it to another parent or phase since has it stay there.
  const places = (['parent', 'phase'] as const).map((field) => ({ field, value: undefined }));
  const conflict = conflictWith(note, task, places, theirs);
  if (conflict !== undefined) return failed(note, conflict);
  const named = withIds(note, [task, ...target.tasks]);
  if (!named.ok) return failed(note, named);
  const [id = '', other = ''] = named.keys;
  const to = place === 'phase' ? (op.phase ?? '') : other;
  const result = moveTask(named.note, id, { [place]: to });
  if (!result.ok) return failed(note, result);
  const now = parseNote(note.board.path, result.text);
  const moved = now.board.tasks.find(({ key }) => key === id);
  if (moved === undefined) return failed(note, fault('bad_place', 'The task was not readable.'));
  const cycle = newCycle(now, moved, policy.name);
  if (cycle !== undefined) return failed(note, cycle);
  const told = toldTask(now, moved, context);
  const said = policy.tell.moved(now, told, { place, beside: target.tasks[0] });
  return done(now, said, resultOf(told));
}

/** A leaf, or a task with what hangs under it. */
function remove(note: Note, op: OpOf<'remove'>, context: ApplyContext): Applied {
  const { policy, seen, theirs } = context;
  const { cascade, promote } = op;
  if (cascade === true && promote === true) {
    return failed(note, fault('bad_field', 'Send cascade or promote, not both.'));
  }
  const found = findTask(note.board, op.id, seen);
  if (!found.ok) return failed(note, found);
  const { task } = found;
  const how = cascade === true ? 'cascade' : promote === true ? 'promote' : undefined;
  const touched = how === 'cascade' ? familyOf(note.board, task) : [task];
  for (const one of touched) {
    const conflict = conflictWith(note, one, undefined, theirs);
    if (conflict !== undefined) return failed(note, conflict);
  }
  const result = removeTask(note, task.key, how);
  if (!result.ok) return failed(note, result);
  const now = parseNote(note.board.path, result.text);
  return done(now, policy.tell.removed(note, now, task, how), resultOf(task));
}

function claim(note: Note, op: OpOf<'claim'>, context: ApplyContext): Applied {
  const { policy, caller, seen, theirs, today } = context;
  const found = findTask(note.board, op.id, seen);
  if (!found.ok) return failed(note, found);
  const { task } = found;
  const wanted: readonly Wanted[] = [
    { field: 'owner', value: caller },
    { field: 'status', value: 'in_progress' },
  ];
  const refused =
    (policy.guarded ? notFree(note, task.key, context) : undefined) ??
    conflictWith(note, task, wanted, theirs);
  if (refused !== undefined) return failed(note, refused);
  const named = withIds(note, [task]);
  if (!named.ok) return failed(note, named);
  const [id = ''] = named.keys;
  const result = edited(named.note, [
    (now) => setTaskFields(now, id, { owner: caller }),
    (now) => setTaskStatus(now, id, 'in_progress', { today }),
  ]);
  if (!result.ok) return failed(note, result);
  const now = toldTask(result.note, taskOf(result.note.board, id), context);
  return done(result.note, policy.tell.claimed(result.note, now, caller), resultOf(now));
}

/** One task with its sub-tasks, or every finished task at the top with its. */
function archive(note: Note, op: OpOf<'archive'>, context: ApplyContext): Applied {
  if (context.archiveFault !== undefined) return failed(note, context.archiveFault);
  const chosen = chooseTasks(note, op, context);
  if (!chosen.ok) return failed(note, chosen);
  const { tasks } = chosen;
  if (tasks.length === 0) {
    if (!context.policy.guarded) {
      const message = 'No task is finished with all its sub-tasks.';
      return failed(note, fault('nothing_finished', message));
    }
    const said = 'nothing is finished with all its sub-tasks, so nothing was archived.';
    return done(note, said, { archived: [] });
  }
  const moved = archiveTasks(note, tasks, op.reason);
  if (!moved.ok) return failed(note, moved);
  const ids = moved.blocks.flatMap((block) => block.ids);
  const now = parseNote(note.board.path, moved.text);
  return {
    ...done(now, archivedSaid(tasks, ids.length), { archived: ids }),
    effects: { archived: moved.blocks },
  };
}

function chooseTasks(
  note: Note,
  { id, force, reason }: OpOf<'archive'>,
  { policy, seen }: ApplyContext,
): { readonly ok: true; readonly tasks: readonly Task[] } | Fault {
  const { board } = note;
  if (id === undefined) return { ok: true, tasks: finishedTops(note) };
  const found = findTask(board, id, seen);
  if (!found.ok) return found;
  const { task } = found;
  const left = familyOf(board, task).filter((one) => !isFinished(one));
  if (left.length === 0 || !policy.guarded) return { ok: true, tasks: [task] };
  const names = left.slice(0, 10).map(nameOf).join(', ');
  if (force !== true) {
    return fault(
      'not_finished',
      `${withTitle(task)} can't be archived: ${names} is not finished. Finish that first, or send "force": true with a reason.`,
    );
  }
  if (typeof reason === 'string') return { ok: true, tasks: [task] };
  return fault('missing_field', `${names} is not finished. Send "reason" with "force".`);
}

/** A task from the archive with all under it, to the end of its phase. */
function restore(note: Note, { id }: OpOf<'restore'>, context: ApplyContext): Applied {
  const restored = restoreTask(note, idOf(id), context.archive);
  if (!restored.ok) return failed(note, restored);
  const { task, block } = restored;
  const said = context.policy.tell.restored(task, block.ids.length);
  return { ...done(restored.note, said, resultOf(task)), effects: { restored: [block] } };
}

function renumber(note: Note, { id }: OpOf<'renumber'>): Applied {
  const found = findTask(note.board, id);
  if (!found.ok) return failed(note, found);
  const result = reissue(note, found.task.key);
  if (!result.ok) return failed(note, result);
  const said = `${withTitle(found.task)} has a number of its own`;
  return done(withText(note, result.text), said, resultOf(found.task));
}

function done(note: Note, said: string, result: OperationResult): Applied {
  return { note, outcome: { ok: true, said, result } };
}
