import { isFinished } from '../facts';
import { refuseBroken } from '../note/edit-header';
import {
  applySplices,
  refuse,
  type EditRefusal,
  type EditResult,
  type Splice,
} from '../note/edit-result';
import {
  findTaskLine,
  setTaskBody,
  setTaskDependsOn,
  setTaskFields,
  setTaskStatus,
  type FieldValues,
} from '../note/edit-task';
import type { Note } from '../note/note';
import { parseNote } from '../note/parse-note';
import { addTask, moveTask, removeTask, type Target } from '../note/place-task';
import type { Board, Task } from '../task';
import { OWN_FIELDS } from '../note/line-facts';

interface RollBackOptions {
  /** local date, `YYYY-MM-DD` */
  readonly today: string;
  /** what is rolled back to, for the reason of tasks that stay as cancelled */
  readonly name: string;
}

export interface RolledBack {
  readonly ok: true;
  readonly text: string;
  /** what could not be put back as it was, a sentence each */
  readonly left: readonly string[];
}

/**
 * The tasks of a board as they were; all other text as it is now. A task line says again what it said,
 * in the place under its parent or heading; what is gone is put back, with the text that was under it.
 * A task that was added since goes, but stays as cancelled where it has text or other lines under it.
 * Lines without an id are a person's own: they come and go with nobody. Pure.
 * @param before the note as the checkpoint holds it
 */
export function rollBack(
  note: Note,
  before: Note,
  options: RollBackOptions,
): RolledBack | EditRefusal {
  if (before.layout === null) return refuseBroken(before);
  if (note.layout === null) return refuseBroken(note);
  const left: string[] = [];
  let now = note;
  for (const task of before.board.tasks) {
    if (task.key !== task.id) continue;
    const put = now.board.tasks.some(({ key }) => key === task.key)
      ? placeTask(now, before, task)
      : restoreTask(now, before, task, options.today);
    if (put.ok) now = parseNote(now.board.path, put.text);
    else left.push(put.message);
  }
  now = parseNote(now.board.path, sameLines(now, before, options.today));
  const added = addedSince(now, before);
  for (const key of added.reverse()) {
    const gone = takeAway(now, key, options);
    if (gone.ok) now = parseNote(now.board.path, gone.text);
    else left.push(gone.message);
  }
  return { ok: true, text: now.text, left };
}

function addedSince(now: Note, before: Note): string[] {
  const known = new Set(pairTasks(before.board, now.board).values());
  return now.board.tasks
    .filter((task): task is Task & { id: string } => task.id === task.key && !known.has(task))
    .map(({ key }) => key);
}

/** Sub-tasks were taken away before; who still has some, or text, is kept for the sake of it. */
function takeAway(
  note: Note,
  key: string,
  { today, name }: RollBackOptions,
): { readonly ok: true; readonly text: string } | EditRefusal {
  const removed = removeTask(note, key);
  if (removed.ok || (removed.code !== 'has_body' && removed.code !== 'has_children')) {
    return removed;
  }
  const task = note.board.tasks.find((one) => one.key === key);
  if (task === undefined || isFinished(task)) return { ok: true, text: note.text };
  const reason = `Added after ${name}, which the board was rolled back to`;
  return setTaskStatus(note, key, 'cancelled', { today, reason });
}

/**
 * The tasks of a board in two states: by id; a line that had none by its title, if it got one since or
 * still has none. The second of a duplicated id, and lines that only one state has, are nobody's partner.
 */
function pairTasks(before: Board, now: Board): ReadonlyMap<Task, Task> {
  const named = new Map(
    now.tasks.flatMap((task) => (task.key === task.id ? [[task.id, task]] : [])),
  );
  const pairs = new Map<Task, Task>();
  const known = new Set(before.tasks.map(({ id }) => id));
  const free = new Map<string, Task[]>();
  for (const task of now.tasks) {
    if (task.id !== null && known.has(task.id)) continue;
    free.set(task.title, [...(free.get(task.title) ?? []), task]);
  }
  for (const task of before.tasks) {
    const partner = task.id === null ? free.get(task.title)?.shift() : named.get(task.id);
    if (partner !== undefined && (task.id === null || task.key === task.id)) {
      pairs.set(task, partner);
    }
  }
  return pairs;
}

/** Moves a task back under the parent and heading that it had; one that stands there stays where it is. */
function placeTask(note: Note, before: Note, task: Task): EditResult {
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
function oldPlace(note: Note, before: Note, task: Task): Target | undefined {
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

/** Puts back a task that is gone: its line as it was, at its old place, with the text under it. */
function restoreTask(note: Note, before: Note, task: Task, today: string): EditResult {
  const old = findTaskLine(before, task.key);
  if (!old.ok) return old;
  const added = addTask(note, { title: 'restored', today, ...oldPlace(note, before, task) });
  if (!added.ok) return added;
  const now = parseNote(note.board.path, added.text);
  const found = findTaskLine(now, added.key);
  if (!found.ok) return found;
  const line = before.text.slice(old.block.box, old.block.lineEnd);
  const { box, lineEnd } = found.block;
  const text = now.text.slice(0, box) + line + now.text.slice(lineEnd);
  if (task.body.length === 0) return { ok: true, text };
  return setTaskBody(parseNote(note.board.path, text), task.key, task.body.join('\n'));
}

/**
 * The note in which each task line says what it said before, from its mark on, byte for byte; one that
 * had no id keeps the one that it got, and says again what it said otherwise.
 */
function sameLines(note: Note, before: Note, today: string): string {
  const splices: Splice[] = [];
  const named: (readonly [Task, Task])[] = [];
  for (const [was, is] of pairTasks(before.board, note.board)) {
    if (was.id === null && is.id !== null) named.push([was, is]);
    else splices.push(...lineOf(note, before, was, is));
  }
  let now = parseNote(note.board.path, applySplices(note.text, splices));
  for (const [was, is] of named) now = sameFacts(now, was, is.key, today);
  return now.text;
}

function lineOf(note: Note, before: Note, was: Task, is: Task): readonly Splice[] {
  const old = before.layout?.scan.blocks[before.board.tasks.indexOf(was)];
  const now = note.layout?.scan.blocks[note.board.tasks.indexOf(is)];
  if (old === undefined || now === undefined) return [];
  return [{ from: now.box, to: now.lineEnd, text: before.text.slice(old.box, old.lineEnd) }];
}

/** A line that can't be edited stays. */
function sameFacts(note: Note, was: Task, key: string, today: string): Note {
  const own = Object.fromEntries(OWN_FIELDS.map((name) => [name, was[name]]));
  const fields: FieldValues = { ...own, priority: was.priority, due: was.due };
  let now = note;
  for (const edit of [
    (one: Note) => setTaskStatus(one, key, was.status, { today }),
    (one: Note) => setTaskFields(one, key, fields),
    (one: Note) => setTaskDependsOn(one, key, was.dependsOn),
  ]) {
    const result = edit(now);
    if (result.ok) now = parseNote(note.board.path, result.text);
  }
  return now;
}
