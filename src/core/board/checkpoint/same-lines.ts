import { setTaskFields, type FieldValues } from '../note/edit-fields';
import { setTaskDependsOn, setTaskStatus } from '../note/edit-task';
import { OWN_FIELDS } from '../note/line-facts';
import type { Note } from '../note/note';
import { parseNote } from '../note/parse-note';
import { applySplices, type Splice } from '../note/splice';
import type { Task } from '../task';
import { pairTasks } from './pair-tasks';

/**
 * The note in which each task line says what it said before, from its mark on, byte for byte; one that
 * had no id keeps the one that it got, and says again what it said otherwise.
 */
export function sameLines(note: Note, before: Note, today: string): string {
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
