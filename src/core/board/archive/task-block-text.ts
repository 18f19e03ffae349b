import { behindLine, cutLines, reindented } from '../note/block-lines';
import { familySize } from '../note/move-task';
import { findTask } from '../note/edit-line';
import type { EditRefusal } from '../note/edit-result';
import { refuse } from '../note/edit-result';
import type { Note } from '../note/note';
import { parseNote } from '../note/parse-note';
import { sameTasks } from '../note/same-tasks';
import type { Task } from '../task';

/** A task with all that belongs to it, as it moves between a board and its archive. */
export interface BlockText {
  readonly id: string;
  /** of the task and its sub-tasks */
  readonly ids: readonly string[];
  /** of those that are completed or cancelled */
  readonly finished: readonly string[];
  readonly phase: string | null;
  /** its lines at the left edge, unchanged else, without the last line's end */
  readonly text: string;
}

/** Cuts a task out of its note; refused where other lines would then belong to something else. */
export function cutBlock(
  note: Note,
  key: string,
): { readonly ok: true; readonly text: string; readonly block: BlockText } | EditRefusal {
  const found = findTask(note, key);
  if (!found.ok) return found;
  const { task, block, index } = found;
  const family = note.board.tasks.slice(index, index + familySize(found));
  const text = cutLines(note.text, block.start, behindLine(note.text, block.end));
  const rest = note.board.tasks.toSpliced(index, family.length);
  if (task.id === null || !sameTasks(rest, parseNote(note.board.path, text).board.tasks, true)) {
    const message = `Moving "${task.title}" away would change what other lines of the note belong to. Move them first.`;
    return refuse('bad_place', message);
  }
  const ids = (tasks: readonly Task[]): string[] => tasks.flatMap(({ id }) => id ?? []);
  const finished = family.filter(({ status }) => status === 'completed' || status === 'cancelled');
  return {
    ok: true,
    text,
    block: {
      id: task.id,
      ids: ids(family),
      finished: ids(finished),
      phase: task.phase,
      text: reindented(note.text, block, ''),
    },
  };
}
