import { addTask, type NewTask } from '../note/add-task';
import { behindLine } from '../note/block-lines';
import { refuse, type EditResult } from '../note/edit-result';
import type { Note } from '../note/note';
import { parseNote } from '../note/parse-note';
import { sameTasks } from '../note/same-tasks';

/** Adds a task in front of another, as its sibling. `key` and `id` are the new task's, and equal. */
export function addBefore(
  note: Note,
  before: string,
  spec: NewTask,
): EditResult<{ key: string; id: string }> {
  const added = addTask(note, { ...spec, after: before });
  if (!added.ok) return added;
  const { path, tasks } = parseNote(note.board.path, added.text).board;
  const blocks = parseNote(path, added.text).layout?.scan.blocks ?? [];
  const from = blocks[tasks.findIndex(({ key }) => key === added.key)];
  const to = blocks[tasks.findIndex(({ key }) => key === before)];
  if (!from || !to) return refuse('no_place', STAYS);
  const { text } = added;
  const next = behindLine(text, from.lineEnd);
  const above = /(?:\r\n|\r|\n)$/.exec(text.slice(0, from.start))?.[0] ?? '';
  // The last line of a note may have no end; the line above it then lends its own.
  const [eol, cut] =
    next > from.lineEnd ? [text.slice(from.lineEnd, next), 0] : [above, above.length];
  const moved = [
    text.slice(0, to.start),
    text.slice(from.start, from.lineEnd),
    eol,
    text.slice(to.start, from.start - cut),
    text.slice(next),
  ].join('');
  const now = parseNote(path, moved).board.tasks;
  const others = now.filter(({ key }) => key !== added.key);
  const fits = others.length + 1 === now.length && sameTasks(note.board.tasks, others, true);
  return fits ? { ...added, text: moved } : refuse('no_place', STAYS);
}

const STAYS = 'A new task there would change what other lines of the note belong to.';
