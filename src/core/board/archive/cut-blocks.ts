import { behindLine, cutLines, reindented } from '../note/block-lines';
import { findTask, type Found } from '../note/edit-line';
import { refuse, type EditRefusal } from '../note/edit-result';
import { familySize } from '../note/move-task';
import type { Note } from '../note/note';
import { parseNote } from '../note/parse-note';
import { sameTasks } from '../note/same-tasks';
import type { BlockText } from './block-text';

/**
 * Cuts tasks out of their note, each with all that belongs to it, and all of them with an id.
 * Refused where other lines would then belong to something else.
 */
export function cutBlocks(
  note: Note,
  keys: ReadonlySet<string>,
):
  | { readonly ok: true; readonly text: string; readonly blocks: readonly BlockText[] }
  | EditRefusal {
  const found: Found[] = [];
  for (const key of keys) {
    const one = findTask(note, key);
    if (!one.ok) return one;
    found.push(one);
  }
  found.sort((a, b) => a.index - b.index);
  let { text } = note;
  const rest = [...note.board.tasks];
  // From the end on, so that what stands before keeps its place.
  for (const one of found.toReversed()) {
    text = cutLines(text, one.block.start, behindLine(note.text, one.block.end));
    rest.splice(one.index, familySize(one));
  }
  if (!sameTasks(rest, parseNote(note.board.path, text).board.tasks, true)) {
    const [first] = found;
    const what = found.length === 1 ? `"${first?.task.title ?? ''}"` : 'these tasks';
    const message = `Moving ${what} away would change what other lines of the note belong to. Move those first.`;
    return refuse('bad_place', message);
  }
  return { ok: true, text, blocks: found.map((one) => blockOf(note, one)) };
}

function blockOf(note: Note, found: Found): BlockText {
  const { task, block, index } = found;
  const family = note.board.tasks.slice(index, index + familySize(found));
  const done = family.filter(({ status }) => status === 'completed' || status === 'cancelled');
  return {
    ids: family.flatMap(({ id }) => id ?? []),
    finished: done.flatMap(({ id }) => id ?? []),
    phase: task.phase,
    text: reindented(note.text, block, ''),
  };
}
